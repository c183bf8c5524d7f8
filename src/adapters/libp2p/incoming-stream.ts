import type { Stream } from "@libp2p/interface";
import { invariant } from "../../core/errors.ts";
import type { OverlayOutcome } from "../../ports/overlay.ts";
import { payloadBytesMax, wireMillis, type Frame, type Malformation } from "./frame-codec.ts";
import type { CollectingBudget, Collector, MemoryBudget } from "./memory-budget.ts";
import { FrameStream, type FrameListener } from "./frame-stream.ts";

/** What a member does with a request: an answer, or nothing where the stream is to be closed. */
export type Service = (
  kind: number,
  payload: Uint8Array,
) => Promise<Extract<OverlayOutcome, { readonly kind: "reply" | "busy" | "refused" }> | undefined>;

/** What a receiver counts against a peer. */
export type Violation = Malformation | "unexpected" | "flood";

/** What all streams together may hold. */
export interface ReceiveBudgets {
  /** Frames that are not complete. */
  readonly collecting: CollectingBudget;
  /** Requests in service. */
  readonly service: MemoryBudget;
  /** Replies that are not sent. Where there is no room for more, who has taken none away for the longest time loses its own. */
  readonly replies: CollectingBudget;
}

/** When all streams together hold too much, it is over about as soon as the slowest disk has caught up. */
const fullRetryMs = 1_000;

/** Requests of one stream in service at once: enough that small ones fill the messages that they travel in. */
export const windowRequests = 32;

/** Bytes of these requests: ten milliseconds at 1 Gbit/s. One larger request goes alone. */
export const windowBytes = 1_048_576;

/**
 * The stream on which one member asks: it serves requests in the order in which they arrive, and answers in the order
 * in which they are done.
 *
 * A request's place in the window is free again when its answer has left this process's queue, not before, so a sender
 * that does not read its answers can make this member hold no more than a window of them.
 *
 * Invariant: never more in service than granted; a sender that sends more is cut off.
 */
export class IncomingStream implements FrameListener, Collector {
  readonly #service: Service;
  readonly #onViolation: (violation: Violation) => void;
  readonly #onEnd: () => void;
  readonly #memory: MemoryBudget;
  readonly #replies: CollectingBudget;
  readonly #frames: FrameStream;
  #nextId = 0;
  #requestsInService = 0;
  #bytesInService = 0;
  /** Of replies that are made and not taken away. */
  #unsentBytes = 0;

  constructor(
    stream: Stream,
    budgets: ReceiveBudgets,
    service: Service,
    onViolation: (violation: Violation) => void,
    onEnd: () => void,
  ) {
    this.#service = service;
    this.#onViolation = onViolation;
    this.#onEnd = onEnd;
    this.#memory = budgets.service;
    this.#replies = budgets.replies;
    this.#frames = new FrameStream(stream, this, budgets.collecting);
    this.#frames.send({ type: "grant", requests: windowRequests, bytes: windowBytes });
  }

  close(detail: string): void {
    this.#frames.abort(detail);
  }

  evict(): void {
    this.#frames.abort("no room for its replies");
  }

  onFrame(frame: Frame): void {
    if (frame.type !== "request" || frame.id !== this.#nextId) {
      this.#reject("unexpected");
      return;
    }
    const bytes = frame.payload.length;
    const isAlone = this.#requestsInService === 0;
    const isOverBytes = this.#bytesInService + bytes > windowBytes && !isAlone;
    if (this.#requestsInService >= windowRequests || isOverBytes) {
      this.#reject("flood");
      return;
    }
    this.#nextId += 1;
    this.#requestsInService += 1;
    this.#bytesInService += bytes;
    this.#serve(frame.kind, frame.payload).then(
      (outcome) => this.#answer(frame.id, bytes, outcome),
      throwLater,
    );
  }

  onClosed(): void {
    this.#replies.release(this);
    this.#onEnd();
  }

  onMalformed(malformation: Malformation): void {
    this.#onViolation(malformation);
  }

  async #serve(kind: number, payload: Uint8Array): ReturnType<Service> {
    if (!this.#memory.take(payload.length)) return { kind: "busy", retryAfterMs: fullRetryMs };
    const outcome = await this.#service(kind, payload);
    this.#memory.give(payload.length);
    return outcome;
  }

  #answer(id: number, bytes: number, outcome: Awaited<ReturnType<Service>>): void {
    if (this.#frames.isClosed) return;
    const replyBytes = outcome?.kind === "reply" ? outcome.payload.length : 0;
    if (outcome === undefined) {
      this.#frames.abort("the request was rejected");
      return;
    }
    this.#hold(replyBytes);
    const onSent = (): void => {
      this.#requestsInService -= 1;
      this.#bytesInService -= bytes;
    };
    this.#frames.send(answerFrame(id, outcome), onSent, () => {
      // Behind those who have taken nothing away since.
      this.#replies.release(this);
      this.#hold(-replyBytes);
    });
  }

  #hold(moreBytes: number): void {
    this.#unsentBytes += moreBytes;
    const isHeld = this.#unsentBytes > 0 && !this.#frames.isClosed;
    if (isHeld) this.#replies.hold(this, this.#unsentBytes);
  }

  #reject(violation: Violation): void {
    this.#onViolation(violation);
    this.#frames.abort(violation);
  }
}

function answerFrame(id: number, outcome: NonNullable<Awaited<ReturnType<Service>>>): Frame {
  switch (outcome.kind) {
    case "reply":
      invariant(outcome.payload.length <= payloadBytesMax, "a reply of over 4 MiB");
      return { type: "reply", id, payload: outcome.payload };
    case "busy":
      return { type: "busy", id, retryAfterMs: wireMillis(outcome.retryAfterMs) };
    case "refused":
      return { type: "refused", id, detail: outcome.detail };
  }
}

/** A bug: it stops the process, as it would outside a promise. */
function throwLater(bug: unknown): void {
  setImmediate(() => {
    throw bug;
  });
}
