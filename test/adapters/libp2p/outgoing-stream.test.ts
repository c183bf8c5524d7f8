import { describe, expect, it } from "vitest";
import { windowBytes, windowRequests } from "../../../src/adapters/libp2p/incoming-stream.ts";
import { CollectingBudget } from "../../../src/adapters/libp2p/memory-budget.ts";
import { NoticeSender } from "../../../src/adapters/libp2p/notices.ts";
import {
  OutgoingStream,
  type OpenedStream,
  type PendingRequest,
} from "../../../src/adapters/libp2p/outgoing-stream.ts";
import type { OverlayOutcome } from "../../../src/ports/overlay.ts";
import { heapBytes } from "../../support/heap-bytes.ts";
import { FakeStream } from "./fake-stream.ts";

const budget = new CollectingBudget(1_000);
const refusal = { kind: "refused", detail: "no" } as const;

/** Requests, and what became of each. */
class Requests {
  readonly outcomes: OverlayOutcome[] = [];
  ends = 0;
  turnedAway = 0;
  readonly opening = Promise.withResolvers<OpenedStream>();
  readonly stream = new OutgoingStream(this.opening.promise, budget, {
    onEnd: () => (this.ends += 1),
    onFull: () => (this.turnedAway += 1),
    onMalformed: () => undefined,
  });

  add(bytes = 1): PendingRequest & { isWaiting: boolean } {
    const request = {
      kind: 1,
      payload: new Uint8Array(bytes),
      isWaiting: true,
      settle: (outcome: OverlayOutcome) => {
        request.isWaiting = false;
        this.outcomes.push(outcome);
      },
    };
    this.stream.add(request);
    return request;
  }
}

describe("requests that wait for their stream", () => {
  it("are ended by what keeps it from being opened", async () => {
    const requests = new Requests();
    requests.add();
    requests.add();
    requests.opening.resolve(refusal);
    await requests.opening.promise;
    expect(requests.outcomes).toEqual([refusal, refusal]);
    expect(requests.ends).toBe(1);
    expect(requests.stream.isClosed).toBe(true);
  });

  it("are told to come later when too many wait", () => {
    const requests = new Requests();
    for (let at = 0; at < 16_384; at += 1) requests.add();
    expect(requests.outcomes).toEqual([]);
    requests.add();
    expect(requests.outcomes).toEqual([{ kind: "busy", retryAfterMs: 250 }]);
    expect(requests.turnedAway).toBe(1);
  });

  it("are told to come later when too many bytes wait", () => {
    const requests = new Requests();
    for (let at = 0; at < 16; at += 1) requests.add(4 * 1_048_576);
    expect(requests.outcomes).toEqual([]);
    requests.add();
    expect(requests.outcomes).toMatchObject([{ kind: "busy" }]);
  });

  it("make room when their senders give up", () => {
    const requests = new Requests();
    const waiting = Array.from({ length: 16_384 }, () => requests.add());
    for (const request of waiting) request.isWaiting = false;
    for (let at = 0; at < 16_384; at += 1) requests.add();
    expect(requests.outcomes).toEqual([]);
    requests.stream.close("enough");
    expect(requests.outcomes).toHaveLength(16_384);
  });
});

describe("a window", () => {
  const endless = 2 ** 40;

  async function opened(): Promise<{ requests: Requests; stream: FakeStream }> {
    const requests = new Requests();
    const stream = new FakeStream();
    requests.opening.resolve({ kind: "opened", stream: stream.asStream });
    await requests.opening.promise;
    return { requests, stream };
  }

  it("is no larger than one that a member grants, whatever the other end says", async () => {
    for (const [bytes, fitting] of [
      [1_000, windowRequests],
      [windowBytes / 4, 4],
    ] as const) {
      const { requests, stream } = await opened();
      stream.hear({ type: "grant", requests: endless, bytes: endless });
      for (let at = 0; at < windowRequests + 9; at += 1) requests.add(bytes);
      await new Promise((resolve) => setImmediate(resolve));
      // Each has a head, of a few bytes.
      expect(Math.floor(stream.sentBytes / bytes)).toBe(fitting);
    }
  });

  it("that stays full costs no more than what waits for it", async () => {
    const { requests, stream } = await opened();
    stream.hear({ type: "grant", requests: windowRequests, bytes: 1 });
    requests.add();
    const bytesBefore = heapBytes();
    // Each finds the window full, and is passed over by the next one.
    for (let at = 0; at < 200; at += 1) requests.add(1_048_576).isWaiting = false;
    expect(heapBytes() - bytesBefore).toBeLessThan(100 * 1_048_576);
    requests.stream.close("enough");
  });
});

describe("notices that wait for their stream", () => {
  it("are few; what does not fit is dropped, and all when there is none", async () => {
    const opening = Promise.withResolvers<OpenedStream>();
    const lost = { dropped: 0, ends: 0 };
    const sender = new NoticeSender(
      opening.promise,
      budget,
      () => (lost.ends += 1),
      () => (lost.dropped += 1),
    );
    for (let at = 0; at < 40; at += 1) sender.send(Uint8Array.of(at));
    expect(lost).toEqual({ dropped: 8, ends: 0 });
    opening.resolve(refusal);
    await opening.promise;
    expect(lost).toEqual({ dropped: 40, ends: 1 });
    sender.send(Uint8Array.of(1));
    expect(lost).toEqual({ dropped: 41, ends: 1 });
  });
});
