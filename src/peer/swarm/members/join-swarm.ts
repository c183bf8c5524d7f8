import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import type { MemberView } from "./member-view.ts";

/** Rest before the addresses of which none answered are tried again. */
const retryMs: Millis = 1_000;

/** Members that are asked for their tables, at most: a peer of a large swarm remembers hundreds. */
const contactsMax = 16;

/**
 * Finds the swarm through any one of the addresses, however long it takes; without any, begins a new one. Where all whom a
 * joining peer has found are lost before it has joined, it looks for others.
 */
export async function joinSwarm(
  ports: {
    readonly clock: Clock;
    readonly logger: Pick<Logger, "warn">;
    readonly overlay: Pick<Overlay, "join">;
  },
  view: Pick<MemberView, "join" | "others" | "role" | "setRole">,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { clock, logger, overlay } = ports;
  if (addresses.length === 0) {
    view.setRole("active");
    return;
  }
  const tryAll = async (): Promise<void> => {
    let contacts = 0;
    // All at once: an attempt at an address may last until another one has answered.
    const attempts = addresses.map(async (address) => {
      const outcome = await overlay.join(address, signal);
      if (outcome.kind !== "joined") {
        if (!signal.aborted) logger.warn("join-failed", { address, outcome: outcome.kind });
      } else if (contacts < contactsMax) {
        contacts += 1;
        view.join([outcome.member]);
      }
    });
    await Promise.all(attempts);
  };
  while (!signal.aborted && (view.others.length === 0 || view.role === "joining")) {
    if (view.others.length === 0) await tryAll();
    await clock.sleep(retryMs, signal);
  }
}
