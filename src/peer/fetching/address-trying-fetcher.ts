import type { FetchFailure } from "../../core/politeness/retry-table.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { Fetcher, FetchOutcome } from "../../ports/fetcher.ts";
import type { Frontier } from "../frontier/frontier.ts";
import { passOver } from "./host-addresses.ts";

/** Failures that say nothing of a name's other addresses: no connection was made. */
const connectFailures: ReadonlySet<FetchFailure> = new Set([
  "address-forbidden",
  "connect-refused",
  "connect-timeout",
  "connect-unreachable",
]);

/**
 * A fetcher that sees to it that a host's next visit goes to another of its name's addresses when no connection was made
 * to this one, be it for a page or for robots.txt. One request still goes to one address, the one whose turn it took.
 */
export function addressTryingFetcher(
  fetcher: Fetcher,
  frontier: Pick<Frontier, "hostNamed">,
): Fetcher {
  return {
    fetch: async (request, signal) => {
      const outcome = await fetcher.fetch(request, signal);
      if (madeNoConnection(outcome)) {
        const host = frontier.hostNamed(hostOf(request.url));
        if (host) passOver(host, request.address);
      }
      return outcome;
    },
    stop: () => fetcher.stop(),
  };
}

/** Whether a request ended before there was a connection for it. */
export function madeNoConnection(outcome: FetchOutcome): boolean {
  return outcome.kind === "failure" && connectFailures.has(outcome.failure);
}
