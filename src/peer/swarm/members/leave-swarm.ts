import { isGone } from "../../../core/membership/member.ts";
import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { MemberView } from "./member-view.ts";
import type { Termination } from "../jobs/termination.ts";
import type { Homecoming } from "../ownership/homecoming.ts";
import type { Territory } from "../ownership/territory.ts";

/** How often a leaving peer looks whether it may go. */
const lookMs: Millis = 100;

/** How long a peer that is left alone looks for those that it takes for dead, and how often it greets them. */
const reunionMs: Millis = 5_000;
const greetMs: Millis = 1_000;

/** How long nobody may stay before a leaving peer goes without handing over: one that joins is soon heard of. */
const nobodyStaysMs: Millis = 5_000;

export interface LeavingParts {
  readonly view: MemberView;
  readonly homecoming: Pick<Homecoming, "isDone">;
  readonly territory: Pick<Territory, "held">;
  readonly termination: Pick<Termination, "areOthersSettled">;
  /** Whether no arc is on its way. */
  readonly isSettled: () => boolean;
}

/**
 * Passes everything on that is held here, and waits until the others have copies of what this peer had copies of.
 * Resolves when that is done, or cannot be done in time: with whether it is done.
 *
 * A peer that has lost sight of all others may only be cut off from them, and what it has taken in since is nowhere else. So
 * it looks for them before it goes; where it finds none, it is not done, nor where it has not found them in this run and
 * has something of an earlier one. One that has always been alone is. Where all that are left leave as well, nobody takes
 * anything over, and it is not done either.
 */
export async function leaveSwarm(
  clock: Clock,
  { view, homecoming, territory, termination, isSettled }: LeavingParts,
  withinMs: Millis,
  signal: AbortSignal,
): Promise<boolean> {
  const hasFoundNone = view.role === "joining" && !homecoming.isDone;
  view.setRole("leaving");
  await seekOthers(clock, view, signal);
  const isAlone = view.others.length === 0;
  const endMs = clock.nowMs() + withinMs;
  let someStayedAtMs = clock.nowMs();
  while (clock.nowMs() < endMs && !signal.aborted) {
    if (view.others.length === 0) {
      // Others may have left meanwhile, without taking anything over.
      const isPassedOn = isAlone || (territory.held.isEmpty && homecoming.isDone);
      return isPassedOn && !view.hasLostAny && !hasFoundNone;
    }
    if (doOthersStay(view)) someStayedAtMs = clock.nowMs();
    else if (clock.nowMs() >= someStayedAtMs + nobodyStaysMs) break;
    const isDone = territory.held.isEmpty && isSettled();
    if (isDone && (await termination.areOthersSettled())) return true;
    await clock.sleep(lookMs, signal);
  }
  // Of what is not home yet nobody else may have anything.
  return territory.held.isEmpty && homecoming.isDone;
}

/** Whether there is anybody to whom something may be handed over. */
function doOthersStay(view: MemberView): boolean {
  return view.members().some((member) => !isGone(member) && member.role !== "leaving");
}

async function seekOthers(clock: Clock, view: MemberView, signal: AbortSignal): Promise<void> {
  const endMs = clock.nowMs() + reunionMs;
  let greetAtMs = clock.nowMs();
  const isLost = (): boolean => view.others.length === 0 && view.hasLostAny;
  while (isLost() && clock.nowMs() < endMs && !signal.aborted) {
    if (clock.nowMs() >= greetAtMs) {
      view.greetLost();
      greetAtMs += greetMs;
    }
    await clock.sleep(lookMs, signal);
  }
}
