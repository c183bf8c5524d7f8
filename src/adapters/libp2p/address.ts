import { isIPv4, isIPv6 } from "node:net";
import { multiaddr } from "@multiformats/multiaddr";
import { CrawlError } from "../../core/errors.ts";
import type { MemberId } from "../../core/units.ts";

/** Longer than any that a peer listens at. */
const addressCharactersMax = 256;

const hostName =
  /^(?=.{1,253}$)[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9_])?(\.[a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9_])?)*\.?$/;

const hostKinds: ReadonlySet<string> = new Set(["ip4", "ip6", "dns", "dns4", "dns6"]);

/** The parts of an address that a peer listens at. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
  /** Whose it is, where the address says so. */
  readonly member: string | undefined;
}

/**
 * A multiaddr of TCP, from one or from `host:port` with an IPv4 address, an IPv6 address in brackets, or a DNS name.
 * Throws a {@link CrawlError} for anything else.
 */
export function toMultiaddr(text: string): string {
  if (text.startsWith("/")) {
    if (readAddress(text) === undefined) throw notAnAddress(text);
    return multiaddr(text).toString();
  }
  const [, bracketed, plain = "", digits = ""] =
    /^(?:\[([^\]]*)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) throw notAnAddress(text);
  if (bracketed !== undefined) {
    if (!isIPv6(bracketed) || bracketed.includes("%")) throw notAnAddress(text);
    return multiaddr(`/ip6/${bracketed}/tcp/${port}`).toString();
  }
  if (isIPv4(plain)) return `/ip4/${plain}/tcp/${port}`;
  const isNumeric = /^[\d.]+$/.test(plain);
  if (isNumeric || !hostName.test(plain)) throw notAnAddress(text);
  return `/dns/${plain.replace(/\.$/, "").toLowerCase()}/tcp/${port}`;
}

/** The parts of a multiaddr `/ip4|ip6|dns/HOST/tcp/PORT[/p2p/ID]`; undefined for anything else. */
export function readAddress(text: string): PeerAddress | undefined {
  if (text.length > addressCharactersMax) return undefined;
  let parts;
  try {
    parts = multiaddr(text).getComponents();
  } catch {
    return undefined;
  }
  const [host, tcp, peer, ...rest] = parts;
  if (host?.value === undefined || !hostKinds.has(host.name)) return undefined;
  if (tcp?.name !== "tcp" || tcp.value === undefined || rest.length > 0) return undefined;
  if (peer !== undefined && (peer.name !== "p2p" || peer.value === undefined)) return undefined;
  if (host.name.startsWith("dns") && !hostName.test(host.value)) return undefined;
  return { host: host.value, port: Number(tcp.value), member: peer?.value };
}

/** A multiaddr with the id of the member that is to answer there, so that nobody else can. */
export function withMember(address: string, member: MemberId): string {
  return address.includes("/p2p/") ? address : `${address}/p2p/${member}`;
}

/** A multiaddr as people write it, `127.0.0.1:7700`; itself where it is of another form. */
export function readable(address: string): string {
  const parts = readAddress(address);
  if (parts === undefined) return address;
  const { host, port } = parts;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function notAnAddress(text: string): CrawlError {
  const shown = text.slice(0, addressCharactersMax).replaceAll(/[^\x20-\x7e]/g, "?");
  return new CrawlError(
    "CONFIG_INVALID",
    `"${shown}" is no address of a peer: expected HOST:PORT or a multiaddr such as /ip4/192.0.2.1/tcp/7700`,
    { address: shown },
  );
}
