import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import { forwardBytes } from "../../../core/messages/forward.ts";
import type { ForwardResult } from "../../../core/messages/forward.ts";
import { Alarm } from "../../alarm.ts";
import { Pulse } from "../../pulse.ts";
import type { Delivery, Parcel } from "./parcel.ts";

export interface LaneOptions {
  /** URLs of one message. @default 500 */
  readonly batchMax: number;
  /** Bytes of one message, at most, unless one URL alone has more with its redirects. @default 131_072 */
  readonly batchBytesMax: number;
  /**
   * How long a URL waits for others to go with it; a seed, whose giver waits, does not. Longer makes fewer, fuller
   * messages. @default 100
   */
  readonly lingerMs: Millis;
  /**
   * Full messages under way at once. More keep sender, owner and replicas busy at the same time, and are more to be sent
   * again where the owner dies. @default 4
   */
  readonly messagesMax: number;
  /** Rest after a message that did not arrive, or when nobody is known who takes it. @default 200 */
  readonly retryMs: Millis;
  /**
   * Time after which URLs are put off that nobody has taken: all but a few stay on disk alone. Longer spares an owner that
   * stood still the reading of them, and a crawl waits longer where as many as may be are on their way there. @default 60_000
   */
  readonly patienceMs: Millis;
  /** Rest between two tries whether those that are put off are taken again. @default 3_000 */
  readonly putOffRetryMs: Millis;
}

export const defaultLaneOptions: LaneOptions = Object.freeze({
  batchMax: 500,
  batchBytesMax: 128 * 1_024,
  lingerMs: 100,
  messagesMax: 4,
  retryMs: 200,
  patienceMs: 60_000,
  putOffRetryMs: 3_000,
});

/** URLs of one message on a way that is put off. */
const putOffBatchMax = 16;

/** Options of a lane for a way that is put off. */
export function putOffLane(options: LaneOptions): LaneOptions {
  return { ...options, batchMax: putOffBatchMax, messagesMax: 1, retryMs: options.putOffRetryMs };
}

/** After so many refusals in a row a hint is no longer believed: views differ, and have to settle first. */
const refusalsMax = 4;

/** With one of these a parcel is at its end. */
export type FinalResult = Extract<ForwardResult, string>;

interface LaneEvents {
  readonly deliver: (parcels: readonly Parcel[]) => Promise<Delivery>;
  readonly acknowledged: (parcel: Parcel, result: FinalResult) => void;
  /** The parcel was sent in vain. */
  readonly refused: (parcel: Parcel) => void;
  /** The parcel belongs elsewhere: it has a new hint, or the ring has changed. */
  readonly misdirected: (parcel: Parcel) => void;
  /** False: it was withdrawn. */
  readonly isWanted: (parcel: Parcel) => boolean;
  /** Whether it still belongs into this lane. */
  readonly isRouted: (parcel: Parcel) => boolean;
}

/**
 * The parcels on their way to one member. Full messages go several at a time; one that is not full only when no other is
 * under way, so that parcels gather into full messages the slower the member answers.
 */
export class ForwardLane {
  readonly #clock: Clock;
  readonly #events: LaneEvents;
  readonly #options: LaneOptions;
  readonly #signal: AbortSignal;
  readonly #onFailure: (error: unknown) => void;
  #waiting: Parcel[] = [];
  /** Somebody waits for the acknowledgement of one of them. */
  #isAwaited = false;
  #running = false;
  #messages = 0;
  /** The member has no room, or could not be reached: nothing is sent before. */
  #restUntilMs: Millis = 0;
  readonly #pulse = new Pulse();
  readonly #alarm: Alarm;

  constructor(
    clock: Clock,
    events: LaneEvents,
    options: LaneOptions,
    signal: AbortSignal,
    onFailure: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#alarm = new Alarm(clock);
    this.#events = events;
    this.#options = options;
    this.#signal = signal;
    this.#onFailure = onFailure;
  }

  get isIdle(): boolean {
    return !this.#running && this.#waiting.length === 0;
  }

  add(parcel: Parcel): void {
    this.#waiting.push(parcel);
    this.#isAwaited ||= parcel.waiters.length > 0;
    if (this.#isAwaited || this.#isFull) this.#alarm.ring();
    if (this.#isFull) this.#pulse.fire();
    if (this.#running) return;
    this.#running = true;
    this.#run().catch(this.#onFailure);
  }

  /** What it waits for is over: its signal has been aborted. */
  stop(): void {
    this.#alarm.ring();
    this.#pulse.fire();
  }

  /** Takes out the waiting parcels that satisfy `predicate`. */
  takeOut(predicate: (parcel: Parcel) => boolean): Parcel[] {
    const out = this.#waiting.filter(predicate);
    if (out.length > 0) this.#waiting = this.#waiting.filter((parcel) => !predicate(parcel));
    return out;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped() && (this.#waiting.length > 0 || this.#messages > 0)) {
      await this.#pulse.until(() => this.#isStopped() || this.#hasRoom());
      await this.#rest();
      await this.#linger();
      const batch = this.#nextBatch();
      if (batch.length > 0 && !this.#isStopped()) this.#begin(batch);
    }
    this.#running = false;
  }

  /** Enough waits for a message that is full. */
  get #isFull(): boolean {
    return this.#waiting.length >= this.#options.batchMax;
  }

  /** Whether the next message may go, or there is nothing left to wait for. */
  #hasRoom(): boolean {
    if (this.#messages === 0) return true;
    return this.#isFull && this.#messages < this.#options.messagesMax;
  }

  async #rest(): Promise<void> {
    const leftMs = this.#restUntilMs - this.#clock.nowMs();
    if (leftMs > 0) await this.#clock.sleep(leftMs, this.#signal);
  }

  #begin(batch: Parcel[]): void {
    this.#messages += 1;
    void this.#send(batch)
      .catch(this.#onFailure)
      .finally(() => {
        this.#messages -= 1;
        this.#pulse.fire();
      });
  }

  #isStopped(): boolean {
    return this.#signal.aborted;
  }

  async #linger(): Promise<void> {
    const [oldest] = this.#waiting;
    if (!oldest || this.#isAwaited || this.#isFull) return;
    await this.#alarm.sleep(oldest.sinceMs + this.#options.lingerMs - this.#clock.nowMs());
  }

  #nextBatch(): Parcel[] {
    const { batchMax, batchBytesMax } = this.#options;
    const batch: Parcel[] = [];
    let bytes = 0;
    let taken = 0;
    for (const parcel of this.#waiting) {
      if (batch.length >= batchMax) break;
      const isWanted = this.#events.isWanted(parcel);
      if (isWanted && this.#events.isRouted(parcel)) {
        bytes += forwardBytes(parcel.entry, batch.at(-1)?.entry);
        if (bytes > batchBytesMax && batch.length > 0) break;
        batch.push(parcel);
      } else if (isWanted) {
        this.#events.misdirected(parcel);
      }
      taken += 1;
    }
    this.#waiting.splice(0, taken);
    if (this.#waiting.length === 0) this.#isAwaited = false;
    return batch;
  }

  async #send(batch: Parcel[]): Promise<void> {
    const delivery = await this.#events.deliver(batch);
    if (this.#isStopped()) return;
    if (delivery.kind === "later") {
      for (const parcel of batch) this.#events.refused(parcel);
      // Back in front: they have waited longest.
      this.#waiting = [...batch, ...this.#waiting];
      this.#restFor(Math.max(delivery.afterMs, this.#options.retryMs));
      return;
    }
    const { results } = delivery;
    const astray = batch.filter((parcel, at) => this.#settle(parcel, results[at]));
    if (astray.length > 0) this.#restFor(this.#options.retryMs);
  }

  #restFor(ms: Millis): void {
    this.#restUntilMs = Math.max(this.#restUntilMs, this.#clock.nowMs() + ms);
  }

  /** Returns whether the parcel comes back into this lane. */
  #settle(parcel: Parcel, result: ForwardResult | undefined): boolean {
    if (result === "new" || result === "known" || result === "rejected") {
      this.#events.acknowledged(parcel, result);
      return false;
    }
    this.#events.refused(parcel);
    parcel.refusals += 1;
    parcel.hint = parcel.refusals % refusalsMax === 0 ? undefined : result?.holder;
    const isHere = this.#events.isRouted(parcel);
    if (isHere) this.#waiting.push(parcel);
    else this.#events.misdirected(parcel);
    return isHere;
  }
}
