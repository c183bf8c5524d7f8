import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantError } from "../../../src/core/errors.ts";
import { hostAddress, hostKey, ringPosition } from "../../../src/core/record/host-keys.ts";
import {
  circle,
  keyPrefixOf,
  positionOf,
  positionOfHash,
  positionOfKey,
  type RingPosition,
} from "../../../src/core/ring/ring-position.ts";
import type { HostName, SiteName } from "../../../src/core/units.ts";

const anyHash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

describe("RingPosition", () => {
  it("is the high 52 bits of a hash", () => {
    fc.assert(
      fc.property(anyHash, (hash) => {
        expect(positionOfHash(hash)).toBe(Number(hash >> 12n));
      }),
    );
  });

  it("of a site is the one in its database keys", () => {
    const site = "example.org" as SiteName;
    const key = hostKey("host", hostAddress(site, "www.example.org" as HostName));
    expect(positionOfKey(key)).toBe(positionOf(site));
    expect(positionOf(site)).toBe(positionOfHash(ringPosition(site)));
  });

  it("has the key prefix at which its range of keys begins", () => {
    fc.assert(
      fc.property(anyHash, (hash) => {
        const position = positionOfHash(hash);
        const prefix = keyPrefixOf(position);
        expect(Buffer.from(prefix).readBigUInt64BE()).toBe(BigInt(position) << 12n);
        expect(positionOfKey(Uint8Array.of(1, ...prefix))).toBe(position);
      }),
    );
  });

  it("has no key at the circle's end, and none in a key that is too short", () => {
    expect(() => keyPrefixOf(circle)).toThrow(InvariantError);
    expect(() => keyPrefixOf(-1 as RingPosition)).toThrow(InvariantError);
    expect(() => positionOfKey(new Uint8Array(8))).toThrow(InvariantError);
  });
});
