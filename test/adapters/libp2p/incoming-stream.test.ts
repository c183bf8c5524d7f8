import { describe, expect, it } from "vitest";
import {
  IncomingStream,
  type ReceiveBudgets,
} from "../../../src/adapters/libp2p/incoming-stream.ts";
import { CollectingBudget, MemoryBudget } from "../../../src/adapters/libp2p/memory-budget.ts";
import { until } from "../../support/until.ts";
import { FakeStream } from "./fake-stream.ts";

const replyBytes = 60;

/** The other end asks. */
function ask(stream: FakeStream, id: number): void {
  stream.hear({ type: "request", id, kind: 1, payload: Uint8Array.of(1) });
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
    new IncomingStream(stream.asStream, budgets, serve, unexpected, () => undefined);
    await until("the grant", () => stream.sentBytes > 0);
    stream.sentBytes = 0;
    return stream;
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("give way to those of others, the ones first of which none has been for the longest time", async () => {
    const [slow, silent, reader] = [await open(), await open(), await open()];
    for (const stream of [slow, silent]) stream.writableNeedsDrain = true;
    ask(slow, 0);
    await turn();
    ask(silent, 0);
    await turn();
    slow.readOn();
    await until("a reply", () => slow.sentBytes > replyBytes);
    slow.writableNeedsDrain = true;
    ask(slow, 1);
    await turn();
    ask(reader, 0);
    await until("the reader's reply", () => reader.sentBytes > replyBytes);
    expect([slow.status, silent.status, reader.status]).toEqual(["open", "aborted", "open"]);
  });

  it("count until they are gone: also the last one, which libp2p has taken and its reader has not", async () => {
    const streams = [await open(), await open(), await open()];
    for (const stream of streams) {
      stream.takesUp = true;
      ask(stream, 0);
      await until("a reply", () => stream.sentBytes > replyBytes);
    }
    expect(streams.map(({ status }) => status)).toEqual(["aborted", "open", "open"]);
  });
});
