import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import type { SwarmView } from "../../../../src/peer/swarm/members/swarm-view.ts";
import type { PeerCalls } from "../../../../src/peer/swarm/peer-calls.ts";
import { CopyReleases } from "../../../../src/peer/swarm/replication/copy-releases.ts";

const member = "b" as MemberId;

function quarter(number: number): ArcSet {
  const [from, to] = [number, number + 1].map((at) => ((at * circle) / 4) as RingPosition);
  if (from === undefined || to === undefined) throw new Error("two ends");
  return ArcSet.of([{ from, to }]);
}

/** Another member, which answers as it is set to. */
class ReleaseBench {
  /** The quarters that it was told of, each time. */
  readonly told: number[][] = [];
  needs = ArcSet.empty;
  uncopied = ArcSet.empty;
  generation: number | undefined = 1;
  answer: () => Promise<boolean> = () => Promise.resolve(true);
  readonly releases: CopyReleases;

  constructor() {
    const calls: Pick<PeerCalls, "released"> = {
      released: (_, arcs) => {
        this.told.push([0, 1, 2, 3].filter((number) => arcs.covers(quarter(number))));
        return this.answer();
      },
    };
    const view: Pick<SwarmView, "generationOf" | "isRunning"> = {
      generationOf: () => this.generation,
      isRunning: (_, generation) => generation === this.generation,
    };
    const parts = { replicator: this, view: view as SwarmView };
    this.releases = new CopyReleases(calls as PeerCalls, parts, () => this.needs);
  }

  async send(): Promise<void> {
    this.releases.send();
    await this.releases.settled();
  }
}

describe("a member whose copies are kept up to date no more", () => {
  it("is told of all of them once", async () => {
    const bench = new ReleaseBench();
    bench.releases.owe(member, quarter(0));
    bench.releases.owe(member, quarter(2));
    await bench.send();
    await bench.send();
    expect(bench.told).toEqual([[0, 2]]);
  });

  it("is not told of what it is to have a copy of by then", async () => {
    const bench = new ReleaseBench();
    bench.releases.owe(member, quarter(0));
    bench.releases.owe(member, quarter(1));
    bench.needs = quarter(0);
    await bench.send();
    expect(bench.told).toEqual([[1]]);
  });

  it("is told of those that others have copies of by then, and later of the rest", async () => {
    const bench = new ReleaseBench();
    bench.uncopied = quarter(1).union(quarter(2));
    bench.needs = quarter(2);
    for (const number of [0, 1, 2]) bench.releases.owe(member, quarter(number));
    await bench.send();
    await bench.send();
    expect(bench.told).toEqual([[0]]);
    bench.needs = ArcSet.empty;
    bench.uncopied = ArcSet.empty;
    await bench.send();
    expect(bench.told).toEqual([[0], [1]]);
  });

  it("is told again where it has not answered", async () => {
    const bench = new ReleaseBench();
    bench.answer = () => Promise.resolve(false);
    bench.releases.owe(member, quarter(3));
    await bench.send();
    bench.answer = () => Promise.resolve(true);
    await bench.send();
    await bench.send();
    expect(bench.told).toEqual([[3], [3]]);
  });

  it("is told nothing of what an earlier run of it had", async () => {
    const bench = new ReleaseBench();
    bench.releases.owe(member, quarter(0));
    bench.generation = 2;
    await bench.send();
    expect(bench.told).toEqual([]);
    bench.generation = 1;
    bench.releases.owe(member, quarter(0));
    bench.generation = 2;
    bench.releases.owe(member, quarter(1));
    await bench.send();
    expect(bench.told).toEqual([[1]]);
  });

  it("is told one thing after the other", async () => {
    const bench = new ReleaseBench();
    const answer = Promise.withResolvers<boolean>();
    bench.answer = () => answer.promise;
    bench.releases.owe(member, quarter(0));
    bench.releases.send();
    bench.releases.owe(member, quarter(1));
    bench.releases.send();
    expect(bench.told).toEqual([[0]]);
    answer.resolve(true);
    await bench.releases.settled();
    await bench.send();
    expect(bench.told).toEqual([[0], [1]]);
  });
});
