import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Overlay } from "../../ports/overlay.ts";
import type { MemberView } from "./member-view.ts";

/** Rest before the addresses of which none answered are tried again. */
const retryMs: Millis = 1_000;

/** Addresses tried side by side: a peer of a large swarm remembers hundreds, and each that answers sends its table. */
const triedAtOnce = 16;

/** Finds the swarm through any one of the addresses, however long it takes; without any, begins a new one. */
export async function joinSwarm(
  ports: {
    readonly clock: Clock;
    readonly logger: Pick<Logger, "warn">;
    readonly overlay: Pick<Overlay, "join">;
  },
  view: Pick<MemberView, "join" | "others" | "setRole">,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { clock, logger, overlay } = ports;
  if (addresses.length === 0) {
    view.setRole("active");
    return;
  }
  while (!signal.aborted && view.others.length === 0) {
    const left = [...addresses];
    const tryOne = async (): Promise<void> => {
      for (let address = left.shift(); address !== undefined; address = left.shift()) {
        const outcome = await overlay.join(address, signal);
        if (outcome.kind === "joined") {
          view.join([outcome.member]);
          // One that answers is enough; those that are being tried may take their time.
          left.length = 0;
        } else if (!signal.aborted) {
          logger.warn("join-failed", { address, outcome: outcome.kind });
        }
      }
    };
    await Promise.all(Array.from({ length: triedAtOnce }, tryOne));
    await clock.sleep(retryMs, signal);
  }
}
