import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { Row } from "../../../../src/core/messages/rows.ts";
import { hostAddress, hostKey } from "../../../../src/core/record/keys.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOfKey } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import {
  ReplicaStream,
  defaultReplicaStreamOptions,
} from "../../../../src/peer/swarm/replication/replica-stream.ts";

function rowOf(site: string): Row {
  const key = hostKey("host", hostAddress(site as SiteName, `www.${site}` as HostName));
  return { key, value: Uint8Array.of(1) };
}

const [one, other] = [rowOf("one.example"), rowOf("other.example")];
const [onePosition, otherPosition] = [positionOfKey(one.key), positionOfKey(other.key)];

/** A stream whose messages are acknowledged when the test says so. */
function newStream() {
  const acknowledge: (() => void)[] = [];
  const stream = new ReplicaStream(
    { member: "b" as MemberId, generation: 1 },
    new VirtualClock(),
    () => {
      const { promise, resolve } = Promise.withResolvers<{ kind: "reply"; payload: Uint8Array }>();
      acknowledge.push(() => resolve({ kind: "reply", payload: new Uint8Array(0) }));
      return promise;
    },
    { ...defaultReplicaStreamOptions, rowsPerMessage: 1 },
    () => undefined,
  );
  stream.goLive(ArcSet.whole, 0);
  /** Acknowledges the next message, and lets what follows from it happen. */
  const next = async (): Promise<void> => {
    await new Promise(setImmediate);
    acknowledge.shift()?.();
    await new Promise(setImmediate);
  };
  return { stream, next };
}

describe("ReplicaStream", () => {
  it("has what was written of a site when the last message with a row of it is acknowledged", async () => {
    const { stream, next } = newStream();
    stream.push(1, [one]);
    stream.push(2, [one]);
    expect(stream.has(onePosition, 2)).toBe(false);
    await next();
    expect(stream.has(onePosition, 2)).toBe(false);
    expect(stream.has(onePosition, 1)).toBe(true);
    await next();
    expect(stream.has(onePosition, 2)).toBe(true);
  });

  it("does not wait for what is on its way of other sites", async () => {
    const { stream, next } = newStream();
    stream.push(1, [one]);
    expect(stream.has(otherPosition, 1)).toBe(true);
    stream.push(2, [other]);
    expect(stream.has(otherPosition, 2)).toBe(false);
    await next();
    expect(stream.has(otherPosition, 2)).toBe(false);
    await next();
    expect(stream.has(otherPosition, 2)).toBe(true);
  });

  it("has nothing of arcs that it does not carry", () => {
    const { stream } = newStream();
    stream.keepOnly(ArcSet.empty);
    expect(stream.has(onePosition, 1)).toBe(false);
  });

  it("has of what was written before it took an arc up only what is in the complete copy", () => {
    const { stream } = newStream();
    expect(stream.has(onePosition, 0)).toBe(false);
    stream.synced = ArcSet.whole;
    expect(stream.has(onePosition, 0)).toBe(true);
  });
});
