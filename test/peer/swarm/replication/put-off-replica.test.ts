import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { hostAddress, hostKey } from "../../../../src/core/record/host-keys.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOf, positionOfKey } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { defaultReplicaStreamOptions } from "../../../../src/peer/swarm/replication/replica-stream.ts";
import type { ReplicaStream } from "../../../../src/peer/swarm/replication/replica-stream.ts";
import { Replicator } from "../../../../src/peer/swarm/replication/replicator.ts";
import type { OverlayOutcome } from "../../../../src/ports/overlay.ts";
import { stillView } from "../still-view.ts";

const replica = "b" as MemberId;
const needs = new Map([[replica, ArcSet.whole]]);
const { patienceMs, putOffRetryMs } = defaultReplicaStreamOptions;
const { signal } = new AbortController();

const [key, otherKey] = [keyOf("a.example"), keyOf("b.example")];

function keyOf(name: string): Uint8Array {
  return hostKey("host", hostAddress(name as SiteName, name as HostName));
}

function rowsAt(at: Uint8Array): { key: Uint8Array; value: Uint8Array }[] {
  return Array.from({ length: 10 }, () => ({ key: at, value: Uint8Array.of(1) }));
}

/** A holder of everything whose only replica takes rows when it is told so. */
class Holder {
  readonly clock = new VirtualClock();
  takes = false;
  asked = 0;
  readonly replicator: Replicator;

  constructor() {
    const territory = new Territory();
    territory.take(ArcSet.whole);
    const none = (): void => undefined;
    this.replicator = new Replicator(
      {
        clock: this.clock,
        logger: { debug: none, info: none, warn: none, error: none },
        calls: { rows: () => Promise.resolve(this.#answer()) },
      },
      { view: stillView("a" as MemberId, replica), territory },
      {
        replicator: { replicas: 2, queuedRowsMax: 20 },
        stream: { ...defaultReplicaStreamOptions, rowsPerMessage: 5 },
      },
      none,
    );
    this.replicator.setNeeds(needs);
    this.stream.synced = ArcSet.whole;
  }

  get stream(): ReplicaStream {
    const stream = this.replicator.stream(replica);
    if (!stream) throw new Error("no stream to the replica");
    return stream;
  }

  async write(at = key): Promise<void> {
    const ops = rowsAt(at).map((row) => ({ type: "put", ...row }) as const);
    this.replicator.observe(ops, Promise.resolve());
    await new Promise(setImmediate);
  }

  pass(ms: number): Promise<void> {
    return this.clock.run(this.clock.sleep(ms));
  }

  isReplicated(at = key): Promise<boolean> {
    return this.clock.run(this.replicator.replicated([positionOfKey(at)], 1));
  }

  #answer(): OverlayOutcome {
    this.asked += 1;
    if (this.takes) return { kind: "reply", payload: new Uint8Array(0) };
    return { kind: "busy", retryAfterMs: 200 };
  }
}

describe("a replica that takes nothing", () => {
  it("is waited for a while, and then by nobody", async () => {
    const holder = new Holder();
    const { clock, replicator, stream } = holder;
    await holder.write();
    await holder.write();
    expect(replicator.full).toBe(true);
    const waits = [
      replicator.room(signal),
      replicator.drained(stream, signal),
      replicator.copy(stream, rowsAt(key), signal),
    ];
    let hasEnded = false;
    const ended = Promise.all(waits).then(() => (hasEnded = true));
    await holder.pass(patienceMs - 1_000);
    expect(hasEnded).toBe(false);
    await clock.run(ended);
    expect(replicator.full).toBe(false);
  });

  it("has no complete copy any more, and nothing gathers that it is to have", async () => {
    const holder = new Holder();
    await holder.write();
    await holder.pass(patienceMs + 1_000);
    await holder.write();
    const { replicator, stream } = holder;
    expect(replicator.queuedRows).toBe(5);
    expect(replicator.uncopied.equals(ArcSet.whole)).toBe(true);
    expect(stream.synced.isEmpty).toBe(true);
    expect(await holder.isReplicated()).toBe(false);
  });

  it("is sent nothing more, and told to have nothing, whatever it is to have meanwhile", async () => {
    const holder = new Holder();
    await holder.write();
    await holder.pass(patienceMs + 1_000);
    const { clock, replicator, stream } = holder;
    replicator.setNeeds(needs);
    await holder.write();
    await replicator.copy(stream, [{ key, value: Uint8Array.of(1) }], signal);
    expect(replicator.queuedRows).toBe(5);
    const elsewhere = positionOf("b.example" as SiteName);
    expect(await clock.run(replicator.replicated([elsewhere], 1))).toBe(false);
  });

  it("is asked now and then, and begins anew when it takes something", async () => {
    const holder = new Holder();
    const { replicator, stream } = holder;
    await holder.write();
    await holder.pass(patienceMs + 1_000);
    await holder.write(otherKey);
    const { asked } = holder;
    await holder.pass(10 * putOffRetryMs);
    expect(holder.asked - asked).toBe(10);
    expect(replicator.hasReturned).toBe(false);
    holder.takes = true;
    await holder.pass(putOffRetryMs);
    expect(replicator.hasReturned).toBe(true);
    // Its copy is not kept up to date until it has been compared.
    expect(replicator.setNeeds(needs).get(replica)?.equals(ArcSet.whole)).toBe(true);
    expect(replicator.hasReturned).toBe(false);
    expect(holder.stream).not.toBe(stream);
    const keys = [key, otherKey];
    for (const at of keys) await holder.write(at);
    await holder.pass(1_000);
    // What it did not take before is part of the copy that it is to have.
    for (const at of keys) expect(await holder.isReplicated(at)).toBe(false);
    holder.stream.synced = ArcSet.whole;
    for (const at of keys) expect(await holder.isReplicated(at)).toBe(true);
  });
});
