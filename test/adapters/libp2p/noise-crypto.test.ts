import { randomBytes } from "node:crypto";
import type { ICryptoInterface } from "@chainsafe/libp2p-noise";
import { defaultCrypto } from "@chainsafe/libp2p-noise/crypto";
import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { noiseCrypto } from "../../../src/adapters/libp2p/noise-crypto.ts";

/** On both sides of the length from which messages go another way, and the largest that Noise has. */
const lengths = [0, 1, 1_183, 1_184, 1_199, 1_200, 1_201, 5_000, 65_519];
const key = randomBytes(32);
const nonce = randomBytes(12);
const nothing = new Uint8Array(0);

type Message = Parameters<ICryptoInterface["chaCha20Poly1305Encrypt"]>[0];

/** A list as libp2p makes them: of a later version of the package than the one that Noise's types are of. */
function inPieces(bytes: Uint8Array): Message {
  const third = Math.ceil(bytes.length / 3);
  return new Uint8ArrayList(bytes.subarray(0, third), bytes.subarray(third)) as unknown as Message;
}

describe("the cryptography of a connection", () => {
  it.each(lengths)("is what the package's own is, with %i bytes", (length) => {
    const text = randomBytes(length);
    const sealed = noiseCrypto.chaCha20Poly1305Encrypt(text, nonce, nothing, key).subarray();
    const theirs = defaultCrypto.chaCha20Poly1305Encrypt(text, nonce, nothing, key).subarray();
    expect(Buffer.compare(sealed, theirs)).toBe(0);
    const opened = noiseCrypto.chaCha20Poly1305Decrypt(theirs, nonce, nothing, key).subarray();
    expect(Buffer.compare(opened, text)).toBe(0);
  });

  it.each(lengths)("takes a message in pieces, of %i bytes", (length) => {
    const text = randomBytes(length);
    const sealed = noiseCrypto.chaCha20Poly1305Encrypt(inPieces(text), nonce, nothing, key);
    const pieces = inPieces(sealed.subarray());
    const opened = noiseCrypto.chaCha20Poly1305Decrypt(pieces, nonce, nothing, key).subarray();
    expect(Buffer.compare(opened, text)).toBe(0);
  });

  it.each([100, 5_000])("refuses a message of %i bytes that was changed", (length) => {
    const sealed = noiseCrypto.chaCha20Poly1305Encrypt(randomBytes(length), nonce, nothing, key);
    const changed = Uint8Array.from(sealed.subarray());
    changed[length - 1] = (changed[length - 1] ?? 0) ^ 1;
    expect(() => noiseCrypto.chaCha20Poly1305Decrypt(changed, nonce, nothing, key)).toThrow();
  });

  it("keeps the keys of two connections apart", () => {
    const sealed = noiseCrypto.chaCha20Poly1305Encrypt(randomBytes(5_000), nonce, nothing, key);
    const other = randomBytes(32);
    expect(() => noiseCrypto.chaCha20Poly1305Decrypt(sealed, nonce, nothing, other)).toThrow();
  });
});
