import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { hostAddress, hostKey } from "../../../../src/core/record/host-keys.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOfKey } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { defaultReplicaStreamOptions } from "../../../../src/peer/swarm/replication/replica-stream.ts";
import { Replicator } from "../../../../src/peer/swarm/replication/replicator.ts";
import { stillView } from "../still-view.ts";

const replica = "b" as MemberId;
const keys = ["a.example", "b.example", "c.example"].map((name) =>
  hostKey("host", hostAddress(name as SiteName, name as HostName)),
);
const positions = keys.map(positionOfKey);

/** A holder of everything whose replica takes so many messages of one row, and no more. */
function newHolder(messages: number) {
  const territory = new Territory();
  territory.take(ArcSet.whole);
  const none = (): void => undefined;
  const clock = new VirtualClock();
  let left = messages;
  const replicator = new Replicator(
    {
      clock,
      logger: { debug: none, info: none, warn: none, error: none },
      calls: {
        rows: () => {
          left -= 1;
          const taken = { kind: "reply", payload: new Uint8Array(0) } as const;
          return Promise.resolve(left >= 0 ? taken : { kind: "busy", retryAfterMs: 200 });
        },
      },
    },
    { view: stillView("a" as MemberId, replica), territory },
    {
      replicator: { replicas: 2, queuedRowsMax: 100 },
      stream: { ...defaultReplicaStreamOptions, rowsPerMessage: 1 },
    },
    none,
  );
  replicator.setNeeds(new Map([[replica, ArcSet.whole]]));
  for (const key of keys) {
    replicator.observe([{ type: "put", key, value: Uint8Array.of(1) }], Promise.resolve());
  }
  return { clock, replicator };
}

it.each([0, 1, 2, 3])("of three sites %i are at their replica", async (count) => {
  const { clock, replicator } = newHolder(count);
  const startMs = clock.nowMs();
  const there = await clock.run(replicator.replicatedOf(positions, 700));
  expect([...there]).toEqual(positions.slice(0, count));
  // All that are at theirs need no more time.
  expect(clock.nowMs() - startMs).toBe(count < 3 ? 700 : 0);
});

it.each([0, 1, 2, 3])("what was written is sent up to unit %i", async (count) => {
  const { clock, replicator } = newHolder(count);
  await clock.run(clock.sleep(700));
  const sent = [1, 2, 3].filter((sequence) => replicator.hasSent(sequence));
  expect(sent).toEqual([1, 2, 3].slice(0, count));
});
