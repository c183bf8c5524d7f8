import xxhash from "xxhash-wasm";

/**
 * The one hash of the project: XXH64 (Collet, xxHash specification 0.1.1), as WebAssembly.
 *
 * The module is compiled once, while the program loads; that is the only `await` in `core`.
 */
const hasher = await xxhash();

/** 64-bit hash of the UTF-8 bytes of `text`. */
export function hash64(text: string, seed = 0n): bigint {
  return hasher.h64(text, seed);
}

/** 64-bit hash of `bytes`. */
export function hash64Bytes(bytes: Uint8Array, seed = 0n): bigint {
  return hasher.h64Raw(bytes, seed);
}
