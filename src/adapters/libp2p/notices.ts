import type { Stream } from "@libp2p/interface";
import type { Frame } from "./frame-codec.ts";
import { noticeBytesMax } from "./frame-codec.ts";
import { FrameStream, type FrameListener } from "./frame-stream.ts";
import type { CollectingBudget } from "./memory-budget.ts";
import type { OpenedStream } from "./outgoing-stream.ts";
import type { Violation } from "./incoming-stream.ts";

/** A notice's longest frame. */
const frameBytesMax = noticeBytesMax + 8;

/** Notices that wait for a stream to be opened: a round of a few probes. Others are lost, as notices may be. */
const waitingMax = 32;

/** Notices to one member, from before their stream is opened until it ends. What does not fit is dropped. */
export class NoticeSender implements FrameListener {
  readonly #onEnd: () => void;
  readonly #onDropped: () => void;
  readonly #waiting: Uint8Array[] = [];
  #frames: FrameStream | undefined;
  #isClosed = false;

  constructor(
    open: Promise<OpenedStream>,
    collecting: CollectingBudget,
    onEnd: () => void,
    onDropped: () => void,
  ) {
    this.#onEnd = onEnd;
    this.#onDropped = onDropped;
    open.then(
      (opened) => {
        if (opened.kind !== "opened") this.onClosed();
        else if (this.#isClosed) opened.stream.abort(new Error("no longer needed"));
        else this.#begin(opened.stream, collecting);
      },
      () => this.onClosed(),
    );
  }

  send(payload: Uint8Array): void {
    if (this.#isClosed || this.#frames?.isCongested || this.#waiting.length >= waitingMax) {
      this.#onDropped();
    } else if (this.#frames) this.#frames.send({ type: "notice", payload });
    else this.#waiting.push(payload);
  }

  close(): void {
    this.onClosed();
    this.#frames?.abort("no longer needed");
  }

  onFrame(): void {
    this.#frames?.abort("an unexpected frame");
  }

  onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting.splice(0).forEach(() => this.#onDropped());
    this.#onEnd();
  }

  onMalformed(): void {
    // The stream is closed; nothing of worth was lost.
  }

  #begin(stream: Stream, collecting: CollectingBudget): void {
    this.#frames = new FrameStream(stream, this, collecting, frameBytesMax);
    for (const payload of this.#waiting.splice(0)) this.#frames.send({ type: "notice", payload });
  }
}

/** Notices of one member. */
export class NoticeReceiver implements FrameListener {
  readonly #onNotice: (payload: Uint8Array) => void;
  readonly #onViolation: (violation: Violation) => void;
  readonly #onEnd: () => void;
  readonly #frames: FrameStream;

  constructor(
    stream: Stream,
    collecting: CollectingBudget,
    onNotice: (payload: Uint8Array) => void,
    onViolation: (violation: Violation) => void,
    onEnd: () => void,
  ) {
    this.#onNotice = onNotice;
    this.#onViolation = onViolation;
    this.#onEnd = onEnd;
    this.#frames = new FrameStream(stream, this, collecting, frameBytesMax);
  }

  close(detail: string): void {
    this.#frames.abort(detail);
  }

  onFrame(frame: Frame): void {
    if (frame.type === "notice") this.#onNotice(frame.payload);
    else {
      this.#onViolation("unexpected");
      this.#frames.abort("an unexpected frame");
    }
  }

  onClosed(): void {
    this.#onEnd();
  }

  onMalformed(malformation: Violation): void {
    this.#onViolation(malformation);
  }
}
