import { hash64 } from "../hash/hash64.ts";
import type { HostName, OriginName, SiteName } from "../units.ts";
import { putUint64 } from "./key-bytes.ts";
import { newTerritorialKey, type Key } from "./key-tags.ts";

/** Where the hash of a host, or of an origin, stands in a key: behind tag and position. */
export const hostHashAt = 9;

/** Position of a site on the ring: 8 bytes, big-endian, so that byte order is ring order. */
export function ringPosition(site: SiteName): bigint {
  return hash64(site);
}

/** The part of a key that all rows of a host share: site position, then host hash. */
export interface HostAddress {
  readonly position: bigint;
  readonly hostHash: bigint;
}

export function hostAddress(site: SiteName, host: HostName): HostAddress {
  return { position: ringPosition(site), hostHash: hash64(host) };
}

/** Key of a row that a host has once. Length 17. */
export function hostKey(tag: "host" | "waiting", host: HostAddress): Key {
  const bytes = newTerritorialKey(tag, host.position);
  putUint64(bytes, hostHashAt, host.hostHash);
  return bytes;
}

/** Key of an origin's robots.txt. Length 17. */
export function robotsKey(site: SiteName, origin: OriginName): Key {
  const bytes = newTerritorialKey("robots", ringPosition(site));
  putUint64(bytes, hostHashAt, hash64(origin));
  return bytes;
}
