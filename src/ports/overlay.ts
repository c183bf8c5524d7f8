import type { MemberId, Millis } from "../core/units.ts";

/** Class of traffic: each has a long-lived stream of its own to every peer, so that bulk data holds up no probe. */
export type OverlayClass = "control" | "forwarding" | "transfer";

/** How a request to another member can end; what the network did is a value, never an error. */
export type OverlayOutcome =
  | { readonly kind: "reply"; readonly payload: Uint8Array }
  /** The receiver has no room; it asks to be left alone for so long. */
  | { readonly kind: "busy"; readonly retryAfterMs: Millis }
  /** No connection, or it broke: whether the request was served is unknown, so requests are idempotent. */
  | { readonly kind: "unreachable"; readonly detail: string }
  | { readonly kind: "timeout" }
  /** Another swarm, other cluster options, another protocol version. */
  | { readonly kind: "refused"; readonly detail: string };

/** How an attempt to reach the swarm through one address can end. */
export type JoinOutcome =
  | { readonly kind: "joined"; readonly member: MemberId }
  | Extract<OverlayOutcome, { readonly kind: "unreachable" | "timeout" }>
  | {
      readonly kind: "refused";
      readonly detail: string;
      /** Another process answers there under this member's identity. */
      readonly hasOwnKey?: boolean;
    };

export interface OverlayRequest {
  readonly to: MemberId;
  readonly class: OverlayClass;
  /** Number of the message's kind in the protocol. */
  readonly kind: number;
  /** Encoded message of at most 4 MiB. */
  readonly payload: Uint8Array;
  readonly timeoutMs: Millis;
}

/**
 * Serves one kind of request; rejecting closes the sender's stream, so bad input is answered, not thrown. Where the reply
 * would be longer than 4 MiB, the request is refused.
 */
export type OverlayHandler = (
  from: MemberId,
  payload: Uint8Array,
) => Promise<Extract<OverlayOutcome, { readonly kind: "reply" | "busy" }>>;

/**
 * The members of a swarm, as one of them reaches the others.
 *
 * Requests of one class to one member arrive in the order in which they were sent, at most once each; between classes
 * and members there is no order. Senders are held back by credit: `request` waits while the receiver's window is full,
 * within its time-out. Notices may be lost, doubled and overtake one another. Claims reach every member that is
 * connected, perhaps more than once and in any order. Everything that arrives is bounded in size before it is handed
 * on; what it says is for the receiver to judge.
 */
export interface Overlay {
  readonly self: MemberId;
  /** Where others reach this member. */
  readonly addresses: readonly string[];
  start(): Promise<void>;
  /** Ends what is under way with `unreachable`; idempotent. */
  stop(): Promise<void>;
  /**
   * Connects to any one known member at `address`, and through it to the swarm. It may go on trying until `signal` aborts;
   * told to try `once` it ends with what came of the first attempt.
   */
  join(address: string, signal: AbortSignal, tries?: "once"): Promise<JoinOutcome>;
  /** Makes a member reachable that others have told of. */
  learn(member: MemberId, addresses: readonly string[]): void;
  request(request: OverlayRequest, signal: AbortSignal): Promise<OverlayOutcome>;
  /** Registers the one handler of a kind of request; before `start`. */
  serve(kind: number, handler: OverlayHandler): void;
  /** Sends a datagram of at most 64 KiB and looks no further. */
  notify(to: MemberId, payload: Uint8Array): void;
  /** Calls `listener` for each datagram. */
  onNotice(listener: (from: MemberId, payload: Uint8Array) => void): void;
  /** Spreads a claim of at most 64 KiB to all members. */
  publish(claim: Uint8Array): void;
  /** Calls `listener` for each claim of another member. */
  onClaim(listener: (from: MemberId, claim: Uint8Array) => void): void;
  /** Calls `listener` when the connection to a member breaks: a reason to probe it at once. */
  onBroken(listener: (member: MemberId) => void): void;
}
