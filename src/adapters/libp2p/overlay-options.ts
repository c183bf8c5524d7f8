import { CrawlError, errorText, invariant } from "../../core/errors.ts";
import { readAddress, readable } from "./address.ts";
import { isFingerprint, isSwarmName } from "./hello.ts";
import { swarmKeyBytes } from "./swarm-key.ts";

export interface Libp2pOverlayOptions {
  /** Protobuf encoding of the peer's private key: as `newPeerKey()` makes it. */
  readonly key: Uint8Array;
  /** Name of the swarm, 1 to 64 of [a-z0-9-]. */
  readonly swarm: string;
  /** Fingerprint of the cluster options and the protocol's version, hexadecimal. */
  readonly fingerprint: string;
  /** Pre-shared key of 32 bytes; members with another or none cannot connect. */
  readonly swarmKey?: Uint8Array;
  /** Multiaddrs (`/ip4/0.0.0.0/tcp/7700`) to listen at; port 0 is any. */
  readonly listen: readonly string[];
  /** Whether any free port will do where one that it shall listen at is taken. @default false */
  readonly takesOtherPort?: boolean;
  /** Multiaddrs told to others instead of those listened at. */
  readonly announce?: readonly string[];
  /** Whether to look for the swarm on the local network by multicast DNS. */
  readonly localDiscovery: boolean;
}

export function checkNames({ swarm, fingerprint, swarmKey }: Libp2pOverlayOptions): void {
  if (!isSwarmName(swarm)) {
    throw new CrawlError(
      "CONFIG_INVALID",
      "a swarm's name has 1 to 64 characters of a-z, 0-9 and -",
    );
  }
  invariant(isFingerprint(fingerprint), "a fingerprint is hexadecimal");
  invariant(
    swarmKey === undefined || swarmKey.length === swarmKeyBytes,
    "a swarm key has 32 bytes",
  );
}

/** Whether others can be told of it: what is any address, or any port, is known only once it is listened at. */
export function isReachable(address: string): boolean {
  const parts = readAddress(address);
  return parts !== undefined && parts.port > 0 && !["0.0.0.0", "::"].includes(parts.host);
}

export function listenFailure(listen: readonly string[], cause: unknown): CrawlError {
  const reason = errorText(cause);
  const where = listen.map(readable).join(", ");
  const text = reason.includes("EADDRINUSE")
    ? "the address is in use"
    : reason.includes("EADDRNOTAVAIL")
      ? "this machine has no such address"
      : (reason.split("\n")[0] ?? "");
  return new CrawlError(
    "LISTEN_FAILED",
    `cannot listen for peers at ${where}: ${text}`,
    { where },
    { cause },
  );
}
