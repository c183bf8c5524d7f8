import type { Millis } from "../../src/core/units.ts";
import { Sleeper, type VirtualClock } from "../virtual-clock.ts";
import type { Dice } from "./dice.ts";
import type { Absence, DialOutcome, Endpoint, Lane } from "./endpoint.ts";
import { defaultNetworkOptions, type NetworkOptions } from "./network-options.ts";
import { pass, type NetworkRule, type Packet, type Verdict } from "./network-rules.ts";
import { mix } from "../sample-web/site-layout.ts";
import { TraceHash } from "./trace-hash.ts";
import { TrafficCounter, trafficKinds } from "./traffic-counter.ts";

/** What somebody has sent. */
interface Sent {
  readonly packet: Packet;
  readonly lane: Lane | undefined;
  readonly arrive: (receiver: Endpoint) => void;
}

/** A packet on its way. */
class Arrival extends Sleeper {
  readonly #sent: Sent;
  readonly #arrived: (sent: Sent) => void;

  constructor(sent: Sent, arrived: (sent: Sent) => void) {
    super();
    this.#sent = sent;
    this.#arrived = arrived;
  }

  wake(): void {
    this.#arrived(this.#sent);
  }
}

/** Round trips until a connection can be used: TCP, Noise, and the choice of a multiplexer. */
const dialRoundTrips = 3;
/** Pause before the first packet of a connection is sent again (RFC 6298). */
const knockMs = 1_000;
/** Times that a lost packet is sent again before it gets through, at most. */
const retransmitsMax = 6;
/** Times are kept to a quarter of a microsecond; packets of a lane are kept further apart than that. */
const laneGapMs = 0.001;
/** Members that a claim goes through, on its way to one that cannot be reached directly. */
const relaysTried = 3;
/** Members that each member passes a claim on to (gossipsub's D). */
const gossipDegree = 6;

/**
 * The network between the members of a world.
 *
 * Rules judge each packet as it is sent; what is on its way arrives. Time and chance come from the world alone, so the
 * same seed gives the same arrivals.
 *
 * Invariant: packets of one lane arrive in the order in which they were sent, each at most once.
 */
export class VirtualNetwork {
  readonly clock: VirtualClock;
  readonly options: NetworkOptions;
  readonly traffic = new TrafficCounter();
  readonly trace: TraceHash;
  readonly #dice: Dice;
  readonly #endpoints: (Endpoint | undefined)[] = [];
  readonly #absences: Absence[] = [];
  #rules: readonly NetworkRule[] = [];
  #held: Sent[] = [];

  constructor(
    clock: VirtualClock,
    dice: Dice,
    options: Partial<NetworkOptions> = {},
    trace = new TraceHash(),
  ) {
    this.clock = clock;
    this.options = { ...defaultNetworkOptions, ...options };
    this.trace = trace;
    this.#dice = dice;
  }

  /** Packets that wait for a rule to go. */
  get heldPackets(): number {
    return this.#held.length;
  }

  /** Puts a rule behind the others, until the returned function is called. */
  addRule(rule: NetworkRule): () => void {
    this.#rules = [...this.#rules, rule];
    this.clock.call(this.options.brokenAfterMs, () => {
      if (this.#rules.includes(rule)) this.#breakBlocked();
    });
    return () => {
      if (!this.#rules.includes(rule)) return;
      this.#rules = this.#rules.filter((other) => other !== rule);
      const held = this.#held;
      this.#held = [];
      for (const { lane } of held) if (lane) lane.held -= 1;
      for (const { packet, lane, arrive } of held) this.post(packet, lane, arrive);
    };
  }

  /** The process that runs at that index. */
  endpoint(index: number): Endpoint | undefined {
    return this.#endpoints[index];
  }

  attach(endpoint: Endpoint): void {
    this.#endpoints[endpoint.index] = endpoint;
  }

  /**
   * Takes a process off the network. Its partners learn of it by the reset of their connections, or, where the machine
   * is silent or a cut keeps the reset away, when nothing has come for long.
   */
  detach(endpoint: Endpoint, absence: Absence): void {
    if (this.#endpoints[endpoint.index] !== endpoint) return;
    this.#endpoints[endpoint.index] = undefined;
    this.#absences[endpoint.index] = absence;
    for (const partner of endpoint.connections.values()) {
      if (absence === "refusing") this.reset(endpoint, partner);
      this.#breakLater(partner, endpoint, this.options.brokenAfterMs);
    }
  }

  /** Breaks the connections of a process, at both ends, though both run on: what is on its way over them is lost. */
  breakConnections(index: number): void {
    const endpoint = this.#endpoints[index];
    for (const partner of [...(endpoint?.connections.values() ?? [])]) {
      if (endpoint === undefined) return;
      this.reset(endpoint, partner);
      this.reset(partner, endpoint);
    }
  }

  /** Tells `partner` that its connection to `endpoint` leads nowhere. */
  reset(endpoint: Endpoint, partner: Endpoint): void {
    const packet = controlPacket(endpoint.index, partner.index);
    if (this.isBlocked(endpoint.index, partner.index)) return;
    this.clock.call(this.#latency(packet), () => this.#breakEnd(partner, endpoint));
  }

  /**
   * Sends a packet. `arrive` is called when it gets to the process that then runs there, if one does. On a lane it is
   * never lost while that is open; without one it may be, and it may come twice.
   */
  post(packet: Packet, lane: Lane | undefined, arrive: (receiver: Endpoint) => void): void {
    if (lane?.isClosed) return;
    const verdict = this.judge(packet);
    const isHeld = verdict.kind === "hold" || (lane !== undefined && verdict.kind === "drop");
    if (isHeld || (lane !== undefined && lane.held > 0)) {
      if (lane) lane.held += 1;
      this.#held.push({ packet, lane, arrive });
      return;
    }
    const ruled = verdict.kind === "delay" ? verdict.ms : 0;
    if (lane !== undefined) {
      this.#postInOrder(packet, lane, ruled, arrive);
      return;
    }
    const isSure = verdict.kind === "deliver";
    if (verdict.kind === "drop" || (!isSure && this.#dice.chance(this.options.lossRate))) {
      this.traffic.lost(packet.traffic, packet.bytes);
      return;
    }
    const sent = { packet, lane, arrive };
    this.#arriveAfter(this.#latency(packet) + ruled, sent);
    if (isSure || !this.#dice.chance(this.options.duplicateRate)) return;
    this.traffic.doubled(packet.traffic, packet.bytes);
    this.#arriveAfter(this.#latency(packet) + ruled, sent);
  }

  /** Spreads a claim as gossip does: to each member on some way of a few hops, around most cuts. */
  spread(from: Endpoint, claim: Uint8Array): void {
    if (from.connections.size === 0) return;
    const members = this.#endpoints.filter((one) => one !== undefined);
    const hopsMax = Math.max(1, Math.ceil(Math.log(members.length) / Math.log(gossipDegree)));
    for (const member of members) {
      if (member === from || member.connections.size === 0 || member.swarm !== from.swarm) continue;
      this.#spreadTo(from, member, claim, members, hopsMax);
    }
  }

  /** Connects two processes. Resolves when the connection can be used, or when it is clear that there is none. */
  dial(from: Endpoint, index: number): Promise<DialOutcome> {
    const existing = from.connections.get(index);
    if (existing) return Promise.resolve({ kind: "connected", endpoint: existing });
    return new Promise((resolve) => this.#knock(from, index, 0, resolve));
  }

  /** What the rules say, the first that has an opinion. */
  judge(packet: Packet): Verdict {
    for (const rule of this.#rules) {
      const verdict = rule(packet);
      if (verdict.kind !== "pass") return verdict;
    }
    return pass;
  }

  /** Whether nothing gets from the one to the other at the moment. */
  isBlocked(from: number, to: number): boolean {
    if (this.#rules.length === 0) return false;
    const { kind } = this.judge(controlPacket(from, to));
    return kind === "drop" || kind === "hold";
  }

  /** Tries to connect, as often as systems repeat the first packet of a connection: after 1 s, 2 s, 4 s. */
  #knock(
    from: Endpoint,
    index: number,
    triedForMs: Millis,
    resolve: (outcome: DialOutcome) => void,
  ): void {
    const there = controlPacket(from.index, index);
    const roundTripMs = this.#latency(there) + this.#latency(there);
    const isCut = this.isBlocked(from.index, index) || this.isBlocked(index, from.index);
    const present = this.#endpoints[index];
    const isSilent = present ? present.process.standsStill : this.#absences[index] !== "refusing";
    const fail = (detail: string): void => resolve({ kind: "unreachable", detail });
    if (isCut || isSilent) {
      const pauseMs = Math.max(knockMs, triedForMs);
      const leftMs = this.options.connectTimeoutMs - triedForMs;
      if (leftMs <= pauseMs) from.process.call(leftMs, () => fail("the connection timed out"));
      else
        from.process.call(pauseMs, () => this.#knock(from, index, triedForMs + pauseMs, resolve));
    } else if (present) {
      from.process.call(roundTripMs * dialRoundTrips, () => resolve(this.#greet(from, index)));
    } else from.process.call(roundTripMs, () => fail("the connection was refused"));
  }

  #greet(from: Endpoint, index: number): DialOutcome {
    const endpoint = this.#endpoints[index];
    if (endpoint === undefined || endpoint.process.standsStill) {
      return { kind: "unreachable", detail: "the connection broke" };
    }
    if (endpoint.swarm !== from.swarm) {
      return {
        kind: "refused",
        detail: `it belongs to ${endpoint.swarm}, not to ${from.swarm}`,
      };
    }
    from.connections.set(index, endpoint);
    endpoint.connections.set(from.index, from);
    from.connectionMade(endpoint);
    endpoint.connectionMade(from);
    return { kind: "connected", endpoint };
  }

  #postInOrder(
    packet: Packet,
    lane: Lane,
    ruled: Millis,
    arrive: (receiver: Endpoint) => void,
  ): void {
    const { lossRate, retransmitMs, bytesPerMs } = this.options;
    let delayMs = ruled + this.#latency(packet) + packet.bytes / bytesPerMs;
    for (let again = 0; again < retransmitsMax && this.#dice.chance(lossRate); again += 1) {
      delayMs += retransmitMs * 2 ** again;
    }
    const nowMs = this.clock.nowMs();
    lane.lastArrivalMs = Math.max(nowMs + delayMs, lane.lastArrivalMs + laneGapMs);
    this.#arriveAfter(lane.lastArrivalMs - nowMs, { packet, lane, arrive });
  }

  #arriveAfter(ms: Millis, sent: Sent): void {
    this.clock.enter(new Arrival(sent, this.#arrived), ms);
  }

  readonly #arrived = ({ packet, lane, arrive }: Sent): void => {
    const receiver = this.#endpoints[packet.to];
    receiver?.process.notice(() => {
      const { from, to, traffic, kind, bytes } = packet;
      const code = trafficKinds.indexOf(traffic) + kind * trafficKinds.length;
      this.trace.add(this.clock.nowMs(), from, to, code, bytes);
      if (lane?.isClosed !== true) arrive(receiver);
    });
  };

  #spreadTo(
    from: Endpoint,
    to: Endpoint,
    claim: Uint8Array,
    members: readonly Endpoint[],
    hopsMax: number,
  ): void {
    const packet: Packet = claimPacket(from.index, to.index, claim.length);
    this.traffic.sent("claim", claim.length);
    const arrive = (receiver: Endpoint): void => receiver.receiveClaim(from.self, claim);
    const verdict = this.judge(packet);
    const isCut = verdict.kind === "drop" || verdict.kind === "hold";
    const isAround = isCut && this.#hasRelay(packet, members);
    if (isCut && !isAround && verdict.kind === "hold") {
      this.#held.push({ packet, lane: undefined, arrive });
    } else if ((isCut && !isAround) || this.#dice.chance(this.options.claimLossRate)) {
      this.traffic.lost("claim", claim.length);
    } else {
      let delayMs = verdict.kind === "delay" ? verdict.ms : 0;
      const hops = this.#dice.integer(1, hopsMax) + (isAround ? 1 : 0);
      for (let hop = 0; hop < hops; hop += 1) delayMs += this.#latency(packet);
      const sent = { packet, lane: undefined, arrive };
      this.#arriveAfter(delayMs, sent);
      if (!this.#dice.chance(this.options.duplicateRate)) return;
      this.traffic.doubled("claim", claim.length);
      this.#arriveAfter(delayMs + this.#latency(packet), sent);
    }
  }

  #hasRelay({ from, to, bytes }: Packet, members: readonly Endpoint[]): boolean {
    for (let attempt = 0; attempt < relaysTried; attempt += 1) {
      const relay = this.#dice.pick(members)?.index;
      if (relay === undefined || relay === from || relay === to) continue;
      const first = this.judge(claimPacket(from, relay, bytes)).kind;
      const second = this.judge(claimPacket(relay, to, bytes)).kind;
      if (![first, second].some((kind) => kind === "drop" || kind === "hold")) return true;
    }
    return false;
  }

  /** Breaks the connections over which nothing comes through: a rule has stood for long. */
  #breakBlocked(): void {
    for (const one of this.#endpoints) {
      for (const other of one?.connections.values() ?? []) {
        const isFirst = one !== undefined && one.index < other.index;
        if (!isFirst) continue;
        if (!this.isBlocked(one.index, other.index) && !this.isBlocked(other.index, one.index)) {
          continue;
        }
        this.#breakLater(one, other, 0);
        this.#breakLater(other, one, 0);
      }
    }
  }

  /** After `ms` and some time more, since the two ends do not count together. */
  #breakLater(end: Endpoint, other: Endpoint, ms: Millis): void {
    this.clock.call(ms + this.#dice.between(0, 1_000), () => this.#breakEnd(end, other));
  }

  #breakEnd(end: Endpoint, other: Endpoint): void {
    end.process.notice(() => this.#breakNow(end, other));
  }

  #breakNow(end: Endpoint, other: Endpoint): void {
    if (end.connections.get(other.index) !== other) return;
    end.connections.delete(other.index);
    end.connectionBroken(other);
    this.#held = this.#held.filter(({ lane }) => lane?.isClosed !== true);
  }

  #latency({ from, to }: Packet): Millis {
    const { latencyMedianMs, latencyTail } = this.options;
    const pair = mix(0, Math.min(from, to), Math.max(from, to)) / 2 ** 32;
    return this.#dice.lognormal(latencyMedianMs * 2 ** (2 * pair - 1), latencyTail);
  }
}

function controlPacket(from: number, to: number): Packet {
  return { from, to, traffic: "control", kind: 0, bytes: 0 };
}

function claimPacket(from: number, to: number, bytes: number): Packet {
  return { from, to, traffic: "claim", kind: 0, bytes };
}
