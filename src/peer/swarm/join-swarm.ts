import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Overlay } from "../../ports/overlay.ts";
import type { MemberView } from "./member-view.ts";

/** Rest before the addresses of which none answered are tried again. */
const retryMs: Millis = 1_000;

/** Finds the swarm through any one of the addresses, however long it takes; without any, begins a new one. */
export async function joinSwarm(
  ports: { readonly clock: Clock; readonly logger: Logger; readonly overlay: Overlay },
  view: MemberView,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { clock, logger, overlay } = ports;
  if (addresses.length === 0) {
    view.setRole("active");
    return;
  }
  while (!signal.aborted && view.others.length === 0) {
    const attempts = addresses.map(async (address) => {
      const outcome = await overlay.join(address, signal);
      // One that answers is enough; the others may take their time.
      if (outcome.kind === "joined") view.join([outcome.member]);
      else if (!signal.aborted) logger.warn("join-failed", { address, outcome: outcome.kind });
    });
    await Promise.all(attempts);
    await clock.sleep(retryMs, signal);
  }
}
