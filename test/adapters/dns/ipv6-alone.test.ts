import type { NetworkInterfaceInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { hasIPv6Alone } from "../../../src/adapters/dns/ipv6-alone.ts";

function interfaceWith(...addresses: readonly string[]): NetworkInterfaceInfo[] {
  return addresses.map((address) => {
    const internal = address === "127.0.0.1" || address === "::1";
    const common = { address, netmask: "", mac: "", internal, cidr: null };
    return address.includes(":")
      ? { ...common, family: "IPv6", scopeid: 0 }
      : { ...common, family: "IPv4" };
  });
}

describe("hasIPv6Alone", () => {
  it.each([
    ["IPv6 alone", ["2001:db8::1", "fe80::1"], true],
    ["IPv6 of its own network alone", ["fd00::1"], true],
    ["IPv6 and what no router passes on", ["2001:db8::1", "169.254.7.7"], true],
    ["both", ["2001:db8::1", "192.0.2.1"], false],
    ["IPv4 alone, as what every interface has does not count", ["192.0.2.1", "fe80::1"], false],
    ["no network", [], false],
  ])("tells a machine with %s", (_, addresses, isAlone) => {
    const lo = interfaceWith("127.0.0.1", "::1");
    expect(hasIPv6Alone({ lo, eth0: interfaceWith(...addresses), down: undefined })).toBe(isAlone);
  });
});
