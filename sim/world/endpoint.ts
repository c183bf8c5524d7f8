import type { MemberId, Millis } from "../../src/core/units.ts";
import type { VirtualProcess } from "./virtual-process.ts";

/** A member's running process, as the network sees it. */
export interface Endpoint {
  readonly index: number;
  readonly self: MemberId;
  readonly swarm: string;
  readonly process: VirtualProcess;
  /** The processes that it is connected to, by their members' indices; only the network writes to it. */
  readonly connections: Map<number, Endpoint>;
  receiveNotice(from: MemberId, payload: Uint8Array): void;
  receiveClaim(from: MemberId, claim: Uint8Array): void;
  connectionMade(other: Endpoint): void;
  connectionBroken(other: Endpoint): void;
}

/** One direction of a stream: what is sent on it arrives in order. */
export interface Lane {
  lastArrivalMs: Millis;
  held: number;
  isClosed: boolean;
}

/** Where a process ended: its machine refuses connections, or it says nothing at all. */
export type Absence = "refusing" | "silent";

export type DialOutcome =
  | { readonly kind: "connected"; readonly endpoint: Endpoint }
  | { readonly kind: "refused" | "unreachable"; readonly detail: string };
