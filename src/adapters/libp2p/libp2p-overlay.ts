import { randomBytes } from "node:crypto";
import type { Connection, PeerInfo } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { invariant } from "../../core/errors.ts";
import { addressesMax } from "../../core/membership/read-member.ts";
import type { MemberId, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type {
  JoinOutcome,
  Overlay,
  OverlayClass,
  OverlayHandler,
  OverlayOutcome,
  OverlayRequest,
} from "../../ports/overlay.ts";
import { AddressBook } from "./address-book.ts";
import { readAddress, readable, toMultiaddr, withMember } from "./address.ts";
import { Arrivals } from "./arrivals.ts";
import { Claims } from "./claims.ts";
import { Departures, type Traffic } from "./departures.ts";
import { Dialer, ownKeyDetail, type Dialled } from "./dialer.ts";
import { noticeBytesMax, payloadBytesMax } from "./frame-codec.ts";
import { Gatekeeper } from "./gatekeeper.ts";
import { Greeter, helloProtocol } from "./greeter.ts";
import { protocolVersion, type Hello } from "./hello.ts";
import type { Violation } from "./incoming-stream.ts";
import { Links, memberAt } from "./links.ts";
import { newNode, type OverlayNode } from "./new-node.ts";
import {
  checkNames,
  isReachable,
  listenFailure,
  type Libp2pOverlayOptions,
} from "./overlay-options.ts";
import { CollectingBudget } from "./memory-budget.ts";
import { ListenedAddresses } from "./listened-addresses.ts";
import { memberIdOf } from "./peer-key.ts";
import { requestOutcome } from "./pending-request.ts";

interface Ports {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** What runs between start and stop. */
interface Running {
  readonly node: OverlayNode;
  readonly dialer: Dialer;
  readonly claims: Claims;
}

/** Of one member that is found on the local network: a machine has few networks. */
const foundAddressesMax = 8;

const classes: readonly OverlayClass[] = ["control", "forwarding", "transfer"];

/** A process that is there answers within so long, even a busy one. */
const presenceTimeoutMs = 2_000;

/** Of frames that have begun to arrive, by all members. */
const collectingBytesMax = 128 * 1_048_576;

/** Streams of one kind on one connection: the old one may linger while the next is opened. */
const streamsMax = 2;

/** Greetings on one connection at once: one, and one that asks whether the process is still there. */
const greetingsMax = 4;

/**
 * The members of a swarm on a real network, by libp2p: TCP, Noise, Yamux.
 *
 * A connection is used only after both ends have greeted each other and belong together ({@link Links}). Each class of
 * requests has a long-lived stream of its own to each member ({@link Departures}, {@link Arrivals}); claims travel by
 * gossip, and a member that is known by its id alone is found by the distributed hash table.
 *
 * A request's payload is sent from where it is: it must not be changed before the request has ended.
 */
export class Libp2pOverlay implements Overlay {
  readonly self: MemberId;
  readonly #addresses: string[];
  readonly #ports: Ports;
  readonly #options: Libp2pOverlayOptions;
  readonly #gatekeeper: Gatekeeper;
  readonly #listened: ListenedAddresses;
  readonly #book = new AddressBook();
  readonly #links: Links;
  readonly #greeter: Greeter;
  readonly #departures: Departures;
  readonly #arrivals: Arrivals;
  readonly #onNotice = new Set<(from: MemberId, payload: Uint8Array) => void>();
  readonly #onClaim = new Set<(from: MemberId, claim: Uint8Array) => void>();
  readonly #onBroken = new Set<(member: MemberId) => void>();
  readonly #onFound = new Set<(address: string) => void>();
  #state: "new" | "starting" | "running" | "stopped" = "new";
  #running: Running | undefined;
  #starting: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;

  constructor(ports: Ports, options: Libp2pOverlayOptions) {
    checkNames(options);
    this.#ports = ports;
    this.#options = options;
    this.self = memberIdOf(options.key);
    this.#addresses = (options.announce ?? options.listen).map(toMultiaddr).filter(isReachable);
    this.#listened = new ListenedAddresses(ports.clock);
    const { swarm, fingerprint } = options;
    this.#gatekeeper = new Gatekeeper(ports);
    const instance = randomBytes(8).toString("hex");
    this.#greeter = new Greeter(
      { version: protocolVersion, swarm, fingerprint, instance },
      (connection, hello) => this.#objection(connection, hello),
    );
    this.#links = new Links({
      greet: (connection) => this.#greeter.greet(connection),
      onRefused: (connection, detail, isKeptOut) =>
        this.#gatekeeper.refused(connection, detail, isKeptOut),
      onLinked: (connection) => {
        this.#gatekeeper.greeted(memberAt(connection));
        this.#running?.dialer.linked(connection);
      },
      onBroken: (member) => this.#broken(member),
    });
    const onViolation = this.#violated.bind(this);
    const onNoticeDropped = (): void => ports.metrics.count("overlay_dropped_notices_total");
    const collecting = new CollectingBudget(collectingBytesMax);
    const departures = {
      connect: (member: MemberId) => this.#connect(member),
      protocolOf: (traffic: Traffic) => this.#protocolOf(traffic),
      onViolation,
      onNoticeDropped,
      onQueueFull: () => ports.metrics.count("queue_full_total", 1, { queue: "overlay" }),
    };
    this.#departures = new Departures(departures, collecting);
    const arrivals = {
      nowMs: () => ports.clock.nowMs(),
      onNoticeDropped,
      onReplyTooLong: (member: MemberId, kind: number, bytes: number) =>
        ports.logger.warn("reply-too-long", { member, kind, bytes }),
      isGreeted: async (connection: Connection) =>
        (await this.#links.greeted(connection)).kind === "greeted",
      onNotice: (member: MemberId, payload: Uint8Array) => {
        for (const listener of this.#onNotice) listener(member, payload);
      },
      onViolation,
    };
    this.#arrivals = new Arrivals(arrivals, collecting);
  }

  start(): Promise<void> {
    if (this.#state === "new") this.#starting = this.#start();
    return this.#starting;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async join(address: string, signal: AbortSignal): Promise<JoinOutcome> {
    const running = this.#running;
    if (running === undefined) return { kind: "unreachable", detail: "this member is not running" };
    if (signal.aborted) return { kind: "unreachable", detail: "aborted" };
    let target: string;
    try {
      target = toMultiaddr(address);
    } catch (error) {
      return { kind: "unreachable", detail: error instanceof Error ? error.message : "" };
    }
    if (this.#listened.has(target))
      return { kind: "unreachable", detail: "that is this member itself" };
    const denial = this.#gatekeeper.denialOf(readAddress(target)?.member);
    if (denial !== undefined) return { kind: "refused", detail: denial };
    const { ownCalls } = this.#gatekeeper;
    const dialled = await running.dialer.dial(multiaddr(target), signal);
    if (dialled.kind === "refused" && dialled.detail === ownKeyDetail) {
      return this.#gatekeeper.reachedOwnKey(readable(target), ownCalls);
    }
    if (dialled.kind !== "connected") return dialled;
    this.#book.learn(dialled.member, [target]);
    return { kind: "joined", member: dialled.member };
  }

  /** Live: it holds the addresses that are listened at once `start` has resolved. */
  get addresses(): readonly string[] {
    this.#renewAddresses();
    return this.#addresses;
  }

  learn(member: MemberId, addresses: readonly string[]): void {
    if (member !== this.self) this.#book.learn(member, addresses);
  }

  request(request: OverlayRequest, signal: AbortSignal): Promise<OverlayOutcome> {
    const { to, class: traffic } = request;
    invariant(request.payload.length <= payloadBytesMax, "a request of over 4 MiB");
    const obstacle = this.#obstacle(to, signal);
    if (obstacle) return Promise.resolve(obstacle);
    return requestOutcome(request, signal, (pending) =>
      this.#departures.request(to, traffic, pending),
    );
  }

  serve(kind: number, handler: OverlayHandler): void {
    invariant(this.#state === "new", "handlers are registered before the start");
    this.#arrivals.serve(kind, handler);
  }

  notify(to: MemberId, payload: Uint8Array): void {
    invariant(payload.length <= noticeBytesMax, "a notice of over 64 KiB");
    if (!this.#running || to === this.self || this.#gatekeeper.denialOf(to)) return;
    this.#departures.notify(to, payload);
  }

  publish(claim: Uint8Array): void {
    invariant(claim.length <= noticeBytesMax, "a claim of over 64 KiB");
    this.#running?.claims.publish(claim);
  }

  onNotice(listener: (from: MemberId, payload: Uint8Array) => void): void {
    this.#onNotice.add(listener);
  }

  onClaim(listener: (from: MemberId, claim: Uint8Array) => void): void {
    this.#onClaim.add(listener);
  }

  onBroken(listener: (member: MemberId) => void): void {
    this.#onBroken.add(listener);
  }

  /** Calls `listener` with each address of each member found on the local network. */
  onFound(listener: (address: string) => void): void {
    this.#onFound.add(listener);
  }

  get #prefix(): string {
    const { swarm, fingerprint } = this.#options;
    return `/orbweaver/${protocolVersion}/${swarm}/${fingerprint}`;
  }

  async #start(): Promise<void> {
    this.#state = "starting";
    const { listen, announce } = this.#options;
    const topic = `${this.#prefix}/claims`;
    const isDenied = this.#gatekeeper.isDenied.bind(this.#gatekeeper);
    const node = await newNode({
      ...this.#options,
      listen: listen.map(toMultiaddr),
      announce: announce?.map(toMultiaddr) ?? [],
      prefix: this.#prefix,
      topic,
      gater: {
        denyDialPeer: isDenied,
        denyDialMultiaddr: (address) => this.#listened.has(address.toString()),
        denyInboundConnection: (connection) => {
          this.#gatekeeper.accepted(connection);
          return false;
        },
        denyInboundEncryptedConnection: isDenied,
        denyOutboundEncryptedConnection: isDenied,
      },
      isGreeted: (peer) => this.#links.connectionTo(peer.toString() as MemberId) !== undefined,
      onOwnKey: () => this.#gatekeeper.calledByOwnKey(),
      onFlood: (peer) => this.#violated(peer.toString() as MemberId, "flood", true),
      onFound: (peer) => this.#found(peer),
    });
    node.addEventListener("connection:open", ({ detail }) => this.#links.opened(detail));
    node.addEventListener("transport:listening", ({ detail }) => {
      this.#listened.add(detail);
    });
    await this.#handleStreams(node);
    try {
      await node.start();
    } catch (cause) {
      this.#state = "stopped";
      await node.stop();
      throw listenFailure(listen, cause);
    }
    const nowMs = (): Millis => this.#ports.clock.nowMs();
    const claims = new Claims(
      node.services.pubsub,
      topic,
      (from, claim) => {
        for (const listener of this.#onClaim) listener(from, claim);
      },
      (error) => this.#ports.logger.debug("claim-lost", { detail: String(error) }),
      nowMs,
    );
    claims.start();
    const dialer = new Dialer(node, this.#links, this.#book, nowMs);
    this.#running = { node, dialer, claims };
    this.#state = "running";
    this.#renewAddresses();
  }

  #renewAddresses(): void {
    if (this.#state !== "running" || this.#options.announce) return;
    this.#addresses.splice(0, Infinity, ...this.#listened.all.slice(0, addressesMax));
  }

  async #stop(): Promise<void> {
    await this.#starting.catch(() => undefined);
    this.#state = "stopped";
    const running = this.#running;
    this.#running = undefined;
    const detail = "this member has stopped";
    this.#departures.close(detail);
    this.#arrivals.close(detail);
    if (running === undefined) return;
    running.claims.stop();
    await running.node.stop();
  }

  async #handleStreams(node: OverlayNode): Promise<void> {
    await node.handle(
      helloProtocol,
      async (stream, connection) => {
        this.#links.greetingEnded(connection, await this.#greeter.answer(stream, connection));
      },
      { maxInboundStreams: greetingsMax },
    );
    for (const traffic of classes) {
      await node.handle(
        this.#protocolOf(traffic),
        (stream, connection) => this.#arrivals.requests(stream, connection),
        { maxInboundStreams: streamsMax },
      );
    }
    await node.handle(
      this.#protocolOf("notice"),
      (stream, connection) => this.#arrivals.notices(stream, connection),
      { maxInboundStreams: streamsMax },
    );
  }

  #protocolOf(traffic: Traffic): string {
    return `${this.#prefix}/${traffic}`;
  }

  #obstacle(to: MemberId, signal: AbortSignal): OverlayOutcome | undefined {
    if (signal.aborted) return { kind: "unreachable", detail: "aborted" };
    if (!this.#running) return { kind: "unreachable", detail: "this member is not running" };
    if (to === this.self) return { kind: "unreachable", detail: "that is this member itself" };
    const denial = this.#gatekeeper.denialOf(to);
    return denial === undefined ? undefined : { kind: "refused", detail: denial };
  }

  async #connect(member: MemberId): Promise<Dialled> {
    const running = this.#running;
    if (running) return await running.dialer.connect(member);
    return { kind: "unreachable", detail: "this member is not running" };
  }

  /** A second process with the key of one that is still there is not let in. */
  async #objection(connection: Connection, hello: Hello): Promise<string | undefined> {
    const member = memberAt(connection);
    const known = this.#links.instanceOf(member);
    const old = this.#links.connectionTo(member);
    if (known === undefined || known === hello.instance || old === undefined) return undefined;
    const answer = await this.#greeter.exchange(old, presenceTimeoutMs);
    if (answer.kind === "greeted") return "another process with the same key is connected";
    this.#links.drop(member, "its process has ended", connection);
    return undefined;
  }

  #violated(member: MemberId, violation: Violation, isDropped = false): void {
    if (this.#gatekeeper.violated(member, violation) || isDropped) {
      this.#links.drop(member, "it broke the protocol");
    }
  }

  #broken(member: MemberId): void {
    if (!this.#running) return;
    for (const listener of this.#onBroken) listener(member);
  }

  #found({ id, multiaddrs }: PeerInfo): void {
    const member = id.toString() as MemberId;
    if (member === this.self || this.#links.connectionTo(member)) return;
    // Which of them leads there is not known: the first one is mostly that machine's own loopback.
    const usable = multiaddrs
      .map((address) => address.toString())
      .filter((address) => readAddress(address) !== undefined && !this.#listened.has(address));
    for (const address of usable.slice(0, foundAddressesMax)) {
      const full = withMember(address, member);
      for (const listener of this.#onFound) listener(full);
    }
  }
}
