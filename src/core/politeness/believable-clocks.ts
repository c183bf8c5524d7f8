import type { Millis } from "../units.ts";
import type { HostGateState } from "./host-gate.ts";
import type { PolitenessOptions } from "./politeness-options.ts";

/** A job's longest delay is a day; another one leaves room for the rest after a slow answer. */
const politeMaxMs: Millis = 2 * 86_400_000;

/**
 * A gate as it was kept, without moments to which no rule can have closed it by now: a clock that was wrong has written
 * them, here or at another peer, and each merge keeps the later one. A failure's clock ends after its longest time from
 * now. A politeness delay beyond that of any job tells only that the host was asked: it rests for the longest Crawl-delay.
 */
export function believableClocks<State extends HostGateState>(
  state: State,
  options: PolitenessOptions,
  nowMs: Millis,
): State {
  const { backoffJitterShare, backoffMaxMs, breaker, crawlDelayMaxMs, haltMs, retryAfterMaxMs } =
    options;
  const backoffMs = Math.max(backoffMaxMs * (1 + backoffJitterShare), retryAfterMaxMs);
  const politeUntilMs = state.politeUntilMs ?? state.nextFetchAtMs;
  const isBelievable = politeUntilMs <= nowMs + politeMaxMs;
  const clocks = {
    politeUntilMs: isBelievable ? politeUntilMs : nowMs + crawlDelayMaxMs,
    haltedUntilMs: Math.min(state.haltedUntilMs ?? 0, nowMs + haltMs),
    backoffUntilMs: Math.min(state.backoffUntilMs ?? 0, nowMs + backoffMs),
    breakerUntilMs: Math.min(state.breakerUntilMs ?? 0, nowMs + breaker.pauseMs),
  };
  return { ...state, ...clocks, nextFetchAtMs: Math.max(...Object.values(clocks)) };
}
