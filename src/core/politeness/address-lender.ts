import { BinaryHeap } from "../frontier/binary-heap.ts";
import type { IpAddress, MemberId, Millis } from "../units.ts";
import { freeAtMsOf, isOf, longestLoanMs, overInMs, prolong } from "./address-loan.ts";
import { surely, untoldLoanMs } from "./address-loan.ts";
import type {
  Borrower,
  LenderCall,
  LenderView,
  LendingOptions,
  Loan,
  LoanAnswer,
  LoanAsk,
  LoanState,
} from "./address-loan.ts";
import { newKeptAddress, type KeptAddress } from "./kept-address.ts";

/** A waiter that has not asked for so long does not want it any more; they are told to ask again sooner than that. */
const waiterForgottenMs = 10_000;
const askAgainMs: Millis = 4_000;
const inquiryAskAgainMs: Millis = 500;

/**
 * Lends addresses, of which this member is the steward, one borrower at a time.
 *
 * A borrower counts its slice from when it sent its question, the lender from when it answers and a little longer, so
 * the borrower's end is never the later one, however long a message takes. Behind the end a request may still be open;
 * the address is lent on when it was given back, when the borrower does not run any more and a full delay has passed,
 * or when no request can be as old.
 *
 * Invariant: of one address there is at most one loan; a loan is never shortened but by its borrower.
 * Invariant: what is told out of order or twice does no harm: a borrower gives back what it had by questions older than
 * a number, and a loan by a later question stays.
 */
export class AddressLender {
  readonly #options: LendingOptions;
  readonly #view: LenderView;
  readonly #entries = new Map<IpAddress, KeptAddress>();
  readonly #lentTo = new Map<MemberId, number>();
  /** Entries by when they must be looked at. */
  readonly #due = new BinaryHeap<KeptAddress>();
  #calls: LenderCall[] = [];

  constructor(options: LendingOptions, view: LenderView) {
    this.#options = options;
    this.#view = view;
  }

  /** Addresses that are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /** When to {@link tick} next. */
  get nextWakeAtMs(): Millis | undefined {
    return this.#due.peekKey();
  }

  ask(from: Borrower, sequence: number, ask: LoanAsk, nowMs: Millis): LoanAnswer {
    const entry = this.#entryOf(ask.address);
    if (!entry) return { kind: "later", afterMs: waiterForgottenMs };
    this.#settle(entry, nowMs);
    this.#hear(entry, from, sequence, ask, nowMs);
    const answer = this.#answer(entry, from, sequence, nowMs);
    this.#look(entry, nowMs);
    return answer;
  }

  /** The borrower has nothing more on loan by questions before `sequence`, and no request is open. */
  giveBack(
    from: Borrower,
    sequence: number,
    { address, restMs }: Pick<LoanAsk, "address" | "restMs">,
    nowMs: Millis,
  ): void {
    const entry = this.#entries.get(address);
    if (!entry) return;
    this.#end(entry, from, sequence, restMs, nowMs);
    this.#look(entry, nowMs);
  }

  /** Lends no more of it, because another member is its steward now; returns what that one must know. */
  handOver(address: IpAddress, nowMs: Millis): LoanState {
    const entry = this.#entryOf(address);
    const allMs = longestLoanMs(this.#options);
    if (!entry) return { sequence: 0, heldMs: 0, restMs: 0, unsureMs: allMs };
    this.#settle(entry, nowMs);
    const { loan, others } = entry;
    const overMs = Math.max(entry.besideUntilMs - nowMs, overInMs(others, this.#options, nowMs));
    const unsureMs = loan ? overMs : this.#unsureMs(entry, nowMs);
    entry.movedAtMs = nowMs;
    entry.waiting.clear();
    this.#look(entry, nowMs);
    return {
      ...(loan && { holder: loan.borrower }),
      sequence: loan?.sequence ?? 0,
      heldMs: loan ? Math.max(0, loan.endAtMs - nowMs) : 0,
      restMs: Math.max(0, entry.openAtMs - nowMs),
      unsureMs,
    };
  }

  /** What the former steward said of an address that is this member's now. */
  inherit(address: IpAddress, state: LoanState, nowMs: Millis): void {
    const entry = this.#entryOf(address);
    if (!entry) return;
    entry.openAtMs = Math.max(entry.openAtMs, nowMs + state.restMs);
    const { holder: borrower, sequence } = state;
    if (borrower && !entry.loan) {
      const endAtMs = nowMs + surely(state.heldMs, this.#options);
      this.#lend(entry, { borrower, sequence, endAtMs, shared: false });
    }
    const isSure = state.unsureMs === 0 || borrower !== undefined;
    // Who has it beside the holder is waited for; a former steward that is not sure either is asked again.
    if (borrower) {
      entry.besideUntilMs = Math.max(entry.besideUntilMs, nowMs + state.unsureMs);
      entry.unsureUntilMs = Math.max(entry.unsureUntilMs, entry.besideUntilMs);
    }
    if (isSure) entry.sureAtMs = nowMs;
    entry.calledAtMs = isSure ? 0 : nowMs + state.unsureMs - this.#options.callMs;
    this.#look(entry, nowMs);
  }

  /** Counts an address as lent that its borrower uses already. */
  adopt(from: Borrower, sequence: number, address: IpAddress, nowMs: Millis): Millis | undefined {
    const entry = this.#entryOf(address);
    if (!entry || entry.loan) return undefined;
    const { longSliceMs } = this.#options;
    const endAtMs = nowMs + surely(longSliceMs, this.#options);
    this.#lend(entry, { borrower: from, sequence, endAtMs, shared: false });
    entry.sureAtMs = nowMs;
    this.#look(entry, nowMs);
    return longSliceMs;
  }

  /** Looks at what has become due. */
  tick(nowMs: Millis): void {
    for (;;) {
      const dueAtMs = this.#due.peekKey();
      if (dueAtMs === undefined || dueAtMs > nowMs) return;
      const entry = this.#due.pop();
      if (entry) this.#look(entry, nowMs);
    }
  }

  /** What is to be told to others since the last call. */
  takeCalls(): readonly LenderCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  #entryOf(address: IpAddress): KeptAddress | undefined {
    const known = this.#entries.get(address);
    if (known || this.#entries.size >= this.#options.addressesMax) return known;
    const entry = newKeptAddress(address);
    this.#entries.set(address, entry);
    return entry;
  }

  /** Takes in what a question says of the borrower's present state. */
  #hear(entry: KeptAddress, from: Borrower, sequence: number, ask: LoanAsk, nowMs: Millis): void {
    const { loan, others } = entry;
    if (ask.heldMs <= 0 && !ask.busy) {
      this.#end(entry, from, sequence, ask.restMs, nowMs);
      return;
    }
    const heldMs = Math.min(ask.heldMs, this.#options.longSliceMs);
    const endAtMs = nowMs + surely(heldMs, this.#options);
    if (loan && isOf(loan, from)) {
      // Another steward may have lent it on since, and a request of that loan be open.
      if (sequence > loan.sequence) prolong(loan, sequence, endAtMs);
      return;
    }
    if (loan) {
      // Whoever holds a loan of the former steward is the only one, but for a partition or standstills.
      this.#calls.push({ kind: "recall", member: from.member, address: entry.address });
      const known = others.find((other) => isOf(other, from));
      if (known && known.sequence <= sequence) Object.assign(known, { sequence, endAtMs });
      else if (!known && others.length < this.#options.waitersMax) {
        others.push({ borrower: from, sequence, endAtMs, shared: false, goneAtMs: undefined });
      }
      return;
    }
    if (!this.#mayHaveMore(from, false)) return;
    // From a former steward, or from the other side of a partition. Whoever was called meanwhile has to wait for it.
    this.#lend(entry, { borrower: from, sequence, endAtMs, shared: false });
    const { besideUntilMs } = entry;
    Object.assign(entry, { calledAtMs: 0, unsureUntilMs: besideUntilMs, sureAtMs: nowMs });
  }

  #answer(entry: KeptAddress, from: Borrower, sequence: number, nowMs: Millis): LoanAnswer {
    const { loan, waiting } = entry;
    const isHolder = loan !== undefined && isOf(loan, from);
    const isStale = isHolder && sequence < loan.sequence;
    if (isStale || this.#movedUntilMs(entry, nowMs) > nowMs)
      return { kind: "later", afterMs: askAgainMs };
    const first = firstOf(waiting);
    const isNext = first === undefined || first === from.member;
    const isFree = isHolder || (loan === undefined && !this.#isUnsure(entry, nowMs));
    if (!isFree || !isNext || !this.#mayHaveMore(from, isHolder)) {
      this.#enqueue(entry, from, nowMs);
      const afterMs = isFree || loan ? askAgainMs : inquiryAskAgainMs;
      return { kind: "later", afterMs };
    }
    waiting.delete(from.member);
    const shared = waiting.size > 0;
    const restMs = Math.max(0, entry.openAtMs - nowMs);
    const sliceMs = restMs + (shared ? this.#options.shortSliceMs : this.#options.longSliceMs);
    const endAtMs = nowMs + surely(sliceMs, this.#options);
    if (isHolder) {
      prolong(loan, sequence, endAtMs);
      loan.shared = shared;
    } else {
      this.#lend(entry, { borrower: from, sequence, endAtMs, shared });
    }
    entry.calledAtMs = 0;
    return { kind: "lent", sliceMs, restMs, shared };
  }

  #mayHaveMore({ member }: Borrower, isHolder: boolean): boolean {
    return isHolder || (this.#lentTo.get(member) ?? 0) < this.#options.loansPerMemberMax;
  }

  #enqueue(entry: KeptAddress, { member, generation }: Borrower, nowMs: Millis): void {
    const known = entry.waiting.get(member);
    if (known?.generation === generation) known.askedAtMs = nowMs;
    else if (entry.waiting.size < this.#options.waitersMax) {
      entry.waiting.set(member, { generation, askedAtMs: nowMs });
    }
  }

  /** Whether somebody may have it from a former steward. */
  #isUnsure(entry: KeptAddress, nowMs: Millis): boolean {
    const untoldMs = untoldLoanMs(this.#options);
    entry.unsureUntilMs = Math.max(entry.unsureUntilMs, this.#view.missedUntilMs() + untoldMs);
    if (nowMs < entry.unsureUntilMs) return true;
    const before = this.#view.predecessorOf(entry.address, nowMs);
    if (!before || before.untilMs <= entry.sureAtMs) return false;
    if (before.member !== undefined) return nowMs < before.untilMs + longestLoanMs(this.#options);
    entry.unsureUntilMs = before.untilMs + untoldMs;
    entry.sureAtMs = nowMs;
    return nowMs < entry.unsureUntilMs;
  }

  /** How long this steward may be unsure; it asks the one before it, if there is one to ask. */
  #unsureMs(entry: KeptAddress, nowMs: Millis): Millis {
    if (!this.#isUnsure(entry, nowMs)) return 0;
    const { address } = entry;
    const member = this.#view.predecessorOf(address, nowMs)?.member;
    if (nowMs < entry.unsureUntilMs || member === undefined) {
      return Math.max(0, entry.unsureUntilMs - nowMs);
    }
    this.#call(entry, { kind: "inquire", member, address }, nowMs);
    return inquiryAskAgainMs;
  }

  #lend(entry: KeptAddress, loan: Omit<Loan, "goneAtMs">): void {
    const { member } = loan.borrower;
    entry.loan = { ...loan, goneAtMs: undefined };
    this.#lentTo.set(member, (this.#lentTo.get(member) ?? 0) + 1);
  }

  #end(entry: KeptAddress, from: Borrower, sequence: number, restMs: Millis, nowMs: Millis): void {
    const { loan, others } = entry;
    const openAtMs = nowMs + Math.min(restMs, this.#options.addressDelayMs);
    const at = others.findIndex((other) => isOf(other, from) && other.sequence < sequence);
    if (at >= 0) {
      others.splice(at, 1);
      entry.openAtMs = Math.max(entry.openAtMs, openAtMs);
    }
    if (!loan || !isOf(loan, from) || loan.sequence >= sequence) return;
    this.#free(entry, loan, openAtMs);
  }

  #free(entry: KeptAddress, { borrower: { member } }: Loan, openAtMs: Millis): void {
    Object.assign(entry, { loan: undefined, calledAtMs: 0 });
    entry.openAtMs = Math.max(entry.openAtMs, openAtMs);
    const left = (this.#lentTo.get(member) ?? 1) - 1;
    if (left > 0) this.#lentTo.set(member, left);
    else this.#lentTo.delete(member);
    while (!entry.loan) {
      const other = entry.others.shift();
      if (!other) return;
      if (this.#mayHaveMore(other.borrower, false)) this.#lend(entry, other);
    }
  }

  /** Ends a loan that was not given back and under which no request can be open any more. */
  #settle(entry: KeptAddress, nowMs: Millis): void {
    const { loan } = entry;
    if (!loan) return;
    if (!this.#view.isRunning(loan.borrower)) {
      const tellsMs = this.#view.isReplaced(loan.borrower) ? this.#options.registerMs : 0;
      loan.goneAtMs ??= nowMs + tellsMs;
    }
    const freeAtMs = freeAtMsOf(loan, this.#options);
    if (nowMs >= freeAtMs) this.#free(entry, loan, freeAtMs + this.#options.addressDelayMs);
  }

  /** Calls whoever is to be called, and notes when to look again. */
  #look(entry: KeptAddress, nowMs: Millis): void {
    this.#settle(entry, nowMs);
    for (const [member, { generation, askedAtMs }] of entry.waiting) {
      const isLate = nowMs - askedAtMs > waiterForgottenMs;
      if (isLate || !this.#view.isRunning({ member, generation })) entry.waiting.delete(member);
    }
    if (entry.waiting.size > 0 && this.#mayCall(entry, nowMs)) this.#callNext(entry, nowMs);
    const wakeAtMs = this.#wakeAtMs(entry, nowMs);
    if (wakeAtMs !== undefined) this.#due.set(entry, wakeAtMs);
    else {
      this.#due.remove(entry);
      this.#entries.delete(entry.address);
    }
  }

  #movedUntilMs({ address, movedAtMs }: KeptAddress, nowMs: Millis): Millis {
    if (movedAtMs === undefined) return 0;
    const lostAtMs = this.#view.predecessorOf(address, nowMs)?.untilMs ?? 0;
    return lostAtMs > movedAtMs ? 0 : movedAtMs + longestLoanMs(this.#options);
  }

  #mayCall(entry: KeptAddress, nowMs: Millis): boolean {
    const isRepeated = nowMs < entry.calledAtMs + this.#options.callMs;
    return !isRepeated && this.#movedUntilMs(entry, nowMs) <= nowMs;
  }

  #callNext(entry: KeptAddress, nowMs: Millis): void {
    const { address, loan, waiting } = entry;
    if (loan) {
      const { member } = loan.borrower;
      const isWaitedFor = waiting.size > (waiting.has(member) ? 1 : 0);
      if (!isWaitedFor || (loan.shared && nowMs < loan.endAtMs)) return;
      this.#call(entry, { kind: "recall", member, address }, nowMs);
      return;
    }
    if (this.#isUnsure(entry, nowMs)) {
      const member = this.#view.predecessorOf(address, nowMs)?.member;
      if (member !== undefined) this.#call(entry, { kind: "inquire", member, address }, nowMs);
      return;
    }
    // Who was called and did not come has lost its turn.
    const called = firstOf(waiting);
    if (entry.calledAtMs > 0 && called !== undefined) waiting.delete(called);
    const member = firstOf(waiting);
    if (member !== undefined) this.#call(entry, { kind: "turn", member, address }, nowMs);
  }

  #call(entry: KeptAddress, call: LenderCall, nowMs: Millis): void {
    entry.calledAtMs = nowMs;
    this.#calls.push(call);
  }

  #wakeAtMs(entry: KeptAddress, nowMs: Millis): Millis | undefined {
    const { loan, waiting } = entry;
    if (waiting.size > 0) {
      const calledMs = entry.calledAtMs + this.#options.callMs;
      const shareEndMs = loan?.shared ? loan.endAtMs : 0;
      const callAtMs = Math.max(calledMs, shareEndMs, this.#movedUntilMs(entry, nowMs));
      return callAtMs <= nowMs ? nowMs + this.#options.callMs : callAtMs;
    }
    if (loan) return Math.max(freeAtMsOf(loan, this.#options), nowMs + this.#options.callMs);
    const before = this.#view.predecessorOf(entry.address, nowMs);
    const keptUntilMs = Math.max(
      entry.openAtMs,
      this.#movedUntilMs(entry, nowMs),
      entry.unsureUntilMs,
      // What was found out need not be asked again.
      before ? before.untilMs + longestLoanMs(this.#options) : 0,
    );
    return keptUntilMs > nowMs ? keptUntilMs : undefined;
  }
}

function firstOf(waiting: ReadonlyMap<MemberId, unknown>): MemberId | undefined {
  return waiting.keys().next().value;
}
