import { BinaryHeap } from "../frontier/binary-heap.ts";
import type { IpAddress, MemberId, Millis } from "../units.ts";
import type { LendingOptions, LoanAnswer, LoanAsk } from "./address-loan.ts";

/** When requests to an address may start, on this member's clock. */
export interface LoanSpan {
  readonly fromMs: Millis;
  readonly untilMs: Millis;
  /** The borrower wants to know of each request's end. */
  readonly watched: boolean;
}

/** What the workbench does with an address. */
export interface AddressUse {
  /** A request is open. */
  readonly busy: boolean;
  /** When the next host on it is due, whether it is lent or not; absent where none is in place. */
  readonly nextAtMs: Millis | undefined;
  /** The address's clock. */
  readonly clockAtMs: Millis;
}

/** What a borrower wants to tell the steward of an address. */
export type BorrowerStep = { readonly kind: "ask" | "return" } & LoanAsk;

export interface BorrowerEvents {
  useOf(address: IpAddress): AddressUse | undefined;
  /** The address may be asked within this span; a span that is over: not at all. */
  onSpan(address: IpAddress, span: LoanSpan): void;
}

interface Entry {
  readonly address: IpAddress;
  steward: MemberId | undefined;
  fromMs: Millis;
  endAtMs: Millis;
  shared: boolean;
  /** The slice was cut short: the address goes back when nothing is open. */
  recalled: boolean;
  /** Something was lent that is to be given back in words. */
  owes: boolean;
  /** The question without an answer so far. */
  pending: number | undefined;
  /** Not to be asked for before. */
  askAtMs: Millis;
}

/** An address is asked for so long before its next host is due. */
const leadMs: Millis = 500;

/** Renewals wait for the next whole second, so that those of one steward go together. */
const renewStepMs: Millis = 1_000;

/** A question without an answer is asked again after so long. */
const unansweredMs: Millis = 500;

/** How long after a request the next host may take to be placed. */
const placedWithinMs: Millis = 50;

/** Nothing is lent. */
export const notLent: LoanSpan = Object.freeze({ fromMs: 0, untilMs: 0, watched: false });

/**
 * Keeps the addresses that are in use here on loan.
 *
 * Invariant: no request may start at or after the end of a slice, counted from when its question was sent.
 * Invariant: an answer counts only if nothing was given back since its question was sent.
 */
export class AddressBorrower {
  readonly #options: LendingOptions;
  readonly #events: BorrowerEvents;
  readonly #entries = new Map<IpAddress, Entry>();
  readonly #due = new BinaryHeap<Entry>();

  constructor(options: LendingOptions, events: BorrowerEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Addresses that are on loan, or wanted. */
  get size(): number {
    return this.#entries.size;
  }

  /** When to {@link due} next. */
  get nextWakeAtMs(): Millis | undefined {
    return this.#due.peekKey();
  }

  spanOf(address: IpAddress): LoanSpan {
    const entry = this.#entries.get(address);
    return entry ? spanOf(entry) : notLent;
  }

  /** A host is in place on an address, and it is not lent. */
  want(address: IpAddress, nowMs: Millis): void {
    const entry = this.#entries.get(address) ?? this.#newEntry(address);
    this.#due.set(entry, nowMs);
  }

  /** A request to an address has ended that is watched, or not on loan any more. */
  ended(address: IpAddress, nowMs: Millis): void {
    const entry = this.#entries.get(address);
    if (!entry) return;
    const isHeld = nowMs < entry.endAtMs && !entry.recalled;
    this.#due.set(entry, isHeld ? nowMs + placedWithinMs : nowMs);
  }

  /** What is to be told to stewards now. */
  due(nowMs: Millis): BorrowerStep[] {
    const steps: BorrowerStep[] = [];
    for (;;) {
      const dueAtMs = this.#due.peekKey();
      if (dueAtMs === undefined || dueAtMs > nowMs) return steps;
      const entry = this.#due.pop();
      if (entry) this.#act(entry, nowMs, steps);
    }
  }

  /** What a question says, when it is sent; nothing when there is none to be sent any more. */
  ask(
    address: IpAddress,
    steward: MemberId,
    sequence: number,
    nowMs: Millis,
  ): BorrowerStep | undefined {
    const entry = this.#entries.get(address);
    if (!entry || entry.pending !== undefined) return undefined;
    entry.steward = steward;
    entry.pending = sequence;
    return stepOf("ask", entry, this.#events.useOf(address), nowMs);
  }

  /** @param sentAtMs when the question was sent, or before */
  answered(
    address: IpAddress,
    sequence: number,
    answer: LoanAnswer | undefined,
    { sentAtMs, nowMs }: { readonly sentAtMs: Millis; readonly nowMs: Millis },
  ): void {
    const entry = this.#entries.get(address);
    if (entry?.pending !== sequence) return;
    entry.pending = undefined;
    if (answer?.kind === "lent") {
      entry.fromMs = Math.max(entry.fromMs, nowMs + answer.restMs);
      entry.endAtMs = Math.max(entry.endAtMs, sentAtMs + answer.sliceMs);
      entry.shared = answer.shared;
      entry.recalled = false;
      entry.owes = true;
      entry.askAtMs = 0;
      this.#events.onSpan(address, spanOf(entry));
    } else {
      entry.askAtMs = nowMs + (answer?.afterMs ?? unansweredMs);
      if (!answer) entry.steward = undefined;
    }
    this.#schedule(entry, nowMs);
  }

  /**
   * The steward wants the address back. Returns the rest that its clock asks for, when it is given back with this;
   * nothing when it will be once the open request has ended.
   */
  recalled(address: IpAddress, nowMs: Millis): Millis | undefined {
    const use = this.#events.useOf(address);
    const entry = this.#entries.get(address) ?? (use?.busy ? this.#newEntry(address) : undefined);
    if (entry) {
      entry.pending = undefined;
      this.#cut(entry, nowMs);
      entry.recalled = true;
      entry.owes = use?.busy ?? false;
      this.#due.set(entry, nowMs);
    }
    return use?.busy ? undefined : restOf(entry, use, nowMs);
  }

  /** The steward says that it is this member's turn. */
  called(address: IpAddress, nowMs: Millis): void {
    const entry = this.#entries.get(address);
    if (!entry) return;
    entry.askAtMs = 0;
    if (entry.pending === undefined) this.#due.set(entry, nowMs);
  }

  /** Who granted the present loan, or was asked last. */
  stewardOf(address: IpAddress): MemberId | undefined {
    return this.#entries.get(address)?.steward;
  }

  /** Another member is the steward: it is told at once of what is on loan. */
  stewardsChanged(stewardOf: (address: IpAddress) => MemberId | undefined, nowMs: Millis): void {
    for (const entry of this.#entries.values()) {
      if (stewardOf(entry.address) === entry.steward) continue;
      entry.steward = undefined;
      entry.askAtMs = 0;
      if (entry.pending === undefined) this.#due.set(entry, nowMs);
    }
  }

  /** Time has passed in which the loans may have been given to others: each has to be asked for anew. */
  forfeit(nowMs: Millis): void {
    for (const entry of this.#entries.values()) {
      this.#cut(entry, nowMs);
      entry.steward = undefined;
      entry.pending = undefined;
      entry.owes = this.#events.useOf(entry.address)?.busy ?? false;
      entry.askAtMs = 0;
      this.#due.set(entry, nowMs);
    }
  }

  /** Counts an address as lent that is in use. */
  adopt(address: IpAddress, steward: MemberId, sliceMs: Millis, nowMs: Millis): void {
    const entry = this.#newEntry(address);
    Object.assign(entry, { steward, endAtMs: nowMs + sliceMs, owes: true });
    this.#events.onSpan(address, spanOf(entry));
    this.#schedule(entry, nowMs);
  }

  /** Gives everything back that nothing is open on. */
  giveUp(nowMs: Millis): BorrowerStep[] {
    const steps: BorrowerStep[] = [];
    for (const entry of this.#entries.values()) {
      const use = this.#events.useOf(entry.address);
      this.#cut(entry, nowMs);
      if (entry.owes && !use?.busy) steps.push(stepOf("return", entry, use, nowMs));
    }
    this.#entries.clear();
    while (this.#due.pop()) continue;
    return steps;
  }

  #newEntry(address: IpAddress): Entry {
    const entry: Entry = {
      address,
      steward: undefined,
      fromMs: 0,
      endAtMs: 0,
      shared: false,
      recalled: false,
      owes: false,
      pending: undefined,
      askAtMs: 0,
    };
    this.#entries.set(address, entry);
    return entry;
  }

  #act(entry: Entry, nowMs: Millis, steps: BorrowerStep[]): void {
    const use = this.#events.useOf(entry.address);
    const busy = use?.busy ?? false;
    if (nowMs < entry.endAtMs && entry.shared && !busy && !isUseful(entry, use)) {
      this.#cut(entry, nowMs);
    }
    const isHeld = nowMs < entry.endAtMs;
    if (!isHeld && entry.owes && !busy && (entry.shared || entry.recalled)) {
      entry.owes = false;
      entry.pending = undefined;
      steps.push(stepOf("return", entry, use, nowMs));
    }
    if (!isHeld && !busy) {
      entry.recalled = false;
      entry.shared = false;
    }
    const askAtMs = this.#askAtMs(entry, use, nowMs);
    if (askAtMs !== undefined && askAtMs <= nowMs) {
      entry.askAtMs = nowMs + unansweredMs;
      steps.push(stepOf("ask", entry, use, nowMs));
    }
    this.#schedule(entry, nowMs);
  }

  /** When the steward is to be asked; absent while nothing is wanted, or an answer is on its way. */
  #askAtMs(entry: Entry, use: AddressUse | undefined, nowMs: Millis): Millis | undefined {
    if (entry.pending !== undefined) return undefined;
    const isKept = nowMs < entry.endAtMs || (entry.owes && use?.busy);
    // A new steward must hear of it, even of a request that is merely still open.
    if (entry.steward === undefined && isKept) return entry.askAtMs;
    if (entry.recalled) return undefined;
    const wantedAtMs = use?.busy ? 0 : use?.nextAtMs;
    if (wantedAtMs === undefined) return undefined;
    const renewAtMs = entry.shared
      ? entry.endAtMs
      : Math.ceil((entry.endAtMs - this.#options.renewBeforeMs) / renewStepMs) * renewStepMs;
    return Math.max(entry.askAtMs, wantedAtMs - leadMs, renewAtMs);
  }

  /** Notes when to look at it again; what is neither lent nor wanted is forgotten. */
  #schedule(entry: Entry, nowMs: Millis): void {
    const use = this.#events.useOf(entry.address);
    const isHeld = nowMs < entry.endAtMs;
    const askAtMs = this.#askAtMs(entry, use, nowMs);
    // What was recalled, or ended, while a question was on its way has still to be looked at.
    const isOver = !isHeld && !use?.busy && (entry.recalled || entry.shared);
    const wakes = [askAtMs, isHeld ? entry.endAtMs : undefined, isOver ? nowMs : undefined];
    if (isHeld && entry.shared && !use?.busy) {
      wakes.push(Math.max(nowMs, use?.nextAtMs ?? nowMs) + placedWithinMs);
    }
    const times = wakes.filter((time) => time !== undefined);
    if (times.length > 0) {
      this.#due.set(entry, Math.max(nowMs, Math.min(...times)));
    } else if (entry.pending === undefined && !(entry.owes && use?.busy)) {
      this.#due.remove(entry);
      this.#entries.delete(entry.address);
    }
  }

  #cut(entry: Entry, nowMs: Millis): void {
    entry.endAtMs = Math.min(entry.endAtMs, nowMs);
    this.#events.onSpan(entry.address, notLent);
  }
}

/** Whether a host is due within the slice. */
function isUseful({ endAtMs }: Entry, use: AddressUse | undefined): boolean {
  return use?.nextAtMs !== undefined && use.nextAtMs < endAtMs;
}

function spanOf({ fromMs, endAtMs, shared }: Entry): LoanSpan {
  return { fromMs, untilMs: endAtMs, watched: shared };
}

/** What is left of the rest after this member's last request, and of the one after another's with which it was lent. */
function restOf(entry: Entry | undefined, use: AddressUse | undefined, nowMs: Millis): Millis {
  return Math.max(0, (use?.clockAtMs ?? 0) - nowMs, (entry?.fromMs ?? 0) - nowMs);
}

function stepOf(
  kind: BorrowerStep["kind"],
  entry: Entry,
  use: AddressUse | undefined,
  nowMs: Millis,
): BorrowerStep {
  const { address, endAtMs } = entry;
  return {
    kind,
    address,
    heldMs: Math.max(0, endAtMs - nowMs),
    busy: use?.busy ?? false,
    restMs: restOf(entry, use, nowMs),
  };
}
