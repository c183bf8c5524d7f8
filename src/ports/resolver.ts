import type { HostName, IpAddress, Millis } from "../core/units.ts";

/** Why there is no address; `aborted` says nothing about the name. */
export type ResolveFailure = "aborted" | "dns-not-found" | "dns-timeout" | "dns-error";

export type ResolveOutcome =
  | {
      readonly kind: "addresses";
      /** At least one; IPv4 first. */
      readonly addresses: readonly IpAddress[];
      /** When the answer must be asked for again, by the records' smallest TTL within the resolver's bounds. */
      readonly expiresAtMs: Millis;
    }
  | { readonly kind: "failure"; readonly failure: ResolveFailure; readonly detail: string };

/**
 * Name resolution with a bounded cache. An IP literal resolves to itself. Concurrent questions for one name are one
 * question; failures are cached for a short time.
 *
 * An aborted signal ends the waiting of that caller with `aborted`; the question itself goes on for the others.
 */
export interface Resolver {
  resolve(host: HostName, signal: AbortSignal): Promise<ResolveOutcome>;
}
