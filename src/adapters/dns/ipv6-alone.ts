import type { NetworkInterfaceInfo } from "node:os";

/** Addresses that lead no further than the next router (RFC 4291, section 2.5.6; RFC 3927). */
const linkLocal = /^(?:fe[89ab][0-9a-f]:|169\.254\.)/;

/**
 * Whether a machine with these network interfaces has IPv6 addresses alone, loopback and link-local ones apart: names that
 * have addresses of both kinds are then to be asked at those of IPv6, and all others at those that a DNS64 makes for them
 * (RFC 6147).
 */
export function hasIPv6Alone(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): boolean {
  const families = new Set<string>();
  for (const { address, family, internal } of Object.values(interfaces).flatMap(
    (one) => one ?? [],
  )) {
    if (!internal && !linkLocal.test(address)) families.add(family);
  }
  return families.has("IPv6") && !families.has("IPv4");
}
