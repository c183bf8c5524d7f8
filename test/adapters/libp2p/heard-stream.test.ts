import type { Stream } from "@libp2p/interface";
import { StreamCloseEvent, StreamMessageEvent } from "@libp2p/interface";
import { describe, expect, it } from "vitest";
import { heardStream } from "../../../src/adapters/libp2p/heard-stream.ts";

/** A stream as libp2p has it: what comes while it is paused waits for the next `resume`, which tells of it at once. */
class FakeStream extends EventTarget {
  status = "open";
  readStatus = "readable";
  readonly unread: Uint8Array[] = [];

  come(byte: number): void {
    const data = Uint8Array.of(byte);
    if (this.readStatus === "paused") this.unread.push(data);
    else this.dispatchEvent(new StreamMessageEvent(data));
  }

  pause(): void {
    this.readStatus = "paused";
  }

  resume(): void {
    this.readStatus = "readable";
    for (const data of this.unread.splice(0)) this.dispatchEvent(new StreamMessageEvent(data));
  }

  end(error?: Error): void {
    this.status = error ? "aborted" : "closed";
    this.dispatchEvent(new StreamCloseEvent(true, error));
  }
}

function read(stream: FakeStream): AsyncIterator<{ subarray(): Uint8Array }> {
  return heardStream(stream as unknown as Stream)[Symbol.asyncIterator]();
}

/** The byte of the next piece; nothing at the end. */
async function next(
  pieces: AsyncIterator<{ subarray(): Uint8Array }>,
): Promise<number | undefined> {
  const result = await pieces.next();
  return result.done === true ? undefined : result.value.subarray()[0];
}

describe("a stream that is read as fast as somebody takes from it", () => {
  it("takes in one piece, and no more until it is asked for", async () => {
    const stream = new FakeStream();
    const pieces = read(stream);
    const first = next(pieces);
    for (const byte of [1, 2, 3]) stream.come(byte);
    expect(await first).toBe(1);
    expect(stream.unread).toHaveLength(2);
    stream.come(4);
    expect(stream.unread).toHaveLength(3);
    expect(await next(pieces)).toBe(2);
    stream.come(5);
    expect(stream.unread).toHaveLength(1);
    expect([await next(pieces), await next(pieces), await next(pieces)]).toEqual([3, 4, 5]);
    const last = next(pieces);
    stream.come(6);
    expect(await last).toBe(6);
  });

  it("gives what has come before its end, and then its error", async () => {
    for (const error of [undefined, new Error("reset")]) {
      const stream = new FakeStream();
      const pieces = read(stream);
      const first = next(pieces);
      stream.come(1);
      expect(await first).toBe(1);
      const rest = next(pieces);
      stream.end(error);
      if (error) await expect(rest).rejects.toBe(error);
      else expect(await rest).toBeUndefined();
    }
  });
});
