import { Resolver } from "node:dns/promises";
import { getEventListeners } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DnsResolver, defaultDnsResolverOptions } from "../../../src/adapters/dns/dns-resolver.ts";
import type { HostName } from "../../../src/core/units.ts";
import { DnsServer } from "./dns-server.ts";

describe("DnsResolver, when a question has been answered,", () => {
  let server: DnsServer;
  beforeEach(async () => {
    const known = { kind: "addresses", addresses: ["192.0.2.1"], ttlS: 60 } as const;
    server = new DnsServer({ "a.test": known, "bad.test": { kind: "malformed" } });
    await server.start();
  });
  afterEach(() => server.stop());

  const clock = { nowMs: () => 0 };

  it("listens no more to whoever asked it", async () => {
    const options = { ...defaultDnsResolverOptions, server: server.server };
    const resolver = new DnsResolver({ clock }, options);
    const { signal } = new AbortController();
    await resolver.resolve("a.test" as HostName, signal);
    await resolver.resolve("b.test" as HostName, signal);
    resolver.stop();
    await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
  });

  it("keeps nothing of those that it has asked apart from the others", async () => {
    const made: Resolver[] = [];
    const cancelled: Resolver[] = [];
    const newCares = (settings: ConstructorParameters<typeof Resolver>[0]): Resolver => {
      const cares = new Resolver(settings);
      const cancel = cares.cancel.bind(cares);
      cares.cancel = () => {
        cancelled.push(cares);
        cancel();
      };
      made.push(cares);
      return cares;
    };
    const options = { ...defaultDnsResolverOptions, server: server.server };
    const resolver = new DnsResolver({ clock, newCares }, options);
    const { signal } = new AbortController();
    const outcome = await resolver.resolve("bad.test" as HostName, signal);
    expect(outcome).toMatchObject({ kind: "failure", failure: "dns-error" });
    resolver.stop();
    expect(made).toHaveLength(2);
    expect(cancelled).toEqual(made.slice(0, 1));
  });
});

describe("DnsResolver, where only the system knows the names,", () => {
  it("has it look up two at a time, since each keeps one of few threads", async () => {
    const server = new DnsServer({});
    await server.start();
    const answers: (() => void)[] = [];
    const found = [{ address: "192.0.2.2", family: 4 as const }];
    const lookUp = (): Promise<typeof found> =>
      new Promise((resolve) => answers.push(() => resolve(found)));
    const newCares = (settings: ConstructorParameters<typeof Resolver>[0]): Resolver => {
      const cares = new Resolver(settings);
      cares.setServers([server.server]);
      return cares;
    };
    const ports = { clock: { nowMs: () => 0 }, newCares, lookUp };
    const resolver = new DnsResolver(ports, defaultDnsResolverOptions);
    const { signal } = new AbortController();
    const outcomes = Promise.all(
      ["a", "b", "c", "d", "e"].map((name) => resolver.resolve(name as HostName, signal)),
    );
    await expect.poll(() => server.asked.length).toBe(5);
    for (let left = 5; left > 0; left -= 1) {
      await expect.poll(() => answers.length).toBe(Math.min(2, left));
      answers.shift()?.();
    }
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ kind: "addresses" });
    resolver.stop();
    await server.stop();
  });
});

it("DnsResolver begins no question any more that it looks up in the hosts file as it stops", async () => {
  const server = new DnsServer({});
  await server.start();
  const newCares = (settings: ConstructorParameters<typeof Resolver>[0]): Resolver => {
    const cares = new Resolver(settings);
    cares.setServers([server.server]);
    return cares;
  };
  const ports = { clock: { nowMs: () => 0 }, newCares, hostsFile: join(tmpdir(), "none", "hosts") };
  const resolver = new DnsResolver(ports, defaultDnsResolverOptions);
  const pending = resolver.resolve("a.test" as HostName, new AbortController().signal);
  resolver.stop();
  expect(await pending).toMatchObject({ failure: "aborted" });
  expect(server.asked).toEqual([]);
  await server.stop();
});
