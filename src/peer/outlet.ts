import type { RingPosition } from "../core/ring/ring-position.ts";
import type { Parcel } from "./swarm/parcel.ts";

/** Where links go that are not for this peer to admit, or not here and now. */
export interface Outlet {
  /** Whether a link to `position`, found on a page of `source`, leaves this way. */
  takes(source: RingPosition | undefined, position: RingPosition): boolean;
  /** Whether a URL has left already. */
  knows(urlRowKey: Uint8Array, words: Uint32Array, at: number, space: number): boolean;
  /** Called when the row by which it survives is in the journal. */
  send(parcel: Parcel): void;
}
