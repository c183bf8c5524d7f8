import type { Millis } from "../../src/core/units.ts";
import { hostOf } from "../../src/core/url/site-of.ts";
import type { FetchFailed, Fetcher, FetchOutcome, FetchRequest } from "../../src/ports/fetcher.ts";
import type { VirtualProcess } from "./virtual-process.ts";
import type { VirtualWeb, WebReply } from "./virtual-web.ts";

const noBytes = new Uint8Array(0);

/**
 * Fetches for one process from the virtual web.
 *
 * A request that has left arrives, whatever becomes of the process; where that has ended, nobody hears the answer.
 */
export class VirtualFetcher implements Fetcher {
  readonly #web: VirtualWeb;
  readonly #process: VirtualProcess;
  /** How to give up each request under way. */
  readonly #underWay = new Set<() => void>();
  #hasStopped = false;

  constructor(web: VirtualWeb, process: VirtualProcess) {
    this.#web = web;
    this.#process = process;
  }

  fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchOutcome> {
    const startedAtMs = this.#process.clock.nowMs();
    if (!this.#process.isAlive) return new Promise(() => undefined);
    if (signal.aborted || this.#hasStopped || request.isLate?.() === true) {
      return this.#process.answer(() => failed("aborted", startedAtMs, startedAtMs));
    }
    return new Promise((resolve) => {
      let isOver = false;
      const end = (outcome: FetchOutcome): void => {
        if (isOver) return;
        isOver = true;
        cancel();
        this.#underWay.delete(abandon);
        resolve(outcome);
      };
      const fail = (failure: FetchFailed["failure"]): void =>
        end(failed(failure, startedAtMs, this.#process.clock.nowMs()));
      const abandon = (): void => fail("aborted");
      const giveUp = (): void => fail(signal.aborted ? "aborted" : "total-timeout");
      const cancel = this.#process.call(request.limits.totalTimeoutMs, giveUp, signal);
      this.#underWay.add(abandon);
      this.#send(request, startedAtMs, end, fail);
    });
  }

  stop(): Promise<void> {
    this.#hasStopped = true;
    for (const abandon of [...this.#underWay]) abandon();
    return this.#process.answer(() => undefined);
  }

  #send(
    request: FetchRequest,
    startedAtMs: Millis,
    end: (outcome: FetchOutcome) => void,
    fail: (failure: FetchFailed["failure"]) => void,
  ): void {
    const { url, address, headers, limits } = request;
    const { peer, generation, trueClock } = this.#process;
    if (!this.#web.isReachedBy(peer)) {
      this.#process.call(limits.connectTimeoutMs, () => fail("connect-timeout"));
      return;
    }
    const roundTripMs = this.#web.roundTripMs(url);
    const sentAtMs = trueClock.nowMs();
    trueClock.call(roundTripMs / 2, () => {
      const reply = this.#web.receive({
        url,
        host: hostOf(url),
        address,
        peer,
        generation,
        sentAtMs,
        headers,
      });
      const waitMs = reply.endMs - trueClock.nowMs() + roundTripMs / 2;
      if (waitMs > limits.headTimeoutMs) {
        this.#process.call(limits.headTimeoutMs, () => fail("head-timeout"));
      } else {
        trueClock.call(waitMs, () =>
          this.#process.notice(() => {
            if (reply.failure !== undefined) fail(reply.failure);
            else end(this.#response(request, reply, startedAtMs));
          }),
        );
      }
    });
  }

  #response(request: FetchRequest, reply: WebReply, startedAtMs: Millis): FetchOutcome {
    const nowMs = this.#process.clock.nowMs();
    const { status, headers } = reply;
    const typeAt = headers.indexOf("content-type");
    const bodyRead = request.wantsBody(status, typeAt < 0 ? undefined : headers[typeAt + 1]);
    const body = bodyRead ? reply.body : noBytes;
    return {
      kind: "response",
      status,
      httpVersion: "1.1",
      statusText: "",
      headers,
      requestHeaders: [],
      encodedBody: body,
      body,
      bodyRead,
      startedAtMs,
      headAtMs: nowMs,
      finishedAtMs: nowMs,
    };
  }
}

function failed(
  failure: FetchFailed["failure"],
  startedAtMs: Millis,
  finishedAtMs: Millis,
): FetchFailed {
  return { kind: "failure", failure, detail: "", startedAtMs, finishedAtMs };
}
