import ipaddr from "ipaddr.js";
import type { IPv4, IPv6 } from "ipaddr.js";
import type { HostName, IpAddress } from "../units.ts";

/** First address and prefix length of a block. */
type Block<Address> = readonly [Address, number];

/**
 * IPv4 blocks that are not globally reachable: the IANA IPv4 Special-Purpose Address Registry (RFC 6890 and its
 * updates), multicast (RFC 5771) and class E (RFC 1112). Blocks inside 192.0.0.0/24 that the registry calls reachable
 * are anycast service addresses without web servers, and stay refused with their block.
 */
const refusedIPv4 = blocksOf(ipaddr.IPv4, [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, cloud metadata services
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // IETF protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112 sinkhole
  "192.52.193.0/24", // automatic multicast tunnelling
  "192.88.99.0/24", // 6to4 relay anycast, deprecated
  "192.168.0.0/16", // private use
  "192.175.48.0/24", // AS112 sinkhole
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, limited broadcast
]);

/** The only IPv6 space that IANA has given out for global unicast (RFC 4291, section 2.4). */
const globalUnicastIPv6 = blocksOf(ipaddr.IPv6, ["2000::/3"]);

/** IPv6 blocks inside global unicast space that are not globally reachable, by IANA's IPv6 registry. */
const refusedIPv6 = blocksOf(ipaddr.IPv6, [
  "2001::/23", // IETF protocol assignments: Teredo, benchmarking, ORCHID, AMT
  "2001:db8::/32", // documentation
  "2620:4f:8000::/48", // AS112 sinkhole
  "3fff::/20", // documentation
]);

/** Where an IPv6 address that stands for an IPv4 one carries it, as an offset in bytes. */
const embeddingIPv6: readonly (readonly [Block<IPv6>, number])[] = [
  [blockOf(ipaddr.IPv6, "::ffff:0:0/96"), 12], // IPv4-mapped (RFC 4291)
  [blockOf(ipaddr.IPv6, "64:ff9b::/96"), 12], // NAT64 well-known prefix (RFC 6052)
  [blockOf(ipaddr.IPv6, "2002::/16"), 2], // 6to4 (RFC 3056)
];

/** In every spelling that a name server or a canonical URL has for it. */
const ipv4Mapped = /^::ffff:/i;

/** Deprecated (RFC 4291, section 2.5.5.1); the parser takes it for an IPv4-mapped address. */
const ipv4Compatible = /^::\d+\.\d+\.\d+\.\d+$/;

/**
 * Whether a crawler may connect to `address` without being told so: true for addresses that are globally reachable,
 * false for every other one and for what is no address.
 *
 * Why: a link, a redirect or a name's records are chosen by strangers, and must not reach the machine's own network.
 * An IPv6 address that embeds an IPv4 one is judged by the embedded one, because a gateway would connect to that.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const parsed = ipaddr.IPv4.parse(address);
    // A leading zero means octal to some readers and nothing to others.
    return parsed.toString() === address && isPublicIPv4(parsed);
  }
  if (address.includes("%") || !ipaddr.IPv6.isValid(address)) return false;
  if (ipv4Compatible.test(address)) return false;
  const parsed = ipaddr.IPv6.parse(address);
  for (const [block, offset] of embeddingIPv6) {
    if (!parsed.match(block[0], block[1])) continue;
    return isPublicIPv4(new ipaddr.IPv4(parsed.toByteArray().slice(offset, offset + 4)));
  }
  return isIn(parsed, globalUnicastIPv6) && !isIn(parsed, refusedIPv6);
}

/**
 * The address that is connected to: the IPv4 one that an IPv4-mapped IPv6 address stands for (RFC 4291, section 2.5.5.2), any
 * other one as it is. What is counted for each address, as requests are, counts for both forms together.
 */
export function connectedAddress(address: string): IpAddress {
  if (!ipv4Mapped.test(address) || !ipaddr.IPv6.isValid(address)) return address as IpAddress;
  const parsed = ipaddr.IPv6.parse(address);
  return (parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : address) as IpAddress;
}

/** Loopback, whatever a name server says (RFC 6761, section 6.3). */
const loopbackName = /^(.+\.)?localhost$/;

/** Whether the host of a canonical URL leads to an address that is not public by its form alone: nobody is asked. */
export function isPrivateHost(host: HostName): boolean {
  if (loopbackName.test(host)) return true;
  const isIPv6 = host.startsWith("[");
  // In a canonical URL only an IPv4 address consists of digits and dots.
  if (!isIPv6 && !/^[\d.]+$/.test(host)) return false;
  return !isPublicAddress(isIPv6 ? host.slice(1, -1) : host);
}

function isPublicIPv4(address: IPv4): boolean {
  return !refusedIPv4.some(([network, bits]) => address.match(network, bits));
}

function isIn(address: IPv6, blocks: readonly Block<IPv6>[]): boolean {
  return blocks.some(([network, bits]) => address.match(network, bits));
}

interface Family<Address> {
  parseCIDR(text: string): [Address, number];
}

function blockOf<Address>(family: Family<Address>, text: string): Block<Address> {
  return family.parseCIDR(text);
}

function blocksOf<Address>(
  family: Family<Address>,
  texts: readonly string[],
): readonly Block<Address>[] {
  return texts.map((text) => blockOf(family, text));
}
