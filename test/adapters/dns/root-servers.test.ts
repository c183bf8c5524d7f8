import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DnsResolver, defaultDnsResolverOptions } from "../../../src/adapters/dns/dns-resolver.ts";
import { DnsServer } from "./dns-server.ts";
import type { DnsName } from "./dns-server.ts";

const never = new AbortController().signal;

describe("DnsResolver, asked whether a name server answers for the root,", () => {
  let server: DnsServer;
  let resolver: DnsResolver;

  beforeEach(async () => {
    server = new DnsServer({});
    await server.start();
    const clock = { nowMs: () => 0 };
    const options = { server: server.server, timeoutMs: 40, tries: 1 };
    resolver = new DnsResolver({ clock }, { ...defaultDnsResolverOptions, ...options });
  });
  afterEach(async () => {
    resolver.stop();
    await server.stop();
  });

  it.each<[DnsName["kind"], DnsName, boolean]>([
    ["zone", { kind: "zone", server: "a.root.test" }, true],
    ["addresses", { kind: "addresses", addresses: [], ttlS: 60 }, true],
    ["not-found", { kind: "not-found" }, true],
    ["server-failure", { kind: "server-failure" }, false],
    ["silence", { kind: "silence" }, false],
    ["malformed", { kind: "malformed" }, false],
  ])("takes %s for what it says", async (_, served, knows) => {
    server.set(".", served);
    expect(await resolver.knowsRoot(never)).toBe(knows);
    expect(server.asked).toEqual(["NS ."]);
  });

  it("does not remember it", async () => {
    server.set(".", { kind: "server-failure" });
    expect(await resolver.knowsRoot(never)).toBe(false);
    server.set(".", { kind: "not-found" });
    expect(await resolver.knowsRoot(never)).toBe(true);
  });

  it("asks no more once it has stopped, or its caller has given up", async () => {
    expect(await resolver.knowsRoot(AbortSignal.abort())).toBe(false);
    resolver.stop();
    expect(await resolver.knowsRoot(never)).toBe(false);
    expect(server.asked).toEqual([]);
  });
});

describe("DnsResolver, while a name server is silent for the root,", () => {
  it.each(["caller", "resolver"])(
    "waits no longer than its %s",
    { timeout: 10_000 },
    async (who) => {
      const server = new DnsServer({ ".": { kind: "silence" } });
      await server.start();
      const options = { server: server.server, timeoutMs: 60_000, tries: 9 };
      const clock = { nowMs: () => 0 };
      const resolver = new DnsResolver({ clock }, { ...defaultDnsResolverOptions, ...options });
      const caller = new AbortController();
      const answer = resolver.knowsRoot(caller.signal);
      if (who === "caller") caller.abort();
      else resolver.stop();
      expect(await answer).toBe(false);
      resolver.stop();
      await server.stop();
    },
  );
});
