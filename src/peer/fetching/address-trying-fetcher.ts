import type { FetchFailure } from "../../core/politeness/retry-table.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { Fetcher, FetchOutcome, FetchRequest } from "../../ports/fetcher.ts";
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
export class AddressTryingFetcher implements Fetcher {
  readonly #fetcher: Fetcher;
  readonly #frontier: Pick<Frontier, "hostNamed">;

  constructor(fetcher: Fetcher, frontier: Pick<Frontier, "hostNamed">) {
    this.#fetcher = fetcher;
    this.#frontier = frontier;
  }

  async fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchOutcome> {
    const outcome = await this.#fetcher.fetch(request, signal);
    if (madeNoConnection(outcome)) {
      const host = this.#frontier.hostNamed(hostOf(request.url));
      if (host) passOver(host, request.address);
    }
    return outcome;
  }

  stop(): Promise<void> {
    return this.#fetcher.stop();
  }
}

/** Whether a request ended before there was a connection for it. */
export function madeNoConnection(outcome: FetchOutcome): boolean {
  return outcome.kind === "failure" && connectFailures.has(outcome.failure);
}
