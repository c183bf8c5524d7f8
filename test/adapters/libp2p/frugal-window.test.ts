import { StreamState, YamuxStream, type YamuxStreamInit } from "@chainsafe/libp2p-yamux/stream";
import type { Logger } from "@libp2p/interface";
import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { frugalWindow } from "../../../src/adapters/libp2p/frugal-window.ts";

type Header = Parameters<YamuxStreamInit["sendFrame"]>[0];
type Frame = Parameters<YamuxStream["handleData"]>[0];

const windowBytes = 256 * 1_024;
/** Numbers of Yamux's frames and flags, which the package keeps for itself. */
const data = 0;
const windowUpdate = 1;
const ack = 2;

const silent: Logger = Object.assign(() => undefined, {
  enabled: false,
  error: () => undefined,
  trace: () => undefined,
  newScope: () => silent,
});

/** A stream of Yamux whose other end sends what it may. */
class Bench {
  readonly updates: Header[] = [];
  readonly stream: YamuxStream;
  received = 0;

  constructor(state: StreamState) {
    this.stream = new YamuxStream({
      id: "1",
      streamId: 1,
      log: silent,
      direction: "inbound",
      sendFrame: (header) => {
        const type: number = header.type;
        if (type === windowUpdate) this.updates.push(header);
        return true;
      },
      getRTT: () => -1,
      state,
    });
    this.stream.addEventListener("message", (event) => {
      this.received += event.data.byteLength;
    });
    frugalWindow(this.stream);
  }

  /** What the other end has been told that it may send, beyond the first window. */
  get told(): number {
    return this.updates.reduce((sum, { length }) => sum + length, 0);
  }

  send(bytes: number): void {
    // The package has the list in a version of its own, which is the same.
    const frame: unknown = {
      header: { type: data, flag: 0, streamID: 1, length: bytes },
      data: new Uint8ArrayList(new Uint8Array(bytes)),
    };
    this.stream.handleData(frame as Frame);
  }
}

describe("a frugal window", () => {
  it("tells of room once for many small messages, and then of all of it", () => {
    const bench = new Bench(StreamState.Established);
    for (let n = 0; n < 1_310; n += 1) bench.send(100);
    expect(bench.updates).toEqual([]);
    bench.send(100);
    expect(bench.updates).toHaveLength(1);
    expect(bench.told).toBe(bench.received);
  });

  it("never leaves its peer without room", () => {
    const bench = new Bench(StreamState.Established);
    for (const bytes of [1, 65_536, 100_000, 200_000, 12, 131_071, 131_073, windowBytes]) {
      expect(windowBytes + bench.told - bench.received).toBeGreaterThan(windowBytes / 2);
      const room = windowBytes + bench.told - bench.received;
      bench.send(Math.min(bytes, room));
    }
    expect(bench.received).toBeGreaterThan(2 * windowBytes);
  });

  it("tells of room that came about before it was read on", () => {
    const bench = new Bench(StreamState.Established);
    for (let n = 0; n < 1_310; n += 1) bench.send(100);
    bench.stream.pause();
    bench.send(100);
    expect(bench.updates).toEqual([]);
    bench.stream.resume();
    expect(bench.told).toBe(bench.received);
  });

  it("spares answers to single bytes also on a stream that nobody has accepted", () => {
    const bench = new Bench(StreamState.SYNSent);
    for (let n = 0; n < 100; n += 1) bench.send(1);
    expect(bench.updates).toEqual([]);
  });

  it("accepts a stream with its first message", () => {
    const bench = new Bench(StreamState.SYNReceived);
    bench.send(1);
    bench.send(1);
    expect(bench.updates).toEqual([expect.objectContaining({ flag: ack })]);
  });
});
