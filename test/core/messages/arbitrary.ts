import fc from "fast-check";
import { hostKey } from "../../../src/core/record/host-keys.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import type { Row } from "../../../src/core/messages/rows.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { circle } from "../../../src/core/ring/ring-position.ts";
import type { RingPosition } from "../../../src/core/ring/ring-position.ts";
import type { MemberId } from "../../../src/core/units.ts";

const position = fc.oneof(
  fc.constantFrom(0, 1, circle - 1, circle),
  fc.integer({ min: 0, max: circle }),
);

export const arcSets: fc.Arbitrary<ArcSet> = fc
  .array(fc.tuple(position, position), { maxLength: 5 })
  .map((pairs) =>
    ArcSet.of(
      pairs.map(([a, b]) => ({
        from: Math.min(a, b) as RingPosition,
        to: Math.max(a, b) as RingPosition,
      })),
    ),
  );

export const generations = fc.nat(2 ** 40);

export const moments = fc.double({ min: 0, max: 2e12, noNaN: true }).map(Math.abs);

export const members = fc.constantFrom("peer-a", "peer-b", "peer-c") as fc.Arbitrary<MemberId>;

export const keys = fc
  .record({ at: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), host: fc.boolean() })
  .map(({ at, host }) =>
    host
      ? hostKey("host", { position: at, hostHash: 5n })
      : urlKey("url", at, Uint32Array.of(1, 2, 3, 4), 0, 5),
  );

export const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({ key: keys, value: fc.uint8Array({ maxLength: 8 }) }, { requiredKeys: ["key"] }),
  { maxLength: 6 },
);

const hashMax = 2n ** 64n - 1n;

/** Hashes of 64 bits, also those at which an encoding by 7, 31, 32 or 63 bits begins to be another. */
export const hashes = fc.oneof(
  fc.bigInt({ min: 0n, max: hashMax }),
  fc
    .tuple(fc.nat(64), fc.constantFrom(-1n, 0n, 1n))
    .map(([bits, more]) => 2n ** BigInt(bits) + more)
    .filter((hash) => hash <= hashMax),
);
