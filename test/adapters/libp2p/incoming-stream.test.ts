import { StreamMessageEvent, type Stream } from "@libp2p/interface";
import { describe, expect, it } from "vitest";
import { encodeFrame } from "../../../src/adapters/libp2p/frame-codec.ts";
import {
  IncomingStream,
  type ReceiveBudgets,
} from "../../../src/adapters/libp2p/incoming-stream.ts";
import { CollectingBudget, MemoryBudget } from "../../../src/adapters/libp2p/memory-budget.ts";
import { until } from "../../support/until.ts";

const replyBytes = 60;

/** A stream of libp2p whose other end asks, and reads or does not. */
class FakeStream extends EventTarget {
  status = "open";
  writeStatus = "writable";
  writableNeedsDrain = false;
  writeBufferLength = 0;
  sentBytes = 0;
  /** Whether what is sent stays in the stream. */
  takesUp = false;

  send(data: Uint8Array): boolean {
    this.sentBytes += data.length;
    this.writableNeedsDrain = this.takesUp;
    return true;
  }

  abort(): void {
    this.status = "aborted";
  }

  ask(id: number): void {
    const frame = encodeFrame({ type: "request", id, kind: 1, payload: Uint8Array.of(1) });
    this.dispatchEvent(new StreamMessageEvent(frame));
  }

  readOn(): void {
    this.writableNeedsDrain = false;
    this.dispatchEvent(new Event("drain"));
  }
}

describe("replies that are not taken away", () => {
  const budgets: ReceiveBudgets = {
    collecting: new CollectingBudget(1_000),
    service: new MemoryBudget(1_000),
    replies: new CollectingBudget(2.5 * replyBytes),
  };
  const open = async (): Promise<FakeStream> => {
    const stream = new FakeStream();
    const reply = { kind: "reply", payload: new Uint8Array(replyBytes) } as const;
    const unexpected = (): void => expect.unreachable();
    const serve = (): Promise<typeof reply> => Promise.resolve(reply);
    new IncomingStream(stream as unknown as Stream, budgets, serve, unexpected, () => undefined);
    await until("the grant", () => stream.sentBytes > 0);
    stream.sentBytes = 0;
    return stream;
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("give way to those of others, the ones first of which none has been for the longest time", async () => {
    const [slow, silent, reader] = [await open(), await open(), await open()];
    for (const stream of [slow, silent]) stream.writableNeedsDrain = true;
    slow.ask(0);
    await turn();
    silent.ask(0);
    await turn();
    slow.readOn();
    await until("a reply", () => slow.sentBytes > replyBytes);
    slow.writableNeedsDrain = true;
    slow.ask(1);
    await turn();
    reader.ask(0);
    await until("the reader's reply", () => reader.sentBytes > replyBytes);
    expect([slow.status, silent.status, reader.status]).toEqual(["open", "aborted", "open"]);
  });

  it("count until they are gone: also the last one, which libp2p has taken and its reader has not", async () => {
    const streams = [await open(), await open(), await open()];
    for (const stream of streams) {
      stream.takesUp = true;
      stream.ask(0);
      await until("a reply", () => stream.sentBytes > replyBytes);
    }
    expect(streams.map(({ status }) => status)).toEqual(["aborted", "open", "open"]);
  });
});
