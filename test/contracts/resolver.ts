import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HostName } from "../../src/core/units.ts";
import type { ResolveOutcome, Resolver } from "../../src/ports/resolver.ts";

/** What the names of the harness resolve to. */
export type ServedName =
  | { readonly kind: "addresses"; readonly addresses: readonly string[]; readonly ttlS: number }
  | { readonly kind: "not-found" }
  | { readonly kind: "server-failure" }
  | { readonly kind: "silence" };

/** A resolver, real or virtual, over a fixed set of names; every other name is not found. */
export interface ResolverHarness {
  readonly resolver: Resolver;
  /** How often anyone was asked for the name. */
  questions(name: string): number;
  nowMs(): number;
  settle(outcome: Promise<ResolveOutcome>): Promise<ResolveOutcome>;
  stop(): Promise<void>;
}

const names: Readonly<Record<string, ServedName>> = {
  "one.test": { kind: "addresses", addresses: ["192.0.2.1"], ttlS: 300 },
  "many.test": { kind: "addresses", addresses: ["192.0.2.1", "192.0.2.2"], ttlS: 300 },
  "six.test": { kind: "addresses", addresses: ["2001:db8::1"], ttlS: 300 },
  "broken.test": { kind: "server-failure" },
  "silent.test": { kind: "silence" },
};

const never = new AbortController().signal;

export function addressesOf(outcome: ResolveOutcome): readonly string[] {
  return outcome.kind === "addresses" ? outcome.addresses : [outcome.failure];
}

/** What every {@link Resolver} does. */
export function describeResolver(
  name: string,
  setUp: (names: Readonly<Record<string, ServedName>>) => Promise<ResolverHarness>,
): void {
  describe(`${name} as a Resolver`, () => {
    let harness: ResolverHarness;
    const resolve = (host: string, signal = never): Promise<ResolveOutcome> =>
      harness.settle(harness.resolver.resolve(host as HostName, signal));

    beforeEach(async () => {
      harness = await setUp(names);
    });
    afterEach(async () => {
      await harness.stop();
    });

    it("gives the address of a name, and until when it holds", async () => {
      const beforeMs = harness.nowMs();
      const outcome = await resolve("one.test");
      expect(addressesOf(outcome)).toEqual(["192.0.2.1"]);
      const expiresAtMs = outcome.kind === "addresses" ? outcome.expiresAtMs : 0;
      expect(expiresAtMs).toBeGreaterThanOrEqual(beforeMs + 300_000);
      expect(expiresAtMs).toBeLessThanOrEqual(harness.nowMs() + 300_000);
    });

    it("gives all addresses of a name", async () => {
      expect([...addressesOf(await resolve("many.test"))].sort()).toEqual([
        "192.0.2.1",
        "192.0.2.2",
      ]);
    });

    it("gives the IPv6 address of a name without an IPv4 one", async () => {
      expect(addressesOf(await resolve("six.test"))).toEqual(["2001:db8::1"]);
    });

    it.each([
      ["nowhere.test", "dns-not-found"],
      ["broken.test", "dns-error"],
      ["silent.test", "dns-timeout"],
    ])("says why %s has no address: %s", async (host, failure) => {
      expect(addressesOf(await resolve(host))).toEqual([failure]);
    });

    it("resolves IP literals to themselves without asking", async () => {
      expect(addressesOf(await resolve("192.0.2.7"))).toEqual(["192.0.2.7"]);
      expect(addressesOf(await resolve("[2001:db8::7]"))).toEqual(["2001:db8::7"]);
      expect(harness.questions("192.0.2.7")).toBe(0);
    });

    it("asks once for callers that ask at the same time, and not again while the answer holds", async () => {
      await Promise.all([resolve("one.test"), resolve("one.test"), resolve("one.test")]);
      await resolve("one.test");
      expect(harness.questions("one.test")).toBe(1);
    });

    it("remembers failures for a while", async () => {
      await resolve("nowhere.test");
      const asked = harness.questions("nowhere.test");
      expect(addressesOf(await resolve("nowhere.test"))).toEqual(["dns-not-found"]);
      expect(asked).toBeGreaterThan(0);
      expect(harness.questions("nowhere.test")).toBe(asked);
    });

    it("ends the waiting of the caller that gives up, and of no other", async () => {
      const controller = new AbortController();
      const leaving = resolve("one.test", controller.signal);
      const staying = resolve("one.test");
      controller.abort();
      expect(addressesOf(await leaving)).toEqual(["aborted"]);
      expect(addressesOf(await staying)).toEqual(["192.0.2.1"]);
      expect(addressesOf(await resolve("one.test", controller.signal))).toEqual(["aborted"]);
    });
  });
}
