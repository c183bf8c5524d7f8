import { randomBytes } from "node:crypto";
import { CrawlError } from "../../core/errors.ts";

/** A key of XSalsa20. */
export const swarmKeyBytes = 32;

const header = "/key/swarm/psk/1.0.0/";
const encoding = "/base16/";

/** A new key that closes a swarm: who has another one, or none, cannot connect. */
export function newSwarmKey(): Uint8Array {
  return new Uint8Array(randomBytes(swarmKeyBytes));
}

/** The content of a swarm key file, as all of libp2p's private networks have it. */
export function formatSwarmKey(key: Uint8Array): string {
  return `${header}\n${encoding}\n${Buffer.from(key).toString("hex")}\n`;
}

/** Reads the content of a swarm key file. Throws a {@link CrawlError} when it is none. */
export function parseSwarmKey(text: string): Uint8Array {
  const [first, second, digits = "", ...rest] = text.trim().split(/\r?\n/);
  const isKey = first === header && second === encoding && rest.length === 0;
  if (!isKey || !/^[0-9a-fA-F]{64}$/.test(digits)) {
    throw new CrawlError(
      "CONFIG_INVALID",
      `the swarm key is damaged: expected the lines "${header}", "${encoding}" and 64 hexadecimal digits`,
    );
  }
  return new Uint8Array(Buffer.from(digits, "hex"));
}
