import { describe, expect, it } from "vitest";
import { FoundAddresses } from "../../node/found-addresses.ts";

/** An address of a member. */
const at = (port: number, member = port): string =>
  `/ip4/192.0.2.1/tcp/${port}/p2p/member-${member}`;

describe("addresses that were found on the local network", () => {
  it.each([
    ["eight of one member", 8, () => 1],
    ["a hundred and twenty-eight", 128, (port: number) => port],
  ])("wait to be tried, %s at most", (_, most, memberOf) => {
    const found = new FoundAddresses();
    for (let port = 1; port <= most + 1; port += 1) {
      expect(found.add(at(port, memberOf(port)), 0)).toBe(true);
      expect(found.size).toBe(Math.min(port, most));
    }
  });

  it("wait once, and are tried once, unless nobody has found that they lead nowhere", () => {
    const found = new FoundAddresses();
    found.add(at(1), 0);
    found.add(at(1), 0);
    expect(found.size).toBe(1);
    expect(found.take()).toEqual([at(1)]);
    expect(found.add(at(1), 1e9)).toBe(false);
    found.giveBack(at(1));
    expect(found.add(at(1), 0)).toBe(true);
    expect(found.take()).toEqual([at(1)]);
    expect(found.size).toBe(0);
  });

  it("are tried again five seconds after nobody has answered there", () => {
    const found = new FoundAddresses();
    found.failed(at(1), 1_000);
    expect([5_999, 6_000].map((nowMs) => found.add(at(1), nowMs))).toEqual([false, true]);
  });

  it("are forgotten where a thousand others were tried since", () => {
    const found = new FoundAddresses();
    for (let port = 1; port <= 1_024; port += 1) found.failed(at(port), 0);
    expect(found.add(at(1), 0)).toBe(false);
    found.failed(at(1), 0);
    found.failed(at(1_025), 0);
    expect([1, 2, 3].map((port) => found.add(at(port), 0))).toEqual([false, true, false]);
  });
});
