import type { RingPosition } from "../../core/ring/ring-position.ts";
import type { SieveKey } from "./sieve-log.ts";
import type { Parcel } from "../swarm/exchange/parcel.ts";

/** Where links go that are not for this peer to admit, or not here and now. */
export interface Outlet {
  /** Whether a link to `position`, found on a page of `source`, leaves this way. */
  takes(source: RingPosition | undefined, position: RingPosition): boolean;
  /** Whether what is to have this row at its owner has left already; the two keys are of one URL or one exclusion. */
  knows(rowKey: Uint8Array, sieveKey: SieveKey): boolean;
  /** Called when the row by which it survives is in the journal. */
  send(parcel: Parcel): void;
}
