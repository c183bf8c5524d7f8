import { isIPv6 } from "node:net";
import type { MultiaddrConnection, PeerId } from "@libp2p/interface";
import { readAddress } from "./address.ts";

/** Of an IPv6 address, what one host cannot choose as it likes: the first four of eight parts. */
const networkParts = 4;

interface Newcomer {
  readonly network: string;
  /** Who it is, once it has proved its key. */
  peer?: string;
}

/**
 * Connections that others have opened and on which nobody has greeted yet. When there are too many, one ends: of the network
 * that has the most, the oldest. So whoever opens connections and says nothing keeps out nobody who comes from elsewhere.
 *
 * Invariant: at most `countMax` at any time.
 */
export class Newcomers {
  readonly #countMax: number;
  /** The oldest one first. */
  readonly #newcomers = new Map<MultiaddrConnection, Newcomer>();
  readonly #counts = new Map<string, number>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** Takes in a connection. Whether another one had to end for it. */
  came(connection: MultiaddrConnection): boolean {
    const network = networkOf(connection.remoteAddr.toString());
    this.#newcomers.set(connection, { network });
    this.#counts.set(network, (this.#counts.get(network) ?? 0) + 1);
    connection.addEventListener("close", () => this.#forget(connection), { once: true });
    if (this.#newcomers.size <= this.#countMax) return false;
    this.#evict();
    return true;
  }

  /** A newcomer has proved its key. */
  proved(connection: MultiaddrConnection, peer: PeerId): void {
    const newcomer = this.#newcomers.get(connection);
    if (newcomer) newcomer.peer = peer.toString();
  }

  /** A peer has greeted, and is a newcomer no more. */
  greeted(peer: string): void {
    for (const [connection, newcomer] of this.#newcomers) {
      if (newcomer.peer === peer) this.#forget(connection);
    }
  }

  #evict(): void {
    const most = Math.max(...this.#counts.values());
    for (const [connection, { network }] of this.#newcomers) {
      if (this.#counts.get(network) !== most) continue;
      this.#forget(connection);
      connection.abort(new Error("too many connections on which nobody greets"));
      return;
    }
  }

  #forget(connection: MultiaddrConnection): void {
    const newcomer = this.#newcomers.get(connection);
    if (newcomer === undefined) return;
    this.#newcomers.delete(connection);
    const count = (this.#counts.get(newcomer.network) ?? 0) - 1;
    if (count > 0) this.#counts.set(newcomer.network, count);
    else this.#counts.delete(newcomer.network);
  }
}

/** What tells a connection's host from others. */
function networkOf(address: string): string {
  const host = readAddress(address)?.host ?? "";
  const isIPv4 = !isIPv6(host) || host.toLowerCase().startsWith("::ffff:");
  if (isIPv4) return host;
  const [before = "", after] = host.split("::");
  const first = before.split(":").filter((part) => part !== "");
  const last = after === undefined ? [] : after.split(":").filter((part) => part !== "");
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].slice(0, networkParts).join(":");
}
