import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from "@libp2p/crypto/keys";
import type { PrivateKey } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { CrawlError } from "../../core/errors.ts";
import type { MemberId } from "../../core/units.ts";

/** A new key of a peer: Ed25519, in libp2p's protobuf encoding. */
export async function newPeerKey(): Promise<Uint8Array> {
  return privateKeyToProtobuf(await generateKeyPair("Ed25519"));
}

/** The id of the peer that has this key, in libp2p's text form. Throws a {@link CrawlError} when the bytes are no key. */
export function memberIdOf(key: Uint8Array): MemberId {
  return peerIdFromPrivateKey(readPeerKey(key)).toString() as MemberId;
}

/** The key in an encoding. Throws a {@link CrawlError} when the bytes are none. */
export function readPeerKey(key: Uint8Array): PrivateKey {
  try {
    return privateKeyFromProtobuf(key);
  } catch (cause) {
    const expected = "expected a private key in libp2p's encoding";
    throw new CrawlError("CONFIG_INVALID", `the peer key is damaged: ${expected}`, {}, { cause });
  }
}
