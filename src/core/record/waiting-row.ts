import type { HostName } from "../units.ts";
import { siteOfHost } from "../url/site-of.ts";
import { compareKeys } from "./compare-keys.ts";
import { hostAddress, hostKey } from "./host-keys.ts";

const decoder = new TextDecoder();

/** The host that is named in the row by which one with queued URLs is found. */
export function hostOfWaitingRow(value: Uint8Array): HostName {
  return decoder.decode(value) as HostName;
}

/** Whether this is the key of the row by which the host is found: by another one, its queue would not be found. */
export function isWaitingKey(key: Uint8Array, host: HostName): boolean {
  return compareKeys(key, hostKey("waiting", hostAddress(siteOfHost(host), host))) === 0;
}
