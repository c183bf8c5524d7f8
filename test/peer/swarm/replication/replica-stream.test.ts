import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import type { Row } from "../../../../src/core/messages/rows.ts";
import { hostAddress, hostKey, ringPosition } from "../../../../src/core/record/host-keys.ts";
import { queueKey } from "../../../../src/core/record/queue-keys.ts";
import { urlKey } from "../../../../src/core/record/url-keys.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOfKey, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import type { OverlayOutcome } from "../../../../src/ports/overlay.ts";
import {
  ReplicaStream,
  defaultReplicaStreamOptions,
  type ReplicaStreamOptions,
} from "../../../../src/peer/swarm/replication/replica-stream.ts";

function rowOf(site: string): Row {
  const key = hostKey("host", hostAddress(site as SiteName, `www.${site}` as HostName));
  return { key, value: Uint8Array.of(1) };
}

const [one, other] = [rowOf("one.example"), rowOf("other.example")];
const [onePosition, otherPosition] = [positionOfKey(one.key), positionOfKey(other.key)];

function siteAt(position: RingPosition): ArcSet {
  return ArcSet.of([{ from: position, to: (position + 1) as RingPosition }]);
}

/** A stream whose messages are acknowledged when the test says so. */
function newStream() {
  const acknowledge: (() => void)[] = [];
  const onProgress = { times: 0 };
  const stream = new ReplicaStream(
    { member: "b" as MemberId, generation: 1 },
    new VirtualClock(),
    () => {
      const { promise, resolve } = Promise.withResolvers<{ kind: "reply"; payload: Uint8Array }>();
      acknowledge.push(() => resolve({ kind: "reply", payload: new Uint8Array(0) }));
      return promise;
    },
    { ...defaultReplicaStreamOptions, rowsPerMessage: 1 },
    () => (onProgress.times += 1),
  );
  stream.goLive(ArcSet.whole, 0);
  stream.release(Infinity);
  /** Acknowledges the next message, and lets what follows from it happen. */
  const next = async (): Promise<void> => {
    await new Promise(setImmediate);
    acknowledge.shift()?.();
    await new Promise(setImmediate);
  };
  return { stream, next, unanswered: acknowledge, onProgress };
}

describe("ReplicaStream", () => {
  it("sends again what nobody has acknowledged, whatever kept the answer away", async () => {
    const clock = new VirtualClock();
    const answers: OverlayOutcome[] = [
      { kind: "timeout" },
      { kind: "unreachable", detail: "the connection broke" },
      { kind: "refused", detail: "no room" },
      { kind: "busy", retryAfterMs: 700 },
      { kind: "reply", payload: new Uint8Array(0) },
    ];
    const sentAtMs: number[] = [];
    const startMs = clock.nowMs();
    const stream = new ReplicaStream(
      { member: "b" as MemberId, generation: 1 },
      clock,
      () => {
        // Were it acknowledged before, nobody would have the row.
        expect(stream.has(onePosition, 1)).toBe(false);
        sentAtMs.push(clock.nowMs() - startMs);
        return Promise.resolve(answers.shift() ?? { kind: "timeout" });
      },
      defaultReplicaStreamOptions,
      () => undefined,
    );
    stream.goLive(ArcSet.whole, 0);
    stream.release(1);
    stream.push(1, [one]);
    await clock.run(clock.sleep(10_000));
    expect(sentAtMs).toEqual([0, 200, 400, 600, 1_300]);
    expect(stream.has(onePosition, 1)).toBe(true);
    expect(stream.queuedRows).toBe(0);
  });

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
    stream.synced = ArcSet.whole;
    stream.keepOnly(ArcSet.empty);
    expect(stream.has(onePosition, 1)).toBe(false);
    expect([stream.live, stream.synced].map(({ isEmpty }) => isEmpty)).toEqual([true, true]);
  });

  it("has one message under way at a time, and tells of which sites something is", async () => {
    const { stream, next, unanswered } = newStream();
    const underWay = (): number[] => [
      unanswered.length,
      stream.underWayOutside(ArcSet.empty).length,
    ];
    const seen: number[][] = [];
    for (const [at, row] of [one, other].entries()) {
      stream.push(at + 1, [row]);
      await new Promise(setImmediate);
      seen.push(underWay());
    }
    await next();
    seen.push(underWay());
    await next();
    seen.push(underWay());
    expect(seen).toEqual([
      [1, 1],
      [1, 2],
      [1, 1],
      [0, 0],
    ]);
  });

  it("has nothing on its way any more when it has ended, and takes nothing in", async () => {
    const { stream, next, unanswered, onProgress } = newStream();
    stream.push(1, [one]);
    stream.push(2, [other]);
    await new Promise(setImmediate);
    stream.end();
    expect(onProgress.times).toBe(1);
    expect(stream.hasTaken(2)).toBe(true);
    expect(stream.underWayOutside(ArcSet.empty)).toEqual([]);
    stream.push(3, [one]);
    await next();
    expect(stream.queuedRows).toBe(0);
    expect(stream.pushedUnits).toBe(2);
    expect(unanswered).toEqual([]);
    expect(onProgress.times).toBe(1);
  });

  it("has of what was written before it took an arc up only what is in the complete copy", () => {
    const { stream } = newStream();
    expect(stream.has(onePosition, 0)).toBe(false);
    stream.synced = ArcSet.whole;
    expect(stream.has(onePosition, 0)).toBe(true);
  });

  it("goes on with what it carries, whatever comes to it or leaves it besides", () => {
    const { stream } = newStream();
    const onlyOne = siteAt(onePosition);
    stream.goLive(ArcSet.whole, 5);
    expect(stream.liveSince(0).equals(ArcSet.whole)).toBe(true);
    stream.keepOnly(onlyOne);
    expect(stream.liveSince(0).equals(onlyOne)).toBe(true);
    stream.goLive(ArcSet.whole, 7);
    expect(stream.liveSince(6).equals(onlyOne)).toBe(true);
    expect(stream.has(otherPosition, 7)).toBe(false);
    expect(stream.has(otherPosition, 8)).toBe(true);
  });

  it("has no complete copy of what is doubted, and counts the doubts", () => {
    const { stream } = newStream();
    stream.synced = ArcSet.whole;
    stream.doubt(siteAt(onePosition));
    expect(stream.synced.equals(ArcSet.whole.subtract(siteAt(onePosition)))).toBe(true);
    expect(stream.doubts).toBe(1);
  });

  it("tells of sites outside some arcs alone that something of them is on its way", () => {
    const { stream } = newStream();
    stream.push(1, [one, other]);
    expect(stream.underWayOutside(siteAt(onePosition))).toEqual([otherPosition]);
  });

  it("has taken so many units, and no others, as are acknowledged", async () => {
    const { stream, next } = newStream();
    for (const sequence of [1, 2, 3]) stream.push(sequence, [one]);
    expect(stream.hasTaken(1)).toBe(false);
    await next();
    expect([stream.hasTaken(1), stream.hasTaken(2)]).toEqual([true, false]);
  });
});

describe("what a stream may send", () => {
  /** A stream of which the test says what is durable, and the sites of the rows of each message. */
  function durableStream(options: Partial<ReplicaStreamOptions> = {}) {
    const messages: (readonly Row[])[] = [];
    const stream = new ReplicaStream(
      { member: "b" as MemberId, generation: 1 },
      new VirtualClock(),
      (rows) => {
        messages.push(rows);
        return Promise.resolve({ kind: "reply", payload: new Uint8Array(0) });
      },
      { ...defaultReplicaStreamOptions, ...options },
      () => undefined,
    );
    stream.goLive(ArcSet.whole, 0);
    return { stream, messages };
  }

  const bytes = [one, other].reduce((sum, { key }) => sum + key.length + 1, 0);

  it.each([
    ["all that a message has room for by rows", { rowsPerMessage: 2 }, [2, 1]],
    ["all that a message has room for by bytes", { bytesPerMessage: bytes }, [2, 1]],
    ["no more than that by bytes", { bytesPerMessage: bytes - 1 }, [1, 1, 1]],
  ])("is of the changes of one turn %s", async (_, options, expected) => {
    const { stream, messages } = durableStream(options);
    stream.release(3);
    for (const [at, row] of [one, other, one].entries()) stream.push(at + 1, [row]);
    await new Promise(setImmediate);
    expect(messages.map(({ length }) => length)).toEqual(expected);
  });

  it("is what is durable here, and all of that in one message", async () => {
    const { stream, messages } = durableStream();
    stream.push(1, [one]);
    stream.push(2, [other]);
    stream.push(3, [one]);
    await new Promise(setImmediate);
    expect(messages).toEqual([]);
    stream.release(2);
    await new Promise(setImmediate);
    expect(messages).toEqual([[one, other]]);
    expect(stream.has(otherPosition, 2)).toBe(true);
    expect(stream.has(onePosition, 3)).toBe(false);
    stream.release(3);
    await new Promise(setImmediate);
    expect(messages.slice(1)).toEqual([[one]]);
    expect(stream.has(onePosition, 3)).toBe(true);
  });
});

describe("a change that is too large for one message", () => {
  const site = ringPosition("one.example" as SiteName);
  const host = hostAddress("one.example" as SiteName, "www.one.example" as HostName);

  /** The two rows of a queued URL as admission writes them, the record first. */
  function queuedUrl(number: number, bytes = 1): Row[] {
    const record = urlKey("url", site, Uint32Array.of(number, 0, 0, 0), 0, 1);
    return [
      { key: record, value: Uint8Array.of(1) },
      { key: queueKey(host, 1, 5, number, [record]), value: new Uint8Array(bytes) },
    ];
  }

  /** What arrives, message by message. */
  async function messagesOf(
    rows: readonly Row[],
    options: Partial<ReplicaStreamOptions>,
  ): Promise<(readonly Row[])[]> {
    const messages: (readonly Row[])[] = [];
    const stream = new ReplicaStream(
      { member: "b" as MemberId, generation: 1 },
      new VirtualClock(),
      (some) => {
        messages.push(some);
        return Promise.resolve({ kind: "reply", payload: new Uint8Array(0) });
      },
      { ...defaultReplicaStreamOptions, ...options },
      () => undefined,
    );
    stream.release(1);
    stream.push(1, rows);
    expect(stream.queuedRows).toBe(rows.length);
    while (stream.queuedRows > 0) await new Promise(setImmediate);
    return messages;
  }

  const bytesOf = (rows: readonly Row[]): number =>
    rows.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);

  it("goes in parts that have room in one, by rows and by bytes", async () => {
    const rows = Array.from({ length: 50 }, (_, number) => queuedUrl(number, 1_000)).flat();
    const byRows = await messagesOf(rows, { rowsPerMessage: 7 });
    expect(byRows.map(({ length }) => length)).toEqual([...Array<number>(14).fill(7), 2]);
    const byBytes = await messagesOf(rows, { bytesPerMessage: 5_000 });
    expect(Math.max(...byBytes.map(bytesOf))).toBeLessThanOrEqual(5_000);
    expect(byBytes.length).toBeLessThan(20);
    for (const messages of [byRows, byBytes]) {
      expect(new Set(messages.flat())).toEqual(new Set(rows));
      expect(messages.flat()).toHaveLength(rows.length);
    }
  });

  it("goes whole where a row alone is larger than a message should be", async () => {
    const rows = queuedUrl(1, 10_000);
    expect(await messagesOf(rows, { bytesPerMessage: 100 })).toEqual([[rows[1]], [rows[0]]]);
  });

  it("brings no record before its place in the queue, and takes nothing out of the queue before", async () => {
    const links = [...queuedUrl(1), ...queuedUrl(2), ...queuedUrl(3)];
    const [done, gone] = queuedUrl(4);
    if (done === undefined || gone === undefined) throw new Error("a queued URL has two rows");
    const rows = [...links, done, { key: gone.key }];
    for (const rowsPerMessage of [1, 2, 3, 5]) {
      const sent = (await messagesOf(rows, { rowsPerMessage })).flat();
      for (const [record, place] of [links.slice(0, 2), links.slice(2, 4), links.slice(4, 6)]) {
        expect(sent.indexOf(place ?? done)).toBeLessThan(sent.indexOf(record ?? done));
      }
      expect(sent.at(-1)).toEqual({ key: gone.key });
    }
  });

  it("brings a row of the queue first, but behind the record of what has left it", async () => {
    const [done, row] = queuedUrl(4);
    if (done === undefined || row === undefined) throw new Error("a queued URL has two rows");
    const bundle = {
      urls: ["a", "b"],
      depth: 0,
      attempts: 0,
      unseen: 0,
      redirectChain: [],
      discoveredAtMs: 0,
    };
    const rowWith = (taken: number): Row => ({
      ...row,
      value: QueueBundle.encode({ ...bundle, taken }),
    });
    const [fresh, marked] = [rowWith(0), rowWith(1)];
    expect(await messagesOf([done, fresh], { rowsPerMessage: 1 })).toEqual([[fresh], [done]]);
    expect(await messagesOf([marked, done], { rowsPerMessage: 1 })).toEqual([[done], [marked]]);
  });

  it("stays as it is where it fits", async () => {
    const rows = [...queuedUrl(1), { key: queuedUrl(2)[1]?.key ?? one.key }, one];
    for (const options of [{ rowsPerMessage: 4 }, { bytesPerMessage: bytesOf(rows) }]) {
      expect(await messagesOf(rows, options)).toEqual([rows]);
    }
  });
});
