import type { OverlayOutcome, OverlayRequest } from "../../ports/overlay.ts";
import type { PendingRequest } from "./outgoing-stream.ts";

/**
 * A request that is handed to `send` and ends with its outcome, or with its time, or with the abort of its sender.
 */
export function requestOutcome(
  { kind, payload, timeoutMs }: OverlayRequest,
  signal: AbortSignal,
  send: (pending: PendingRequest) => void,
): Promise<OverlayOutcome> {
  return new Promise((resolve) => {
    const pending = {
      kind,
      payload,
      isWaiting: true,
      settle: (outcome: OverlayOutcome): void => {
        if (!pending.isWaiting) return;
        pending.isWaiting = false;
        clearTimeout(timer);
        signal.removeEventListener("abort", abandon);
        resolve(outcome);
      },
    };
    const abandon = (): void => pending.settle({ kind: "unreachable", detail: "aborted" });
    const timer = setTimeout(() => pending.settle({ kind: "timeout" }), timeoutMs);
    signal.addEventListener("abort", abandon, { once: true });
    send(pending);
  });
}
