import { Resolver } from "node:dns/promises";
import { afterEach, describe, expect, it } from "vitest";
import { DnsResolver, defaultDnsResolverOptions } from "../../../src/adapters/dns/dns-resolver.ts";
import type {
  DnsResolverOptions,
  DnsResolverPorts,
} from "../../../src/adapters/dns/dns-resolver.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, Millis } from "../../../src/core/units.ts";
import type { ResolveOutcome } from "../../../src/ports/resolver.ts";
import { addressesOf, describeResolver } from "../../contracts/resolver.ts";
import type { ServedName } from "../../contracts/resolver.ts";
import { DnsServer } from "./dns-server.ts";
import type { DnsName } from "./dns-server.ts";

/** A clock that stands still unless it is moved. */
class HandClock {
  atMs: Millis = 1_700_000_000_000;
  nowMs(): Millis {
    return this.atMs;
  }
}

interface Setting {
  readonly server: DnsServer;
  readonly resolver: DnsResolver;
  readonly clock: HandClock;
}

const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function setUp(
  names: Readonly<Record<string, DnsName>>,
  changes: Partial<DnsResolverOptions> = {},
): Promise<Setting> {
  const server = new DnsServer(names);
  await server.start();
  const clock = new HandClock();
  const options = { ...defaultDnsResolverOptions, timeoutMs: 40, tries: 1, server: server.server };
  const resolver = new DnsResolver({ clock }, { ...options, ...changes });
  closers.push(async () => {
    resolver.stop();
    await server.stop();
  });
  return { server, resolver, clock };
}

const at = (address: string, ttlS: number): Extract<ServedName, { kind: "addresses" }> => ({
  kind: "addresses",
  addresses: [address],
  ttlS,
});

function ask({ resolver }: Setting, host: string, signal = never): Promise<ResolveOutcome> {
  return resolver.resolve(host as HostName, signal);
}

describeResolver("DnsResolver", async (names) => {
  const { server, resolver, clock } = await setUp(names);
  return {
    resolver,
    questions: (name) => server.questions(name),
    nowMs: () => clock.nowMs(),
    settle: (outcome) => outcome,
    stop: () => Promise.resolve(),
  };
});

describe("DnsResolver", () => {
  it("asks again when the answer has expired, and sees the new address", async () => {
    const setting = await setUp({ "a.test": at("192.0.2.1", 60) });
    await ask(setting, "a.test");
    setting.server.set("a.test", at("192.0.2.2", 60));
    setting.clock.atMs += 59_999;
    expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.1"]);
    setting.clock.atMs += 1;
    expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.2"]);
  });

  it("asks anew where its caller wants to know whether the servers answer, and remembers what they say", async () => {
    const setting = await setUp({ "a.test": at("192.0.2.1", 60) });
    await ask(setting, "a.test");
    setting.server.set("a.test", at("192.0.2.2", 60));
    const anew = await setting.resolver.resolveAnew("a.test" as HostName, never);
    expect(addressesOf(anew)).toEqual(["192.0.2.2"]);
    expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.2"]);
    expect(setting.server.questions("a.test")).toBe(2);
  });

  it("keeps an answer that still holds when it asks anew in vain", async () => {
    const setting = await setUp({ "a.test": at("192.0.2.1", 60) });
    await ask(setting, "a.test");
    setting.server.set("a.test", { kind: "server-failure" });
    const anew = await setting.resolver.resolveAnew("a.test" as HostName, never);
    expect(addressesOf(anew)).toEqual(["dns-error"]);
    expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.1"]);
  });

  it.each([
    [0, 30_000],
    [29, 30_000],
    [31, 31_000],
    [7 * 86_400, 86_400_000],
    [2 ** 31 - 1, 86_400_000],
    [2 ** 31, 30_000],
    [2 ** 32 - 1, 30_000],
  ])("keeps a record with a TTL of %i s for %i ms", async (ttlS, keptMs) => {
    const setting = await setUp({ "a.test": at("192.0.2.1", ttlS) });
    const outcome = await ask(setting, "a.test");
    expect(outcome).toMatchObject({ expiresAtMs: setting.clock.atMs + keptMs });
  });

  it.each(["www..a.test", `${"a".repeat(64)}.test`, `${"a.".repeat(130)}test`, "a!b.test"])(
    "does not find a name that nobody can be asked for: %s",
    async (name) => {
      const setting = await setUp({ "a.test": at("192.0.2.1", 60) });
      expect(await ask(setting, name)).toMatchObject({ failure: "dns-not-found" });
      expect(setting.server.asked).toEqual([]);
    },
  );

  it("asks for IPv6 addresses first where the machine has no others", async () => {
    const both = { kind: "addresses", addresses: ["192.0.2.1", "2001:db8::1"], ttlS: 60 } as const;
    const names = { "both.test": both, "four.test": at("192.0.2.4", 60) };
    const setting = await setUp(names, { prefersIPv6: () => true });
    expect(addressesOf(await ask(setting, "both.test"))).toEqual(["2001:db8::1"]);
    expect(addressesOf(await ask(setting, "four.test"))).toEqual(["192.0.2.4"]);
    expect(setting.server.asked).toEqual(["AAAA both.test", "AAAA four.test", "A four.test"]);
  });

  it("gives an IPv4 address in one form alone, so that all its hosts share one turn", async () => {
    const mapped = ["::ffff:192.0.2.1", "::ffff:c000:201", "2001:db8::1"];
    const setting = await setUp({ "a.test": { kind: "addresses", addresses: mapped, ttlS: 60 } });
    expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.1", "2001:db8::1"]);
    expect(addressesOf(await ask(setting, "[::ffff:c000:201]"))).toEqual(["192.0.2.1"]);
  });

  it("asks for IPv6 addresses only where there is no IPv4 one", async () => {
    const both: ServedName = {
      kind: "addresses",
      addresses: ["2001:db8::1", "192.0.2.1"],
      ttlS: 9,
    };
    const setting = await setUp({ "both.test": both, "six.test": at("2001:db8::1", 9) });
    await ask(setting, "both.test");
    await ask(setting, "six.test");
    expect(setting.server.asked).toEqual(["A both.test", "A six.test", "AAAA six.test"]);
  });

  it("asks for them also where the name is an alias, and that is all of the answer", async () => {
    const served = at("2001:db8::1", 9);
    const setting = await setUp({ "www.test": { kind: "alias", of: "six.test", served } });
    expect(addressesOf(await ask(setting, "www.test"))).toEqual(["2001:db8::1"]);
    expect(setting.server.asked).toEqual(["A www.test", "AAAA www.test"]);
  });

  it("forgets a failure as soon as its host may be asked again, so that each attempt is a question", async () => {
    const setting = await setUp({ "b.test": { kind: "server-failure" } });
    await ask(setting, "a.test");
    await ask(setting, "b.test");
    setting.server.set("a.test", at("192.0.2.1", 60));
    setting.server.set("b.test", at("192.0.2.2", 60));
    setting.clock.atMs += defaultPolitenessOptions.backoffBaseMs - 1;
    expect(addressesOf(await ask(setting, "a.test"))).toEqual(["dns-not-found"]);
    expect(addressesOf(await ask(setting, "b.test"))).toEqual(["dns-error"]);
    setting.clock.atMs += 1;
    expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.1"]);
    expect(addressesOf(await ask(setting, "b.test"))).toEqual(["192.0.2.2"]);
  });

  it("forgets the name that was asked for longest ago when it knows too many", async () => {
    const names = { "a.test": at("192.0.2.1", 99), "b.test": at("192.0.2.2", 99) };
    const setting = await setUp({ ...names, "c.test": at("192.0.2.3", 99) }, { cachedNamesMax: 2 });
    for (const host of ["a.test", "b.test", "a.test", "c.test", "a.test", "b.test"]) {
      await ask(setting, host);
    }
    expect(setting.server.asked).toEqual(["A a.test", "A b.test", "A c.test", "A b.test"]);
  });

  it("has only so many questions on the wire", async () => {
    const silent: ServedName = { kind: "silence" };
    const names = { "a.test": silent, "b.test": silent, "c.test": at("192.0.2.3", 99) };
    const setting = await setUp(names, { concurrencyMax: 2, waitingMax: 1 });
    const outcomes = await Promise.all(
      ["a.test", "b.test", "c.test", "d.test"].map((host) => ask(setting, host)),
    );
    expect(outcomes.map(addressesOf)).toEqual([
      ["dns-timeout"],
      ["dns-timeout"],
      ["192.0.2.3"],
      ["dns-error"],
    ]);
    expect(setting.server.asked.at(-1)).toBe("A c.test");
    expect(setting.server.questions("d.test")).toBe(0);
    expect(addressesOf(await ask(setting, "d.test"))).toEqual(["dns-not-found"]);
  });

  it("lets a name of another site wait for no more than one of a site's silent names", async () => {
    const silent = ["h0.silent.test", "h1.silent.test", "h2.silent.test", "h3.silent.test"];
    const names = Object.fromEntries(silent.map((name) => [name, { kind: "silence" } as const]));
    const other = { "a.test": at("192.0.2.1", 99) };
    const setting = await setUp({ ...names, ...other }, { concurrencyMax: 1, waitingMax: 4 });
    for (const name of silent) void ask(setting, name);
    expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.1"]);
    expect(setting.server.questions("h1.silent.test")).toBeGreaterThan(0);
    expect(setting.server.questions("h2.silent.test")).toBe(0);
  });

  it("knows localhost and the names below it without asking", async () => {
    const setting = await setUp({});
    for (const host of ["localhost", "a.localhost"]) {
      expect(addressesOf(await ask(setting, host))).toEqual(["127.0.0.1", "::1"]);
    }
    expect(setting.server.asked).toEqual([]);
  });

  it.each([
    ["a.test", true],
    ["192.0.2.1", false],
    ["[2001:db8::1]", false],
    ["a.localhost", false],
  ])("needs a server for the addresses of %s: %s", async (host, needsServer) => {
    const { resolver } = await setUp({});
    expect(resolver.needsServer(host as HostName)).toBe(needsServer);
  });

  it("ends the questions under way when it stops", async () => {
    const setting = await setUp({ "a.test": { kind: "silence" } }, { timeoutMs: 60_000 });
    const pending = ask(setting, "a.test");
    setting.resolver.stop();
    expect(addressesOf(await pending)).toEqual(["aborted"]);
    expect(addressesOf(await ask(setting, "b.test"))).toEqual(["aborted"]);
  });

  it("begins no question any more that waits as it stops", async () => {
    const names = { "a.test": { kind: "silence" } as const, "b.test": at("192.0.2.1", 60) };
    const setting = await setUp(names, { timeoutMs: 60_000, concurrencyMax: 1 });
    const asked = [ask(setting, "a.test"), ask(setting, "b.test")];
    setting.resolver.stop();
    expect((await Promise.all(asked)).map(addressesOf)).toEqual([["aborted"], ["aborted"]]);
  });

  describe("of which one question gets a malformed answer", () => {
    /** The question for `held.test` is on the wire; the next answer to anybody cannot be read. */
    async function hold(): Promise<Setting & { readonly held: Promise<ResolveOutcome> }> {
      const names: Readonly<Record<string, DnsName>> = {
        "held.test": { kind: "silence" },
        "bad.test": { kind: "malformed" },
      };
      const setting = await setUp(names, { timeoutMs: 60_000 });
      const held = ask(setting, "held.test");
      await expect.poll(() => setting.server.asked).toEqual(["A held.test"]);
      return { ...setting, held };
    }

    it("asks the others again, and that one once", async () => {
      const setting = await hold();
      setting.server.set("held.test", at("192.0.2.2", 60));
      expect(addressesOf(await ask(setting, "bad.test"))).toEqual(["dns-error"]);
      expect(addressesOf(await setting.held)).toEqual(["192.0.2.2"]);
      expect(setting.server.questions("bad.test")).toBe(2);
    });

    it("ends those that it has asked again when it stops", async () => {
      const setting = await hold();
      await ask(setting, "bad.test");
      await expect.poll(() => setting.server.questions("held.test")).toBe(2);
      setting.resolver.stop();
      expect(addressesOf(await setting.held)).toEqual(["aborted"]);
    });
  });

  describe("whose server answers most names at once, and one after a while", () => {
    /** The question for `slow.test` is on the wire: c-ares expects its answer as soon as the others came. */
    async function askSlow() {
      const fast = Array.from({ length: 4 }, (_, index) => `fast${index}.test`);
      const known = fast.map((name) => [name, at("192.0.2.1", 60)] as const);
      const names = { ...Object.fromEntries(known), "slow.test": { kind: "silence" } as const };
      const setting = await setUp(names, { timeoutMs: 2_500 });
      for (const name of fast) await ask(setting, name);
      const slow = ask(setting, "slow.test");
      await expect.poll(() => setting.server.questions("slow.test")).toBe(1);
      return { ...setting, slow };
    }

    it("waits for that as long as it was told to", async () => {
      const setting = await askSlow();
      setting.server.set("slow.test", at("192.0.2.2", 60));
      expect(addressesOf(await setting.slow)).toEqual(["192.0.2.2"]);
    });

    it("waits no longer", async () => {
      const setting = await askSlow();
      setting.clock.atMs += 2_500;
      expect(addressesOf(await setting.slow)).toEqual(["dns-timeout"]);
      expect(setting.server.questions("slow.test")).toBe(1);
    });
  });

  describe("on a machine that moves to another network", () => {
    /** The system names one server, then another one. */
    async function move(changes: Partial<DnsResolverOptions> = {}) {
      const silent = { kind: "silence" } as const;
      const failing = { "failing.test": { kind: "server-failure" } } as const;
      const former = await setUp({ "a.test": silent, "b.test": silent, ...failing });
      const there = { "a.test": at("192.0.2.1", 60), "b.test": at("192.0.2.2", 60) };
      const latter = await setUp({ ...there, ...failing });
      let { server } = former.server;
      const newCares: DnsResolverPorts["newCares"] = (settings) => {
        const cares = new Resolver(settings);
        cares.setServers([server]);
        return cares;
      };
      const options = { ...defaultDnsResolverOptions, timeoutMs: 40, tries: 1, ...changes };
      const { clock } = former;
      const resolver = new DnsResolver({ clock, newCares }, options);
      closers.push(() => {
        resolver.stop();
        return Promise.resolve();
      });
      clock.atMs += options.rereadMs;
      server = latter.server.server;
      return { ...former, resolver, latter: latter.server };
    }

    it("asks the servers that the system has there when those that it had do not answer", async () => {
      const setting = await move();
      expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.1"]);
      expect(addressesOf(await ask(setting, "b.test"))).toEqual(["192.0.2.2"]);
      expect(setting.server.asked).toEqual(["A a.test"]);
    });

    it("leaves nobody with the former ones who has asked them before", async () => {
      const setting = await move({ timeoutMs: 60_000 });
      setting.latter.set("a.test", { kind: "silence" });
      const waiting = ask(setting, "a.test");
      await expect.poll(() => setting.server.asked).toEqual(["A a.test"]);
      expect(addressesOf(await ask(setting, "failing.test"))).toEqual(["dns-error"]);
      setting.resolver.stop();
      expect(addressesOf(await waiting)).toEqual(["aborted"]);
    });

    it("does not read so soon again what the system's servers are", async () => {
      const setting = await move();
      setting.clock.atMs -= 41;
      const asked = ask(setting, "a.test");
      setting.clock.atMs += 40;
      expect(addressesOf(await asked)).toEqual(["dns-timeout"]);
      expect(setting.latter.asked).toEqual([]);
    });

    it("prefers IPv6 addresses where it has no others there", async () => {
      let hasIPv6Alone = false;
      const setting = await move({ prefersIPv6: () => hasIPv6Alone });
      hasIPv6Alone = true;
      expect(addressesOf(await ask(setting, "a.test"))).toEqual(["192.0.2.1"]);
      expect(setting.latter.asked).toEqual(["AAAA a.test", "A a.test"]);
    });
  });

  it("says which server option it cannot use", () => {
    const options = { ...defaultDnsResolverOptions, server: "dns.test:53" };
    expect(() => new DnsResolver({ clock: new HandClock() }, options)).toThrow(CrawlError);
  });
});
