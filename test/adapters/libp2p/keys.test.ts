import { describe, expect, it } from "vitest";
import { memberIdOf, newPeerKey } from "../../../src/adapters/libp2p/peer-key.ts";
import {
  formatSwarmKey,
  newSwarmKey,
  parseSwarmKey,
} from "../../../src/adapters/libp2p/swarm-key.ts";
import { CrawlError } from "../../../src/core/errors.ts";

describe("a peer's key", () => {
  it("is another one each time, and gives the same id each time", async () => {
    const [one, two] = [await newPeerKey(), await newPeerKey()];
    expect(memberIdOf(one)).toBe(memberIdOf(Uint8Array.from(one)));
    expect(memberIdOf(one)).not.toBe(memberIdOf(two));
    expect(memberIdOf(one)).toMatch(/^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}$/);
  });

  it("is not just any bytes", async () => {
    const key = await newPeerKey();
    for (const bytes of [new Uint8Array(0), key.subarray(0, 20), new Uint8Array(68).fill(255)]) {
      expect(() => memberIdOf(bytes)).toThrow(CrawlError);
    }
  });
});

describe("a swarm key", () => {
  it("is another one each time, of 32 bytes", () => {
    expect(newSwarmKey()).toHaveLength(32);
    expect(newSwarmKey()).not.toEqual(newSwarmKey());
  });

  it("is written as libp2p's private networks do", () => {
    const text = formatSwarmKey(new Uint8Array(32).fill(0xab));
    expect(text).toBe(`/key/swarm/psk/1.0.0/\n/base16/\n${"ab".repeat(32)}\n`);
    const key = newSwarmKey();
    expect(parseSwarmKey(formatSwarmKey(key))).toEqual(key);
    expect(
      parseSwarmKey(
        text.toUpperCase().replace(/^.*\n.*\n/, "/key/swarm/psk/1.0.0/\r\n/base16/\r\n"),
      ),
    ).toEqual(new Uint8Array(32).fill(0xab));
  });

  it.each([
    ["nothing", ""],
    ["another header", `/key/swarm/psk/2.0.0/\n/base16/\n${"ab".repeat(32)}\n`],
    ["another encoding", `/key/swarm/psk/1.0.0/\n/base64/\n${"ab".repeat(32)}\n`],
    ["too few digits", `/key/swarm/psk/1.0.0/\n/base16/\n${"ab".repeat(31)}\n`],
    ["what are no digits", `/key/swarm/psk/1.0.0/\n/base16/\n${"xy".repeat(32)}\n`],
    ["a line too many", `/key/swarm/psk/1.0.0/\n/base16/\n${"ab".repeat(32)}\nmore\n`],
  ])("cannot be read from %s", (_, text) => {
    expect(() => parseSwarmKey(text)).toThrow(CrawlError);
  });
});
