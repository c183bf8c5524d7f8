import { describe, expect, it } from "vitest";
import type { RunView, SeenHit } from "../../../sim/checkers/checker.ts";
import { Chronicle } from "../../../sim/checkers/chronicle.ts";
import { Termination } from "../../../sim/checkers/termination.ts";
import { Findings } from "../../../sim/checkers/violation.ts";
import type { Millis } from "../../../src/core/units.ts";

/** A run whose web answers, and whose peers tell the job over, when it is said; nothing is ever seen in a queue. */
class Course {
  readonly #findings = new Findings();
  readonly #chronicle = new Chronicle(() => this.nowMs, 2);
  readonly termination = new Termination({
    chronicle: this.#chronicle,
    findings: this.#findings,
    world: { running: [] },
  } as unknown as RunView);
  nowMs: Millis = 0;

  answered(atMs: Millis): void {
    this.nowMs = atMs;
    this.termination.onHit({ atMs, endMs: atMs, page: 1, url: "http://a.example/" } as SeenHit);
  }

  split(atMs: Millis): void {
    this.nowMs = atMs;
    this.#chronicle.began({ kind: "partition", groups: [[0], [1]] });
  }

  told(atMs: Millis): void {
    this.nowMs = atMs;
    this.termination.toldOver(0);
  }

  get violations(): number {
    return this.#findings.total;
  }
}

describe("the end of a job", () => {
  it("is when it was told over, not when all peers were asked after the last fault", () => {
    const course = new Course();
    course.answered(10_000);
    course.told(12_000);
    course.told(90_000);
    expect(course.termination.ended(89_000, 88_000)).toEqual({ toldAtMs: 12_000, afterMs: 2_000 });
    expect(course.violations).toBe(0);
  });

  it("is when the last peer told it over that was asked before there was nothing left", () => {
    const course = new Course();
    course.answered(10_000);
    course.told(11_000);
    course.told(13_000);
    expect(course.termination.ended(9_000, 9_000)).toEqual({ toldAtMs: 13_000, afterMs: 3_000 });
  });

  it("is when it was told over again, where a side of a split went on", () => {
    const course = new Course();
    course.answered(10_000);
    course.told(12_000);
    course.split(13_000);
    course.answered(20_000);
    course.told(23_000);
    expect(course.termination.ended(20_000, 22_000)).toEqual({ toldAtMs: 23_000, afterMs: 3_000 });
    expect(course.violations).toBe(0);
  });

  it("is too early before the last page, and too late long after it", () => {
    const early = new Course();
    early.told(5_000);
    early.answered(6_000);
    expect(early.violations).toBe(1);
    const late = new Course();
    late.answered(10_000);
    late.told(20_001);
    late.termination.ended(9_000, 9_000);
    expect(late.violations).toBe(1);
  });
});
