/**
 * The part of `@exodus/bytes/multi-byte.js` that decoding uses, for `core`'s own type check: the package's declarations bring
 * in those of Node, and with them every impure global.
 */
export function createMultibyteDecoder(
  encoding: string,
  loose?: boolean,
): (bytes: Uint8Array) => string;
