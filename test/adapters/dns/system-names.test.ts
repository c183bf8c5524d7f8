import { Resolver } from "node:dns/promises";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DnsResolver, defaultDnsResolverOptions } from "../../../src/adapters/dns/dns-resolver.ts";
import type { DnsResolverPorts } from "../../../src/adapters/dns/dns-resolver.ts";
import type { HostName } from "../../../src/core/units.ts";
import { addressesOf } from "../../contracts/resolver.ts";
import { DnsServer, type DnsName } from "./dns-server.ts";

type LookUp = NonNullable<DnsResolverPorts["lookUp"]>;

const never = new AbortController().signal;
const clock = { nowMs: () => 1_700_000_000_000 };

let directory: string;
let hostsFile: string;
let server: DnsServer;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "hosts-"));
  hostsFile = join(directory, "hosts");
});
afterEach(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

/** What a name's addresses are where the system has such a hosts file, name server and look-up. */
async function resolve(
  name: string,
  hosts: string,
  names: Readonly<Record<string, DnsName>>,
  lookUp: LookUp,
): Promise<readonly string[]> {
  await writeFile(hostsFile, hosts);
  server = new DnsServer(names);
  await server.start();
  const newCares: DnsResolverPorts["newCares"] = (settings) => {
    const cares = new Resolver(settings);
    cares.setServers([server.server]);
    return cares;
  };
  const ports = { clock, newCares, lookUp, hostsFile };
  const resolver = new DnsResolver(ports, defaultDnsResolverOptions);
  const outcome = await resolver.resolve(name as HostName, never);
  resolver.stop();
  return addressesOf(outcome);
}

describe("DnsResolver, of names that the system itself knows", () => {
  it.each([
    ["gone.test", "dns-not-found"],
    ["hosts.test", "192.0.2.1"],
    ["host.test", "dns-not-found"],
    ["intranet", "192.0.2.2"],
  ])(
    "looks %s up below no search domain of the system unless it is one label",
    async (name, found) => {
      const hosts = "127.0.0.1 localhost # host.test\n192.0.2.1\tHOSTS.test\r\n";
      /** All names are there below the search domain. */
      const lookUp: LookUp = (asked) => {
        const address = asked === "hosts.test" ? "192.0.2.1" : "192.0.2.2";
        if (!asked.endsWith(".")) return Promise.resolve([{ address, family: 4 }]);
        return Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
      };
      expect(await resolve(name, hosts, {}, lookUp)).toEqual([found]);
    },
  );

  it("takes a name of the hosts file from there, whatever a name server says", async () => {
    const served = { "a.test": { kind: "addresses", addresses: ["192.0.2.1"], ttlS: 60 } } as const;
    const lookUp: LookUp = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    expect(await resolve("a.test", "127.0.0.1 a.test\n", served, lookUp)).toEqual(["127.0.0.1"]);
    expect(server.asked).toEqual([]);
  });
});
