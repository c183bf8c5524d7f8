import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { unlessMissing } from "../src/adapters/warc/archive-files.ts";
import { CrawlError } from "../src/core/errors.ts";
import { base58 } from "./base58.ts";
import type { DataLayout } from "./config/peer-config.ts";
import { exists } from "./exists.ts";
import { notWritten, writeSecret } from "./whole-file.ts";

/** Who a peer is: drawn once for its data directory and kept there. */
export interface PeerIdentity {
  /** Its name everywhere: the id that others know it by in a swarm. */
  readonly id: string;
  /** Short name for files: letters and digits. */
  readonly fileName: string;
  /** Its private key; absent in directories of before there were keys, whose peers cannot join a swarm. */
  readonly key?: Uint8Array;
}

/** Of a name that was drawn before there were keys. */
const namePattern = /^[0-9a-z]{12}$/;

const advice = "restore it from a copy, or name another directory";

/** A key of 68 bytes in base 64; anything larger is another file. */
const keyTextMax = 1_024;

/**
 * The serialised key pair, as libp2p has it: a protobuf message with the type (1, Ed25519) and 64 bytes, of which the second
 * half is the public key.
 */
const keyHead = Uint8Array.of(0x08, 0x01, 0x12, 0x40);
/** The public key's message, and before it "what follows is no hash but the thing itself, of 36 bytes" (multihash). */
const idHead = Uint8Array.of(0x00, 0x24, 0x08, 0x01, 0x12, 0x20);
/** What an Ed25519 private key of 32 bytes has before it in PKCS #8 (RFC 8410, section 7). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");
const keyBytes = 32;

/**
 * The identity of the peer that runs in a directory, made where there is none. A peer that crawls alone has one too, so
 * that it can join a swarm later under the name by which its archive knows it; it is made without loading the network.
 *
 * Errors: `DATA_DIR_UNUSABLE` when the key is damaged, or missing where a peer has run before; a lost key would be a lost
 * identity, so it is never replaced. Those of `writeWhole` when it cannot be written.
 */
export async function peerIdentity({
  keyFile,
  nameFile,
  leasesFile,
}: Pick<DataLayout, "keyFile" | "leasesFile" | "nameFile">): Promise<PeerIdentity> {
  const known = await unlessMissing(() => readFile(keyFile, "utf8"));
  if (known !== undefined) return identityOf(readKey(known, keyFile));
  const name = (await unlessMissing(() => readFile(nameFile, "utf8")))?.trim();
  if (name === undefined) {
    // Written by every peer that has run, and not before it has a key.
    if (await exists(leasesFile)) {
      throw unusable(keyFile, `${keyFile} is missing, and a peer has run here; ${advice}`);
    }
    return identityOf(await makeKey(keyFile));
  }
  if (namePattern.test(name)) return { id: name, fileName: name };
  throw unusable(nameFile, `${nameFile} does not hold a peer's name`);
}

/** A new key pair; see {@link keyHead}. */
export function newKey(): Uint8Array {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { d = "", x = "" } = privateKey.export({ format: "jwk" });
  return Buffer.concat([keyHead, Buffer.from(d, "base64url"), Buffer.from(x, "base64url")]);
}

/** Name of the member that has this key: the base 58 form of its public key. */
export function idOfKey(key: Uint8Array): string {
  return base58(Buffer.concat([idHead, key.subarray(keyHead.length + keyBytes)]));
}

function identityOf(key: Uint8Array): PeerIdentity {
  const id = idOfKey(key);
  return { id, fileName: id.slice(-12), key };
}

function readKey(text: string, file: string): Uint8Array {
  const key = Buffer.from(text.trim(), "base64");
  const isWhole =
    text.length <= keyTextMax &&
    key.length === keyHead.length + 2 * keyBytes &&
    key.subarray(0, keyHead.length).equals(keyHead);
  if (
    isWhole &&
    publicOf(key.subarray(keyHead.length, -keyBytes)).equals(key.subarray(-keyBytes))
  ) {
    return key;
  }
  throw unusable(file, `${file} does not hold a peer's key (it is damaged); ${advice}`);
}

/** The public half that belongs to a private one. */
function publicOf(secret: Uint8Array): Buffer {
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Head, secret]),
    format: "der",
    type: "pkcs8",
  });
  return Buffer.from(createPublicKey(key).export({ format: "jwk" }).x ?? "", "base64url");
}

/** Writes a new key, whole or not at all; of two processes that try at once, both get that of the first. */
async function makeKey(file: string): Promise<Uint8Array> {
  const key = newKey();
  try {
    await writeSecret(file, `${Buffer.from(key).toString("base64")}\n`);
  } catch (error) {
    throw notWritten(error, file, "the peer's key");
  }
  return readKey(await readFile(file, "utf8"), file);
}

function unusable(file: string, problem: string): CrawlError {
  return new CrawlError("DATA_DIR_UNUSABLE", problem, { file });
}
