import { Resolver } from "node:dns/promises";
import { describe, expect, it } from "vitest";
import { addressText } from "../../../node/config/peer-config.ts";
import { hostAndPort } from "../../../node/config/value-readers.ts";

describe("addressText", () => {
  it.each(["127.0.0.1:53", "[::1]:5353", "dns.example:53"])("writes %s as it was read", (text) => {
    const reading = hostAndPort(1, "")(text);
    expect(reading.ok && addressText(reading.value)).toBe(text);
  });

  it("names an IPv6 name server with its port", () => {
    const resolver = new Resolver();
    resolver.setServers([addressText({ host: "::1", port: 5353 })]);
    expect(resolver.getServers()).toEqual(["[::1]:5353"]);
  });
});
