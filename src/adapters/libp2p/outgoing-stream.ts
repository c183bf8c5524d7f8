import type { Stream } from "@libp2p/interface";
import type { OverlayOutcome } from "../../ports/overlay.ts";
import type { Frame, Malformation } from "./frame-codec.ts";
import { FrameStream, type FrameListener } from "./frame-stream.ts";
import { windowBytes, windowRequests } from "./incoming-stream.ts";
import type { CollectingBudget } from "./memory-budget.ts";

/** A request on its way, from its sender's point of view. */
export interface PendingRequest {
  readonly kind: number;
  readonly payload: Uint8Array;
  /** Whether the sender still waits; one that has given up before it was sent never is. */
  readonly isWaiting: boolean;
  /** Gives the sender its outcome; the first one counts. */
  settle(outcome: OverlayOutcome): void;
}

/** How an attempt to open a stream can end. */
export type OpenedStream =
  | { readonly kind: "opened"; readonly stream: Stream }
  | Extract<OverlayOutcome, { readonly kind: "unreachable" | "refused" }>;

/** What became of a stream: told once. */
export interface OutgoingStreamListener {
  onEnd(): void;
  /** Called when a request was turned away since too many wait. */
  onFull(): void;
  onMalformed(malformation: Malformation | "unexpected"): void;
}

/** Requests that wait for a window: a few seconds of the busiest class. What comes on top is answered `busy`. */
const waitingRequestsMax = 16_384;

/** Of their payloads: a receiver that has stopped costs its senders no more. */
const waitingBytesMax = 64 * 1_048_576;

/** A queue of this member that is full is empty again within about this time, or its receiver is in trouble. */
const fullRetryMs = 250;

/** Places at the head of the queue that are empty before it is copied together. */
const headMax = 1_024;

/**
 * The stream of one class of requests to one member, from before it is opened until it ends.
 *
 * Credit holds the sender back: nothing is sent before the receiver has granted a window, and no more is in service than
 * that allows, nor than an honest receiver does; a request of more bytes than the window goes alone. A request that its sender has given up keeps its
 * place in the window until the receiver is done with it, since it is the receiver that has no room.
 *
 * Invariant: requests leave in the order of the calls, at most once each; each is settled.
 */
export class OutgoingStream implements FrameListener {
  readonly #listener: OutgoingStreamListener;
  readonly #inService = new Map<number, PendingRequest>();
  #queue: (PendingRequest | undefined)[] = [];
  #head = 0;
  #queuedBytes = 0;
  #bytesInService = 0;
  #windowRequests = 0;
  #windowBytes = 0;
  #nextId = 0;
  #frames: FrameStream | undefined;
  #isClosed = false;

  constructor(
    open: Promise<OpenedStream>,
    collecting: CollectingBudget,
    listener: OutgoingStreamListener,
  ) {
    this.#listener = listener;
    open.then(
      (opened) => {
        if (opened.kind !== "opened") this.#end(opened);
        else if (this.#isClosed) opened.stream.abort(new Error("no longer needed"));
        else this.#frames = new FrameStream(opened.stream, this, collecting);
      },
      () => this.#end({ kind: "unreachable", detail: "the stream could not be opened" }),
    );
  }

  /** Nothing more can be asked on it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(request: PendingRequest): void {
    const isFull =
      this.#waitingRequests >= waitingRequestsMax || this.#queuedBytes > waitingBytesMax;
    if (isFull) this.#forgetGivenUp();
    if (
      this.#waitingRequests >= waitingRequestsMax ||
      this.#queuedBytes + request.payload.length > waitingBytesMax
    ) {
      this.#listener.onFull();
      request.settle({ kind: "busy", retryAfterMs: fullRetryMs });
      return;
    }
    this.#queue.push(request);
    this.#queuedBytes += request.payload.length;
    this.#pump();
  }

  /** Ends everything under way. */
  close(detail: string): void {
    this.#end({ kind: "unreachable", detail });
  }

  onFrame(frame: Frame): void {
    switch (frame.type) {
      case "grant":
        this.#windowRequests = Math.min(frame.requests, windowRequests);
        this.#windowBytes = Math.min(frame.bytes, windowBytes);
        this.#pump();
        return;
      case "reply":
        this.#finish(frame.id, { kind: "reply", payload: frame.payload });
        return;
      case "busy":
        this.#finish(frame.id, { kind: "busy", retryAfterMs: frame.retryAfterMs });
        return;
      case "refused":
        this.#finish(frame.id, { kind: "refused", detail: frame.detail });
        return;
      case "request":
      case "notice":
        this.#reject();
    }
  }

  onClosed(detail: string): void {
    this.#end({ kind: "unreachable", detail });
  }

  onMalformed(malformation: Malformation): void {
    this.#listener.onMalformed(malformation);
  }

  get #waitingRequests(): number {
    return this.#queue.length - this.#head;
  }

  #pump(): void {
    while (this.#frames && !this.#isClosed && this.#inService.size < this.#windowRequests) {
      const next = this.#queue[this.#head];
      if (next === undefined) break;
      const bytes = this.#bytesInService + next.payload.length;
      if (next.isWaiting && bytes > this.#windowBytes && this.#inService.size > 0) break;
      // Its payload is kept no longer than it counts.
      this.#queue[this.#head] = undefined;
      this.#head += 1;
      this.#queuedBytes -= next.payload.length;
      if (next.isWaiting) this.#send(this.#frames, next);
    }
    if (this.#head < headMax && this.#head < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  #send(frames: FrameStream, request: PendingRequest): void {
    const { kind, payload } = request;
    const id = this.#nextId;
    this.#nextId += 1;
    this.#inService.set(id, request);
    this.#bytesInService += payload.length;
    frames.send({ type: "request", id, kind, payload });
  }

  #finish(id: number, outcome: OverlayOutcome): void {
    const request = this.#inService.get(id);
    if (request === undefined) {
      this.#reject();
      return;
    }
    this.#inService.delete(id);
    this.#bytesInService -= request.payload.length;
    request.settle(outcome);
    this.#pump();
  }

  #reject(): void {
    this.#listener.onMalformed("unexpected");
    this.close("an unexpected frame");
  }

  #forgetGivenUp(): void {
    const waiting = this.#queued().filter(({ isWaiting }) => isWaiting);
    this.#queue = waiting;
    this.#head = 0;
    this.#queuedBytes = waiting.reduce((sum, { payload }) => sum + payload.length, 0);
  }

  #queued(): PendingRequest[] {
    return this.#queue.slice(this.#head).filter((request) => request !== undefined);
  }

  #end(outcome: OverlayOutcome): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#frames?.abort("no longer needed");
    const ended = [...this.#inService.values(), ...this.#queued()];
    this.#inService.clear();
    this.#queue = [];
    this.#head = 0;
    this.#listener.onEnd();
    for (const request of ended) request.settle(outcome);
  }
}
