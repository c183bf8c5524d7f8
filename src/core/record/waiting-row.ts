import type { HostName } from "../units.ts";
import { siteOfHost } from "../url/site-of.ts";
import { compareKeys } from "./compare-keys.ts";
import { hostAddress, hostKey } from "./host-keys.ts";

const decoder = new TextDecoder();

/** The host's name in a row by which hosts with queued URLs are found; nothing where it is not the one whose key the row has. */
export function readWaitingRow(key: Uint8Array, value: Uint8Array): HostName | undefined {
  const host = decoder.decode(value) as HostName;
  return isWaitingKey(key, host) ? host : undefined;
}

/** Whether this is the key of the row by which the host is found. */
export function isWaitingKey(key: Uint8Array, host: HostName): boolean {
  return compareKeys(key, hostKey("waiting", hostAddress(siteOfHost(host), host))) === 0;
}
