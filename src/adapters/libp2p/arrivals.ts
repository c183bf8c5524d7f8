import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, Stream } from "@libp2p/interface";
import { invariant, InvariantError } from "../../core/errors.ts";
import type { MemberId, Millis } from "../../core/units.ts";
import type { OverlayHandler } from "../../ports/overlay.ts";
import { payloadBytesMax } from "./frame-codec.ts";
import {
  IncomingStream,
  type ReceiveBudgets,
  type Service,
  type Violation,
} from "./incoming-stream.ts";
import { memberAt } from "./links.ts";
import { CollectingBudget, MemoryBudget } from "./memory-budget.ts";
import { NoticeReceiver } from "./notices.ts";
import { RateLimit } from "./rate-limit.ts";

/** What arrivals need of the rest. */
export interface ArrivalPorts {
  /** Whether the two ends have greeted each other; waits until that is known. */
  isGreeted(connection: Connection): Promise<boolean>;
  onNotice(member: MemberId, payload: Uint8Array): void;
  onNoticeDropped(): void;
  /** A reply is longer than any may be; the sender of the request is told so in its place. */
  onReplyTooLong(member: MemberId, kind: number, bytes: number): void;
  nowMs(): Millis;
  onViolation(member: MemberId, violation: Violation): void;
}

/** Of requests in service, and of replies that are not taken away, by all members. */
const serviceBytesMax = 64 * 1_048_576;
const replyBytesMax = 192 * 1_048_576;

/** Of peers that have not greeted yet, and whose bytes nobody reads until then. A member greets before it opens any. */
const waitingStreamsMax = 256;

/** A member opens four, and again one for each bad request; who opens more waits. */
const openingsPerSecondMax = 16;
const throttleMs = 1_000;

/** Of one member's notices; a member needs some hundred a second at most. */
const noticeBytesPerSecondMax = 4 * 1_048_576;

/** What a notice costs besides its bytes. */
const noticeCostBytes = 1_024;

interface Closable {
  close(detail: string): void;
}

/** The streams that others have opened, and what is done with what comes on them. */
export class Arrivals {
  readonly #ports: ArrivalPorts;
  readonly #budgets: ReceiveBudgets;
  readonly #waiting = new CollectingBudget(waitingStreamsMax);
  readonly #openings = new RateLimit(openingsPerSecondMax);
  readonly #notices = new RateLimit(noticeBytesPerSecondMax);
  readonly #handlers = new Map<number, OverlayHandler>();
  readonly #open = new Set<Closable>();

  constructor(ports: ArrivalPorts, collecting: CollectingBudget) {
    this.#ports = ports;
    this.#budgets = {
      collecting,
      service: new MemoryBudget(serviceBytesMax),
      replies: new CollectingBudget(replyBytesMax),
    };
  }

  serve(kind: number, handler: OverlayHandler): void {
    invariant(!this.#handlers.has(kind), `a second handler of kind ${kind}`);
    this.#handlers.set(kind, handler);
  }

  /** Takes in a stream of requests. */
  async requests(stream: Stream, connection: Connection): Promise<void> {
    if (!(await this.#isWelcome(stream, connection))) return;
    const member = memberAt(connection);
    const incoming: IncomingStream = new IncomingStream(
      stream,
      this.#budgets,
      this.#serviceFor(member),
      (violation) => this.#ports.onViolation(member, violation),
      () => this.#open.delete(incoming),
    );
    this.#open.add(incoming);
  }

  /** Takes in a stream of notices. */
  async notices(stream: Stream, connection: Connection): Promise<void> {
    if (!(await this.#isWelcome(stream, connection))) return;
    const member = memberAt(connection);
    const receiver: NoticeReceiver = new NoticeReceiver(
      stream,
      this.#budgets.collecting,
      (payload) => this.#takeNotice(member, payload),
      (violation) => this.#ports.onViolation(member, violation),
      () => this.#open.delete(receiver),
    );
    this.#open.add(receiver);
  }

  /** Ends everything under way. */
  close(detail: string): void {
    for (const one of [...this.#open]) one.close(detail);
  }

  async #isWelcome(stream: Stream, connection: Connection): Promise<boolean> {
    const waiting = { evict: () => stream.abort(new Error("too many streams without a greeting")) };
    this.#waiting.hold(waiting, 1);
    const isGreeted = await this.#ports
      .isGreeted(connection)
      .finally(() => this.#waiting.release(waiting));
    if (!isGreeted) stream.abort(new Error("no greeting"));
    else if (!this.#openings.allows(memberAt(connection), this.#ports.nowMs())) {
      // Streams are meant to last. libp2p opens no more than a few of a kind at once, so the rest wait with this one.
      await sleep(throttleMs, undefined, { ref: false });
    }
    return isGreeted && stream.status === "open";
  }

  #takeNotice(member: MemberId, payload: Uint8Array): void {
    const weight = payload.length + noticeCostBytes;
    if (this.#notices.allows(member, this.#ports.nowMs(), weight)) {
      this.#ports.onNotice(member, payload);
    } else this.#ports.onNoticeDropped();
  }

  #serviceFor(member: MemberId): Service {
    return async (kind, payload) => {
      const handler = this.#handlers.get(kind);
      if (handler === undefined) return { kind: "refused", detail: `no handler of kind ${kind}` };
      try {
        const outcome = await handler(member, payload);
        if (outcome.kind !== "reply" || outcome.payload.length <= payloadBytesMax) return outcome;
        this.#ports.onReplyTooLong(member, kind, outcome.payload.length);
        return { kind: "refused", detail: "the reply is over 4 MiB" };
      } catch (error) {
        if (error instanceof InvariantError) throw error;
        return undefined;
      }
    };
  }
}
