import { describe, expect, it } from "vitest";
import { AddressBook } from "../../../src/adapters/libp2p/address-book.ts";
import { readable, toMultiaddr } from "../../../src/adapters/libp2p/address.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import type { MemberId } from "../../../src/core/units.ts";

const member = "12D3KooWEyopopk8eZr1nXMGgYsF5P4cPoRLn2GCxP8rXnJEDzH1" as MemberId;
const other = "12D3KooWGjMCHn6qYHyzYTZW4jRYbBVn4BzNzRTPMkqLcdBPXbpk";

describe("an address of a peer", () => {
  it.each([
    ["127.0.0.1:7700", "/ip4/127.0.0.1/tcp/7700", "127.0.0.1:7700"],
    ["[::1]:7700", "/ip6/::1/tcp/7700", "[::1]:7700"],
    ["peer-1.example.org:80", "/dns/peer-1.example.org/tcp/80", "peer-1.example.org:80"],
    ["Localhost:0", "/dns/localhost/tcp/0", "localhost:0"],
    ["/ip4/192.0.2.7/tcp/1", "/ip4/192.0.2.7/tcp/1", "192.0.2.7:1"],
    ["/dns4/a.test/tcp/65535", "/dns4/a.test/tcp/65535", "a.test:65535"],
    [
      `/ip6/2001:db8::1/tcp/9/p2p/${member}`,
      `/ip6/2001:db8::1/tcp/9/p2p/${member}`,
      "[2001:db8::1]:9",
    ],
  ])("can be written as %s", (text, expected, shown) => {
    expect(toMultiaddr(text)).toBe(expected);
    expect(readable(expected)).toBe(shown);
  });

  it.each([
    "",
    ":7700",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:65536",
    "127.0.0.1:-1",
    "1.2.3:7700",
    "256.0.0.1:7700",
    "::1:7700",
    "[::1%eth0]:7700",
    "[host]:7700",
    "a b:7700",
    "-a.test:7700",
    "http://a.test:80",
    "a.test:80/path",
    "/ip4/127.0.0.1",
    "/ip4/127.0.0.1/udp/7700",
    "/ip4/127.0.0.1/tcp/7700/ws",
    "/ip4/999.0.0.1/tcp/7700",
    "/unix/tmp/socket",
    "/",
    `/ip4/127.0.0.1/tcp/7700/p2p/${"x".repeat(300)}`,
  ])("is not %j", (text) => {
    expect(() => toMultiaddr(text)).toThrow(CrawlError);
    expect(() => toMultiaddr(text)).toThrow("is no address of a peer");
  });

  it("of an unknown form is shown as it is", () => {
    expect(readable("/unix/tmp/socket")).toBe("/unix/tmp/socket");
  });
});

describe("the address book", () => {
  it("adds the member's id, and leaves out what is no address or another member's", () => {
    const book = new AddressBook();
    const own = `/ip4/192.0.2.2/tcp/2/p2p/${member}`;
    const told = [
      "/ip4/192.0.2.1/tcp/1",
      own,
      `/ip4/192.0.2.3/tcp/3/p2p/${other}`,
      "?",
      "/ip4/1.2.3.4/tcp/0",
    ];
    book.learn(member, told);
    expect(book.addressesOf(member)).toEqual([`/ip4/192.0.2.1/tcp/1/p2p/${member}`, own]);
  });

  it("keeps what it knows when nothing better is told", () => {
    const book = new AddressBook();
    book.learn(member, ["/ip4/192.0.2.1/tcp/1"]);
    book.learn(member, []);
    book.learn(member, ["nonsense"]);
    expect(book.addressesOf(member)).toHaveLength(1);
  });

  it("keeps few addresses of a member, and few members, the latest", () => {
    const book = new AddressBook();
    const many = Array.from({ length: 99 }, (_, port) => `/ip4/192.0.2.1/tcp/${port + 1}`);
    book.learn(member, many);
    expect(book.addressesOf(member)).toHaveLength(8);
    for (let at = 0; at < 10_000; at += 1)
      book.learn(`m${at}` as MemberId, ["/ip4/192.0.2.1/tcp/1"]);
    expect(book.addressesOf(member)).toEqual([]);
    expect(book.addressesOf("m0" as MemberId)).toHaveLength(1);
  });
});
