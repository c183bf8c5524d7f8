import { describe, expect, it } from "vitest";
import type { RunView } from "../../../sim/checkers/checker.ts";
import { Chronicle } from "../../../sim/checkers/chronicle.ts";
import { OneOwner } from "../../../sim/checkers/one-owner.ts";
import { Findings } from "../../../sim/checkers/violation.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { Millis } from "../../../src/core/units.ts";

/** Looks come once a second; so many are more than an arc may seem open at two. */
const looks = 8;

/** Two members of three that both have all open, and of which the first one owns it as both see the ring, unless more is said. */
class Pair {
  readonly #findings = new Findings();
  readonly #chronicle = new Chronicle(() => this.#nowMs, 3);
  readonly #checker: OneOwner;
  #nowMs: Millis = 0;
  ownedBySecond = ArcSet.empty;

  constructor() {
    for (const machine of [0, 1, 2]) this.#chronicle.started(machine, 1);
    const running = [0, 1].map((index) => ({
      id: `peer-${index}`,
      index,
      peer: {
        swarm: {
          territory: { open: ArcSet.whole },
          view: { ring: { arcsOf: () => (index === 0 ? ArcSet.whole : this.ownedBySecond) } },
        },
      },
    }));
    this.#checker = new OneOwner({
      chronicle: this.#chronicle,
      findings: this.#findings,
      world: { running: [...running, { index: 2, peer: {} }] },
    } as unknown as RunView);
  }

  /** Long enough ago that it need not be dazed any more. */
  stoodStill(machine: number): this {
    this.#chronicle.stoodStill(machine);
    this.#nowMs += 10_000;
    this.#chronicle.wentOn(machine);
    this.#nowMs += 16_000;
    return this;
  }

  diskHangs(machine: number): this {
    this.#chronicle.began({ kind: "fail-disk", machine, how: "stuck", parts: ["store"] });
    return this;
  }

  diskTakes(machine: number): this {
    this.#chronicle.began({ kind: "mend-disk", machine });
    this.#nowMs += 16_000;
    return this;
  }

  startsAnew(machine: number): this {
    this.#chronicle.ended(machine, "stop");
    this.#chronicle.started(machine, 2);
    return this;
  }

  get violations(): number {
    for (let look = 0; look < looks; look += 1) {
      this.#nowMs += 1_000;
      this.#checker.onLook();
    }
    return this.#findings.total;
  }
}

describe("an arc that is open at two members", () => {
  it("is held against them", () => {
    expect(new Pair().violations).toBeGreaterThan(0);
  });

  for (const [stood, stuck] of [
    [0, 1],
    [0, 0],
    [1, 0],
    [1, 2],
    // It stood still itself before it passed the arc on to one that has joined.
    [2, 0],
  ] as const) {
    it(`is what cannot be passed back: member ${stood} has stood still, ${stuck}'s disk hangs`, () => {
      const pair = new Pair().stoodStill(stood).diskHangs(stuck);
      expect(pair.violations).toBe(0);
      expect(pair.diskTakes(stuck).violations).toBeGreaterThan(0);
    });
  }

  it("is held against them all the same where both would crawl it", () => {
    const pair = new Pair().stoodStill(0).diskHangs(1);
    pair.ownedBySecond = ArcSet.whole;
    expect(pair.violations).toBeGreaterThan(0);
  });

  it("is held against them where nothing was to be claimed, or nothing hangs", () => {
    expect(new Pair().diskHangs(1).violations).toBeGreaterThan(0);
    expect(new Pair().stoodStill(0).violations).toBeGreaterThan(0);
    expect(new Pair().stoodStill(0).startsAnew(0).diskHangs(1).violations).toBeGreaterThan(0);
  });
});
