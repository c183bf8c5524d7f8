import type { IpAddress, MemberId, Millis } from "../units.ts";
import type { Loan, Waiter } from "./address-loan.ts";

/** An address as its steward keeps it. */
export interface KeptAddress {
  readonly address: IpAddress;
  loan: Loan | undefined;
  /** Of those who say that they have it too: each counts when the ones before it are over. */
  readonly others: Loan[];
  /** The address's clock: no request may start before. */
  openAtMs: Millis;
  /** Until then it may be on loan from a former steward, or from one that nobody here knows of. */
  unsureUntilMs: Millis;
  /** Until then somebody besides the holder may have it, as a former steward said: no word of another one changes that. */
  besideUntilMs: Millis;
  /** When this steward last knew that nobody else had lent it. */
  sureAtMs: Millis;
  /** When another steward took over: nothing is lent until it has lost the address again. */
  movedAtMs: Millis | undefined;
  calledAtMs: Millis;
  /** First come, first served. */
  readonly waiting: Map<MemberId, Waiter>;
}

/** One of which nothing is known yet. */
export function newKeptAddress(address: IpAddress): KeptAddress {
  return {
    address,
    loan: undefined,
    others: [],
    openAtMs: 0,
    unsureUntilMs: 0,
    besideUntilMs: 0,
    sureAtMs: 0,
    movedAtMs: undefined,
    calledAtMs: 0,
    waiting: new Map(),
  };
}
