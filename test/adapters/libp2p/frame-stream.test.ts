import type { Stream } from "@libp2p/interface";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeFrame, type Frame } from "../../../src/adapters/libp2p/frame-codec.ts";
import { FrameStream } from "../../../src/adapters/libp2p/frame-stream.ts";
import { CollectingBudget } from "../../../src/adapters/libp2p/memory-budget.ts";

const notice = (bytes: number): Frame => ({ type: "notice", payload: new Uint8Array(bytes) });

/** A stream of libp2p whose other end takes what the test lets it take. */
class HeldStream extends EventTarget {
  readonly sent: Uint8Array[] = [];
  readonly status = "open";
  writeStatus: "writable" | "closing" = "writable";
  writableNeedsDrain = false;
  /** Of what was sent, what the other end has not taken. */
  writeBufferLength = 0;
  aborted: string | undefined;

  send(bytes: Uint8Array): boolean {
    this.sent.push(Uint8Array.from(bytes));
    return !this.writableNeedsDrain;
  }

  abort(error: Error): void {
    this.aborted = error.message;
  }

  close(): Promise<void> {
    this.writeStatus = "closing";
    return Promise.resolve();
  }

  drain(): void {
    this.writableNeedsDrain = false;
    this.dispatchEvent(new Event("drain"));
  }

  /** Takes a part, after which the stream is full again, before anybody else has a turn. */
  take(bytes: number): void {
    this.drain();
    this.writeBufferLength -= bytes;
    this.writableNeedsDrain = true;
  }

  receive(data: Uint8Array): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
}

describe("frames on a stream", () => {
  let held: HeldStream;
  let frames: FrameStream;
  const budget = new CollectingBudget(200_000);
  const ends: string[] = [];

  const open = (stream: HeldStream): FrameStream =>
    new FrameStream(
      stream as unknown as Stream,
      {
        onFrame: () => undefined,
        onClosed: (detail) => ends.push(detail),
        onMalformed: (malformation) => ends.push(malformation),
      },
      budget,
    );

  beforeEach(() => {
    vi.useFakeTimers();
    ends.length = 0;
    held = new HeldStream();
    frames = open(held);
  });
  afterEach(() => {
    frames.abort("the end of the test");
    vi.useRealTimers();
  });

  it("that has been finished gets to its end: it is not broken off behind its last frame", () => {
    frames.send(notice(10));
    frames.finish();
    vi.runAllTimers();
    expect(held.sent).toHaveLength(1);
    expect({ aborted: held.aborted, ends }).toEqual({ aborted: undefined, ends: [] });
  });

  it("go out together at the end of a turn, and large payloads without a copy of their own", () => {
    for (let at = 0; at < 100; at += 1) frames.send(notice(10));
    expect(held.sent).toEqual([]);
    vi.runAllTimers();
    const all = Buffer.concat(Array.from({ length: 100 }, () => encodeFrame(notice(10))));
    expect(held.sent.map((part) => Buffer.compare(part, all))).toEqual([0]);
    frames.send(notice(5));
    frames.send(notice(50_000));
    frames.send(notice(5));
    vi.runAllTimers();
    const rest = Buffer.concat([5, 50_000, 5].map((bytes) => encodeFrame(notice(bytes))));
    expect(held.sent).toHaveLength(4);
    expect(Buffer.compare(Buffer.concat(held.sent.slice(1)), rest)).toBe(0);
  });

  it("wait while the other end takes nothing, and tell when they have left", () => {
    const left: number[] = [];
    held.writableNeedsDrain = true;
    frames.send(notice(1), () => left.push(1));
    vi.advanceTimersByTime(29_000);
    expect([held.sent.length, left.length]).toEqual([0, 0]);
    held.drain();
    vi.advanceTimersByTime(1);
    expect([held.sent.length, left.length]).toEqual([1, 1]);
    vi.advanceTimersByTime(60_000);
    expect(held.aborted).toBeUndefined();
  });

  it("end a stream whose other end takes nothing for half a minute", () => {
    held.writableNeedsDrain = true;
    frames.send(notice(1));
    vi.advanceTimersByTime(29_999);
    expect(frames.isClosed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(held.aborted).toBe("the peer does not read");
    expect(ends).toEqual(["the peer does not read"]);
    frames.send(notice(1));
    held.drain();
    vi.runAllTimers();
    expect(held.sent).toEqual([]);
  });

  it("end a stream whose other end takes little, again and again", () => {
    held.writableNeedsDrain = true;
    held.writeBufferLength = 1_048_576;
    frames.send(notice(1));
    for (let second = 0; second < 30; second += 1) {
      expect(frames.isClosed).toBe(false);
      held.take(500);
      vi.advanceTimersByTime(1_000);
    }
    expect(held.aborted).toBe("the peer does not read");
  });

  it("go on for as long as the other end takes some", () => {
    held.writableNeedsDrain = true;
    held.writeBufferLength = 1_048_576;
    frames.send(notice(1));
    for (let second = 0; second < 600; second += 1) {
      held.take(1_000);
      vi.advanceTimersByTime(1_000);
    }
    expect(held.aborted).toBeUndefined();
  });

  it("end a stream whose other end takes nothing of the last one, which libp2p holds", () => {
    const told: string[] = [];
    frames.send(
      notice(50_000),
      () => {
        told.push("sent");
        held.writableNeedsDrain = true;
        held.writeBufferLength = 50_000;
      },
      () => told.push("gone"),
    );
    vi.advanceTimersByTime(29_999);
    expect(frames.isClosed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(held.aborted).toBe("the peer does not read");
    expect(told).toEqual(["sent"]);
  });

  it("tell when libp2p holds them no longer", () => {
    let isGone = false;
    const fill = (): void => {
      held.writableNeedsDrain = true;
    };
    frames.send(notice(1), fill, () => (isGone = true));
    vi.advanceTimersByTime(1);
    expect(isGone).toBe(false);
    held.drain();
    vi.advanceTimersByTime(60_000);
    expect({ isGone, aborted: held.aborted }).toEqual({ isGone: true, aborted: undefined });
  });

  it("end a stream on which too many bytes wait", () => {
    held.writableNeedsDrain = true;
    for (let at = 0; at < 39; at += 1) frames.send(notice(4 * 1_048_576));
    expect(frames.isClosed).toBe(false);
    frames.send(notice(4 * 1_048_576));
    expect(frames.isClosed).toBe(true);
  });

  it("that are begun and not ended make room for those of others", () => {
    const other = new HeldStream();
    open(other);
    const part = encodeFrame({ type: "reply", id: 1, payload: new Uint8Array(150_000) });
    held.receive(part.subarray(0, 70_000));
    other.receive(part.subarray(0, 70_000));
    expect(held.aborted).toBe("no room for its frame");
    expect(other.aborted).toBeUndefined();
    other.receive(part.subarray(70_000));
    held = other;
  });
});
