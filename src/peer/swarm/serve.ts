import { FairSlots } from "../../core/fair-slots.ts";
import { messageKinds } from "../../core/messages/message-kinds.ts";
import type { MessageKind } from "../../core/messages/message-kinds.ts";
import type { MemberId, Millis } from "../../core/units.ts";
import type { Overlay, OverlayHandler } from "../../ports/overlay.ts";

/** Who asks what cannot be read, or cannot be answered now, may ask again after so long. */
const retryAfterMs: Millis = 1_000;

/** The shortest sleep in which the machine's clock lets others have a turn of the event loop; one of no time ends at once. */
export const turnMs: Millis = 1;

/** Works of one member that wait, at most: more than the streams that it may have open have room for. */
const waitingOfMemberMax = 1_024;

export type Answer = Awaited<ReturnType<OverlayHandler>>;

/** Answers a message of another member; with nothing where it cannot. */
type Handler = (
  from: MemberId,
  payload: Uint8Array,
) => Answer | undefined | Promise<Answer | undefined>;

/** Answers what other members send of this kind; to be called before the overlay starts. */
export function serve(overlay: Overlay, kind: MessageKind, handler: Handler): void {
  overlay.serve(
    messageKinds[kind],
    // Not an empty reply, which some callers take for an answer.
    async (from, payload) => (await handler(from, payload)) ?? { kind: "busy", retryAfterMs },
  );
}

/**
 * Places for what members ask, which they take in turn: one that asks much waits for itself. Whoever takes one in looks first
 * whether the member's line is full: what waits may outlive the connection that it came by.
 */
export function memberSlots(count: number): FairSlots {
  return new FairSlots(count, { waitingOfGroupMax: waitingOfMemberMax });
}

export function reply(payload: Uint8Array): Answer {
  return { kind: "reply", payload };
}
