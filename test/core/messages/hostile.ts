import fc from "fast-check";
import { expect } from "vitest";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";

/** Bytes as a stranger may send them: noise, or a true message with some bytes changed, cut off or doubled. */
function hostile(valid: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  const mutated = fc.tuple(valid, changes, fc.nat(), fc.nat()).map(([bytes, edits, from, to]) => {
    const copy = new Uint8Array(bytes);
    for (const [at, value] of edits) if (copy.length > 0) copy[at % copy.length] = value;
    const [start, end] = [from % (copy.length + 1), to % (copy.length + 1)];
    return start < end ? Uint8Array.of(...copy.subarray(0, end), ...copy.subarray(start)) : copy;
  });
  return fc.oneof(fc.uint8Array({ maxLength: 64 }), mutated);
}

/**
 * Whatever a stranger sends, `decode` returns nothing, or something that a peer could itself have sent: `encode` and `decode` bring it back.
 */
export function expectSafe<T>(
  valid: fc.Arbitrary<Uint8Array>,
  decode: (payload: Uint8Array) => T | undefined,
  encode: (message: T) => Uint8Array,
): void {
  fc.assert(
    fc.property(hostile(valid), (payload) => {
      const message = decode(payload);
      if (message === undefined) return;
      expect(plain(decode(encode(message)))).toEqual(plain(message));
    }),
    { numRuns: 400 },
  );
}

/** The same data with sets of arcs as their bounds: what an {@link ArcSet} holds is hidden from a comparison. */
export function plain(data: unknown): unknown {
  if (data instanceof ArcSet) return data.toBounds();
  if (typeof data !== "object" || data === null || data instanceof Uint8Array) return data;
  if (Array.isArray(data)) return data.map(plain);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, plain(value)]));
}
