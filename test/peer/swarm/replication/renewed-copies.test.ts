import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { hostAddress, hostKey } from "../../../../src/core/record/host-keys.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOfKey, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import type { OverlayOutcome } from "../../../../src/ports/overlay.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { defaultReplicaStreamOptions } from "../../../../src/peer/swarm/replication/replica-stream.ts";
import type { ReplicaStream } from "../../../../src/peer/swarm/replication/replica-stream.ts";
import { Replicator } from "../../../../src/peer/swarm/replication/replicator.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { stillView } from "../still-view.ts";

const [self, b, c] = ["a", "b", "c"] as [MemberId, MemberId, MemberId];
const rings = new RingBook({ virtualNodes: 8, hashSeed: 0 });
const key = hostKey("host", hostAddress("a.test" as SiteName, "www.a.test" as HostName));
const position = positionOfKey(key);
const site = ArcSet.of([{ from: position, to: (position + 1) as RingPosition }]);

/** A holder of everything; what it sends is acknowledged when the test says so. */
class Holder {
  readonly runs = new Map<MemberId, number>([b, c].map((member) => [member, 1]));
  readonly view = {
    ...stillView(self, b),
    isRunning: (member: MemberId, generation: number) => this.runs.get(member) === generation,
    generationOf: (member: MemberId) => this.runs.get(member),
  };
  readonly replicator: Replicator;
  readonly #unanswered: (() => void)[] = [];

  constructor() {
    const territory = new Territory();
    territory.take(ArcSet.whole);
    const rows = (): Promise<OverlayOutcome> =>
      new Promise((resolve) => {
        this.#unanswered.push(() => resolve({ kind: "reply", payload: new Uint8Array(0) }));
      });
    this.replicator = new Replicator(
      { clock: new VirtualClock(), logger: silentLogger, calls: { rows } },
      { view: this.view, territory },
      {
        replicator: { replicas: 2, queuedRowsMax: 1_000 },
        stream: defaultReplicaStreamOptions,
      },
      () => undefined,
    );
  }

  /** The ring names this member for a copy, and these need one. */
  setNeeds(named: MemberId, ...needs: readonly [MemberId, ArcSet][]): void {
    const members = [self, named].map((id) => ({ id, weight: 1 }));
    this.view.ring = this.view.futureRing = rings.ringOf(members);
    this.view.others = [b, c];
    this.replicator.setNeeds(new Map(needs));
  }

  stream(member: MemberId): ReplicaStream {
    const stream = this.replicator.stream(member);
    if (!stream) throw new Error(`no stream to ${member}`);
    return stream;
  }

  write(): void {
    this.replicator.observe([{ type: "put", key, value: Uint8Array.of(1) }], Promise.resolve());
  }

  async acknowledge(): Promise<void> {
    await new Promise(setImmediate);
    for (const answer of this.#unanswered.splice(0)) answer();
    await new Promise(setImmediate);
  }

  isReplicated(): Promise<boolean> {
    const { replicator } = this;
    return Promise.race([replicator.replicated([position], 1_000), Promise.resolve(false)]);
  }
}

describe("a copy", () => {
  it("is made anew at a member that was started anew", () => {
    const holder = new Holder();
    holder.setNeeds(b, [b, ArcSet.whole]);
    const before = holder.stream(b);
    before.synced = ArcSet.whole;
    holder.runs.set(b, 2);
    holder.setNeeds(b, [b, ArcSet.whole]);
    const { generation, synced } = holder.stream(b);
    expect([generation, synced.isEmpty]).toEqual([2, true]);
  });

  it("has to be complete where what was written may have gone with a member, however often needs are set", async () => {
    const holder = new Holder();
    holder.setNeeds(b, [b, ArcSet.whole]);
    holder.write();
    holder.setNeeds(c, [c, ArcSet.whole]);
    holder.setNeeds(c, [c, ArcSet.whole]);
    holder.write();
    await holder.acknowledge();
    expect(await holder.isReplicated()).toBe(false);
    holder.stream(c).synced = ArcSet.whole;
    expect(await holder.isReplicated()).toBe(true);
  });

  it("is kept up to date while the one in its place is at a member that runs no more", () => {
    const holder = new Holder();
    holder.setNeeds(b, [b, ArcSet.whole], [c, ArcSet.whole]);
    for (const member of [b, c]) holder.stream(member).synced = ArcSet.whole;
    holder.runs.delete(c);
    holder.setNeeds(c, [c, ArcSet.whole]);
    expect(holder.stream(b).synced.share).toBe(1);
  });

  it("that stands in is sent what it stands in for alone, and nothing else waits for it", async () => {
    const holder = new Holder();
    const elsewhere = ArcSet.whole.subtract(site);
    holder.setNeeds(b, [b, elsewhere]);
    holder.stream(b).synced = elsewhere;
    holder.setNeeds(c, [c, ArcSet.whole]);
    expect(holder.replicator.hasStandIns).toBe(true);
    holder.write();
    expect(holder.stream(b).queuedRows).toBe(0);
    let replicated: boolean | undefined;
    void holder.replicator.replicated([position], 1_000).then((is) => (replicated = is));
    await holder.acknowledge();
    expect(replicated).toBe(true);
  });
});
