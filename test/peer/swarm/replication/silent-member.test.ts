import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { RangeSync } from "../../../../src/peer/swarm/replication/range-sync.ts";
import {
  ReplicaStream,
  defaultReplicaStreamOptions,
} from "../../../../src/peer/swarm/replication/replica-stream.ts";

it("a member that takes rows and answers no question is left for later", async () => {
  const clock = new VirtualClock();
  const stream = new ReplicaStream(
    { member: "b" as MemberId, generation: 1 },
    clock,
    () => Promise.resolve({ kind: "reply", payload: new Uint8Array(0) }),
    defaultReplicaStreamOptions,
    () => undefined,
  );
  stream.goLive(ArcSet.whole, 0);
  const silent = async (): Promise<undefined> => clock.sleep(5_000).then(() => undefined);
  const sync = new RangeSync(
    {
      clock,
      store: { range: () => Promise.resolve([]) },
      calls: { digests: silent, pull: silent, synced: () => Promise.resolve(true) },
    },
    {
      journal: { flushed: () => Promise.resolve(), observe: () => undefined },
      keeper: { take: () => Promise.resolve(0), underWay: () => new Set() },
      replicator: {
        copy: () => Promise.resolve(),
        drained: () => Promise.resolve(),
        room: () => Promise.resolve(),
        stream: () => stream,
        sequence: 0,
      },
      greet: () => Promise.resolve(true),
    },
  );
  const inVain = await clock.run(sync.run(stream, ArcSet.whole, new AbortController().signal));
  expect([inVain.isEmpty, stream.synced.isEmpty]).toEqual([true, true]);
});
