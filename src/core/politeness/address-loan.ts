import type { IpAddress, MemberId, Millis } from "../units.ts";

/**
 * How addresses are lent. Sites of one IP address may have different owners; the address still sees one open request and
 * one clock. So the member that owns the address's own ring position, its steward, lends it to one borrower at a time.
 */
export interface LendingOptions {
  /**
   * Slice of a borrower that nobody else waits behind. Longer needs fewer messages. @default 40_000
   */
  readonly longSliceMs: Millis;
  /** Slice of a borrower while others wait: some requests at the usual address delay of 250 ms. @default 2_000 */
  readonly shortSliceMs: Millis;
  /**
   * How long before its end a slice is renewed; above the time in which a dead steward is noticed. With the long slice
   * it makes one message per address in 30 s. @default 10_000
   */
  readonly renewBeforeMs: Millis;
  /**
   * Time that borrowers have to tell of their loans when their steward has died, or when they go on as a later run: they
   * hear of it by the same broadcast as the one that follows. Longer is surer, and keeps the addresses of a dead steward
   * idle; a borrower that hears of it later may overlap with another one until its slice ends. @default 3_000
   */
  readonly registerMs: Millis;
  /**
   * By this share a lender waits longer than it has lent for: two clocks that are each wrong by 500 millionths differ
   * by half of it. @default 0.002
   */
  readonly driftShare: number;
  /** How long the first in line is waited for after it was called, and a call before it is repeated. @default 2_000 */
  readonly callMs: Millis;
  /**
   * Longest time that a request may go on behind the end of its slice: after it, an address that was never given back
   * is free. The longest exchange of 60 s, and as much again as a visit may need before it begins. @default 70_000
   */
  readonly outlastMs: Millis;
  /** Rest of an address whose last request is not known: the longest that its clock can ask for. @default 250 */
  readonly addressDelayMs: Millis;
  /** Addresses that a steward keeps; more wait. Some 300 bytes each. @default 200_000 */
  readonly addressesMax: number;
  /** Addresses that one member may borrow from a steward; above twice the hosts that it can have active. @default 25_000 */
  readonly loansPerMemberMax: number;
  /** Members in line for one address, which ask again later where there are more, and that say they have it. @default 64 */
  readonly waitersMax: number;
}

export const defaultLendingOptions: LendingOptions = Object.freeze({
  longSliceMs: 40_000,
  shortSliceMs: 2_000,
  renewBeforeMs: 10_000,
  registerMs: 3_000,
  driftShare: 0.002,
  callMs: 2_000,
  outlastMs: 70_000,
  addressDelayMs: 250,
  addressesMax: 200_000,
  loansPerMemberMax: 25_000,
  waitersMax: 64,
});

/** One run of a member. */
export interface Borrower {
  readonly member: MemberId;
  readonly generation: number;
}

/** What a borrower says when it wants an address. All times between members are durations: clocks differ. */
export interface LoanAsk {
  readonly address: IpAddress;
  /** How much of a slice it still has, by its own count; 0: none. */
  readonly heldMs: Millis;
  /** A request of it is open to the address. */
  readonly busy: boolean;
  /** How long the address must rest by the borrower's clock of it. */
  readonly restMs: Millis;
}

export type LoanAnswer =
  | {
      readonly kind: "lent";
      /** Requests may start for so long, counted by the borrower from when it sent its question. */
      readonly sliceMs: Millis;
      /** Not before, counted from when the answer arrives. */
      readonly restMs: Millis;
      /** Others wait: to be given back as soon as it is of no use, and at the slice's end. */
      readonly shared: boolean;
    }
  | {
      readonly kind: "later";
      /** When to ask again, unless called before. */
      readonly afterMs: Millis;
    };

/** What a steward has lent. */
export interface Loan {
  readonly borrower: Borrower;
  /** Of the question that it answers: what the borrower gives back, it gives back up to a question. */
  sequence: number;
  /** No request under this loan starts later. */
  endAtMs: Millis;
  shared: boolean;
  /** When the borrower was first seen not to run; later where a later run of it may still tell of the loan. */
  goneAtMs: Millis | undefined;
}

/** Who is in line for an address. */
export interface Waiter {
  readonly generation: number;
  askedAtMs: Millis;
}

/** Whether it is that run's. */
export function isOf({ borrower }: Loan, { member, generation }: Borrower): boolean {
  return borrower.member === member && borrower.generation === generation;
}

/** The borrower has it by a later question too. */
export function prolong(loan: Loan, sequence: number, endAtMs: Millis): void {
  loan.sequence = sequence;
  loan.endAtMs = Math.max(loan.endAtMs, endAtMs);
}

/** When no request of a loan can be open any more that was never given back. */
export function freeAtMsOf({ goneAtMs, endAtMs }: Loan, options: LendingOptions): Millis {
  // A process that has ended asks nothing any more, as little as of the hosts that others take over from it.
  return goneAtMs ?? endAtMs + surely(options.outlastMs, options);
}

/** How long it takes until none of them can have a request open, and the address has rested. */
export function overInMs(loans: readonly Loan[], options: LendingOptions, nowMs: Millis): Millis {
  const overAtMs = Math.max(nowMs, ...loans.map((loan) => freeAtMsOf(loan, options)));
  return overAtMs === nowMs ? 0 : surely(overAtMs - nowMs, options) + options.addressDelayMs;
}

/** What a steward knows of an address, for the one that follows it. */
export interface LoanState {
  readonly holder?: Borrower;
  /** Of the holder's latest question. */
  readonly sequence: number;
  /** What is left of its slice, by the lender's count. */
  readonly heldMs: Millis;
  readonly restMs: Millis;
  /** How long it may still be lent by somebody of whom the steward knows nothing. */
  readonly unsureMs: Millis;
}

/** Whose address it was until when, while somebody may still have it on loan from there. */
export interface Predecessor {
  /** Absent when it does not run any more. */
  readonly member: MemberId | undefined;
  readonly untilMs: Millis;
}

/** What a steward has to tell other members. */
export interface LenderCall {
  /** `recall`: give it back. `turn`: ask for it now. `inquire`: who has it from you? */
  readonly kind: "recall" | "turn" | "inquire";
  readonly member: MemberId;
  readonly address: IpAddress;
}

/** What a lender must know of the swarm. */
export interface LenderView {
  isRunning(borrower: Borrower): boolean;
  /** A later run of the member goes on, perhaps the same process with a request open. */
  isReplaced(borrower: Borrower): boolean;
  /** Until then others may have taken this member for dead, and have lent what it is the steward of. */
  missedUntilMs(): Millis;
  /** Whose the address was before it was this member's, as long as that matters. */
  predecessorOf(address: IpAddress, nowMs: Millis): Predecessor | undefined;
}

/** A time on the lender's clock after which the same duration has passed on the borrower's. */
export function surely(ms: Millis, { driftShare }: Pick<LendingOptions, "driftShare">): Millis {
  return ms * (1 + driftShare);
}

/** How long after a steward's end, or its loss of an address, something that it lent may still be on loan. */
export function longestLoanMs(options: LendingOptions): Millis {
  return surely(options.longSliceMs + options.addressDelayMs, options) + options.addressDelayMs;
}

/**
 * How long an address is lent to nobody who does not tell of a loan of it, after the death of its steward, or when this one may
 * have been taken for dead.
 */
export function untoldLoanMs({ addressDelayMs, registerMs }: LendingOptions): Millis {
  // Who has none any more when it is to tell of it may have asked the address just before.
  return registerMs + addressDelayMs;
}
