import type { Connection, Libp2p } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { multiaddr, type Multiaddr } from "@multiformats/multiaddr";
import { forgetOldest } from "../../core/forget-oldest.ts";
import type { MemberId, Millis } from "../../core/units.ts";
import type { OverlayOutcome } from "../../ports/overlay.ts";
import type { AddressBook } from "./address-book.ts";
import { withMember } from "./address.ts";
import { memberAt, type Links } from "./links.ts";
import { protectStep } from "./told-protector.ts";

/** What is told of a peer that has this member's own key. */
export const ownKeyDetail = "it has this member's own key: another process runs with the same key";

/** What is told of a peer that was refused a while ago: it is not asked again so soon. */
export const keptOutDetail = "it is kept out here";

/** How an attempt to connect can end. */
export type Dialled =
  | { readonly kind: "connected"; readonly connection: Connection; readonly member: MemberId }
  | Extract<OverlayOutcome, { readonly kind: "unreachable" | "refused" | "timeout" }>;

/** Members that are dialled at once; requests to more are answered as if those were unreachable. */
export const dialsMax = 256;

/** Of one address. As systems give up: after the first packet has been repeated twice. */
export const dialTimeoutMs = 5_000;

/** A few round trips through members that answer; it follows on dials that have failed. */
const lookupTimeoutMs = 5_000;

/** A member that was just looked for in vain is not looked for again so soon: a lookup asks many. */
const lookupPauseMs = 10_000;

/** Lookups at once: when a whole site is gone, each of its members would be looked for. */
const lookupsAtOnceMax = 8;

/** Members whose lookup is remembered. */
const lookupsMax = 1_024;

/**
 * Connects to members: at the addresses that are known, then at those that the distributed hash table knows.
 *
 * Invariant: one dial to a member at a time.
 */
export class Dialer {
  readonly #node: Libp2p;
  readonly #links: Links;
  readonly #book: AddressBook;
  readonly #nowMs: () => Millis;
  readonly #dials = new Map<MemberId, PromiseWithResolvers<Dialled>>();
  readonly #lookedUpAtMs = new Map<MemberId, Millis>();
  #lookups = 0;

  constructor(node: Libp2p, links: Links, book: AddressBook, nowMs: () => Millis) {
    this.#node = node;
    this.#links = links;
    this.#book = book;
    this.#nowMs = nowMs;
  }

  /** Connects to a member whose id is known. */
  connect(member: MemberId): Promise<Dialled> {
    const connection = this.#links.connectionTo(member);
    if (connection) return Promise.resolve({ kind: "connected", connection, member });
    const known = this.#dials.get(member);
    if (known) return known.promise;
    if (this.#dials.size >= dialsMax) {
      return Promise.resolve({ kind: "unreachable", detail: "too many dials are under way" });
    }
    const dial = Promise.withResolvers<Dialled>();
    this.#dials.set(member, dial);
    void this.#search(member)
      .then(dial.resolve, dial.reject)
      .finally(() => {
        if (this.#dials.get(member) === dial) this.#dials.delete(member);
      });
    return dial.promise;
  }

  /** Whoever waits for a dial to a member that has come by itself need not wait for its end: it may be a dial in vain. */
  linked(connection: Connection): void {
    const member = memberAt(connection);
    this.#dials.get(member)?.resolve({ kind: "connected", connection, member });
    this.#dials.delete(member);
  }

  /** Connects to whoever is at an address, or at the first of several that leads there; each has its time. */
  async dial(target: Multiaddr | Multiaddr[], signal?: AbortSignal): Promise<Dialled> {
    const count = Array.isArray(target) ? target.length : 1;
    const deadline = AbortSignal.timeout(dialTimeoutMs * count);
    const signals = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const steps = new Set<string>();
    const onProgress = ({ type }: { readonly type: string }): void => void steps.add(type);
    try {
      const connection = await this.#node.dial(target, { signal: signals, onProgress });
      const greeting = await this.#links.greeted(connection);
      if (greeting.kind === "refused") return { kind: "refused", detail: greeting.detail };
      if (greeting.kind === "unreachable") return greeting;
      return { kind: "connected", connection, member: memberAt(connection) };
    } catch (error) {
      if (signal?.aborted) return { kind: "unreachable", detail: "aborted" };
      const wasHandshaking = handshakeSteps.some((step) => steps.has(step));
      if (deadline.aborted) return wasHandshaking ? noHandshake : { kind: "timeout" };
      return explain(error, wasHandshaking);
    }
  }

  async #search(member: MemberId): Promise<Dialled> {
    const known = this.#book.addressesOf(member);
    const first = known.length > 0 ? await this.#dialAll(known) : undefined;
    if (first?.kind === "connected" || first?.kind === "refused") return first;
    const found = (await this.#lookUp(member)).filter((address) => !known.includes(address));
    const second = found.length > 0 ? await this.#dialAll(found) : undefined;
    return second ?? first ?? { kind: "unreachable", detail: "no address is known" };
  }

  async #dialAll(addresses: readonly string[]): Promise<Dialled> {
    const dialled = await this.dial(addresses.map((address) => multiaddr(address)));
    if (dialled.kind !== "timeout") return dialled;
    return { kind: "unreachable", detail: "the connection timed out" };
  }

  async #lookUp(member: MemberId): Promise<readonly string[]> {
    const nowMs = this.#nowMs();
    if (nowMs - (this.#lookedUpAtMs.get(member) ?? -Infinity) < lookupPauseMs) return [];
    if (this.#links.size === 0 || this.#lookups >= lookupsAtOnceMax) return [];
    this.#lookedUpAtMs.delete(member);
    this.#lookedUpAtMs.set(member, nowMs);
    forgetOldest(this.#lookedUpAtMs, lookupsMax);
    this.#lookups += 1;
    try {
      const signal = AbortSignal.timeout(lookupTimeoutMs);
      const { multiaddrs } = await this.#node.peerRouting.findPeer(peerIdFromString(member), {
        signal,
        // It holds what was just tried in vain.
        useCache: false,
      });
      return multiaddrs.map((address) => withMember(address.toString(), member));
    } catch {
      return [];
    } finally {
      this.#lookups -= 1;
    }
  }
}

/** What libp2p tells of a dial whose connection stands. */
const handshakeSteps: readonly string[] = [protectStep, "upgrader:encrypt-outbound-connection"];

const unreachable = (detail: string): Dialled => ({ kind: "unreachable", detail });

/** Where one end alone has a swarm key, each may wait for what the other does not send, or drop what it cannot read. */
const noHandshake = unreachable(
  "the handshake failed: another swarm key, or none, or this member is kept out there",
);

/** What libp2p's errors mean, by their names and texts: it has no codes. The first that fits counts. */
const meanings: readonly (readonly [RegExp, Dialled])[] = [
  [/dial self/, { kind: "refused", detail: ownKeyDetail }],
  [/ECONNREFUSED/, unreachable("the connection was refused")],
  [/does not match expected/, unreachable("another member answers there")],
  [/TimeoutError|AbortError/, unreachable("the connection timed out")],
  [/Intercepted|Denied/, { kind: "refused", detail: keptOutDetail }],
  [/Encryption|Muxer|StreamReset|UnexpectedEOF|crypto/i, noHandshake],
];

/** Says what a failed dial means; there is an error for each address that was tried. */
function explain(error: unknown, wasHandshaking: boolean): Dialled {
  const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const text = errors
    .map((one) => (one instanceof Error ? `${one.name} ${one.message}` : ""))
    .join("\n");
  const meaning = meanings.find(([pattern]) => pattern.test(text));
  if (meaning) return meaning[1];
  if (wasHandshaking) return noHandshake;
  const [first] = errors;
  return unreachable(first instanceof Error ? first.message : "no connection");
}
