import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { hostAddress, hostKey } from "../../../src/core/record/keys.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { HostName, MemberId, SiteName } from "../../../src/core/units.ts";
import type { OverlayOutcome } from "../../../src/ports/overlay.ts";
import { RingBook } from "../../../src/peer/swarm/ring-book.ts";
import { defaultReplicaStreamOptions } from "../../../src/peer/swarm/replica-stream.ts";
import { Replicator } from "../../../src/peer/swarm/replicator.ts";
import { Territory } from "../../../src/peer/swarm/territory.ts";
import { stillView } from "./still-view.ts";

const self = "a" as MemberId;
const replica = "b" as MemberId;

const rings = new RingBook({ virtualNodes: 8, hashSeed: 0 });

const row = {
  key: hostKey("host", hostAddress("a.example" as SiteName, "www.a.example" as HostName)),
  value: Uint8Array.of(1),
};

/** A holder of everything with one replica, whose messages are acknowledged when the test says so. */
function newReplicator() {
  const view = { ...stillView(self, replica) };
  const territory = new Territory();
  territory.take(ArcSet.whole);
  const acknowledge: (() => void)[] = [];
  const rows = (): Promise<OverlayOutcome> =>
    new Promise((resolve) => {
      acknowledge.push(() => resolve({ kind: "reply", payload: new Uint8Array(0) }));
    });
  const none = (): void => undefined;
  const replicator = new Replicator(
    {
      clock: new VirtualClock(),
      logger: { debug: none, info: none, warn: none, error: none },
      calls: { rows },
    },
    { view, territory },
    {
      replicator: { replicas: 2, queuedRowsMax: 1_000 },
      stream: { ...defaultReplicaStreamOptions, rowsPerMessage: 1 },
    },
    none,
  );
  replicator.setNeeds(new Map([[replica, ArcSet.whole]]));
  const stream = replicator.stream(replica);
  if (stream === undefined) throw new Error("no stream to the replica");
  /** Writes a row, as the journal tells of it. */
  const write = (): void => replicator.observe([{ type: "put", ...row }]);
  /** Acknowledges the message under way, and lets what follows from it happen. */
  const next = async (): Promise<void> => {
    await new Promise(setImmediate);
    acknowledge.shift()?.();
    await new Promise(setImmediate);
  };
  return { replicator, view, stream, write, next };
}

describe("a replicator", () => {
  it("goes on with a copy when what was sent before it is durable, however much the crawl writes", async () => {
    const { replicator, stream, write, next } = newReplicator();
    const { signal } = new AbortController();
    write();
    let hasRoom = false;
    void replicator.copy(stream, [row], signal).then(() => (hasRoom = true));
    for (let n = 0; n < 500; n += 1) write();
    expect(stream.queuedRows).toBe(502);
    expect(hasRoom).toBe(false);
    await next();
    expect(hasRoom).toBe(true);
    expect(stream.queuedRows).toBe(501);
  });

  it("has drained when what was sent is durable, however much comes behind it", async () => {
    const { replicator, stream, write, next } = newReplicator();
    let hasDrained = false;
    write();
    write();
    const { signal } = new AbortController();
    void replicator.drained(stream, signal).then(() => (hasDrained = true));
    // As a crawl that goes on: for each row that is taken another one is written.
    write();
    await next();
    write();
    expect(hasDrained).toBe(false);
    await next();
    write();
    expect(hasDrained).toBe(true);
    expect(stream.queuedRows).toBe(3);
  });

  it("has drained at once where nothing is under way, and where the stream has ended", async () => {
    const { replicator, stream, write } = newReplicator();
    const { signal } = new AbortController();
    await replicator.drained(stream, signal);
    write();
    const drained = replicator.drained(stream, signal);
    replicator.stop();
    await drained;
    expect(stream.queuedRows).toBe(0);
  });

  it("sends a member that is taken for dead for a moment what is written meanwhile", () => {
    const { replicator, view, stream, write } = newReplicator();
    const { ring, others } = view;
    view.ring = view.futureRing = rings.ringOf([{ id: self, weight: 1 }]);
    view.others = [];
    write();
    view.ring = view.futureRing = ring;
    view.others = [...others];
    replicator.setNeeds(new Map([[replica, ArcSet.whole]]));
    expect(stream.queuedRows).toBe(1);
  });
});
