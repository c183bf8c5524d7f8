import { BinaryHeap } from "../../../src/core/frontier/binary-heap.ts";
import type { Member } from "../../../src/core/membership/member.ts";
import { stateOf } from "../../../src/core/membership/member.ts";
import { Membership } from "../../../src/core/membership/membership.ts";
import type {
  MembershipAction,
  MembershipMessage,
} from "../../../src/core/membership/membership-message.ts";
import type { MembershipOptions } from "../../../src/core/membership/membership-options.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { seeded } from "../../support/seeded.ts";

interface Peer {
  readonly machine: Membership;
  /** Runs nothing before; what comes meanwhile waits. */
  stoppedUntilMs: number;
  readonly inbox: (() => MembershipAction[])[];
  readonly wake: () => void;
}

/** A change of one member's table. */
export interface Sighting {
  readonly atMs: number;
  readonly by: MemberId;
  readonly member: Member;
}

export const memberId = (number: number) => `peer-${number}` as MemberId;

/** Machines, and a network that loses, doubles, delays and reorders; one seed draws everything. */
export class VirtualSwarm {
  nowMs = 1_000_000;
  readonly sightings: Sighting[] = [];
  readonly laterRuns: MemberId[] = [];
  /** Members that were told that others took them for dead, each time. */
  readonly buried: MemberId[] = [];
  messages = 0;
  /** Whether a datagram or a broadcast passes from one to the other. */
  connected: (from: MemberId, to: MemberId) => boolean = () => true;
  readonly #options: MembershipOptions;
  readonly #random: () => number;
  readonly #lossShare: number;
  readonly #peers = new Map<MemberId, Peer>();
  readonly #events = new BinaryHeap<() => void>();

  constructor(seed: number, options: MembershipOptions, lossShare = 0) {
    this.#random = seeded(seed);
    this.#options = options;
    this.#lossShare = lossShare;
  }

  /** Starts a peer, in place of one that ran under this id before. */
  add(number: number, contact?: number): Membership {
    const id = memberId(number);
    const machine = new Membership(
      {
        id,
        addresses: [`/ip4/10.0.0.${number}/tcp/1`],
        weight: 1,
        version: "1.0.0",
        generation: this.nowMs,
      },
      this.#options,
      this.#random,
    );
    const peer: Peer = {
      machine,
      stoppedUntilMs: 0,
      inbox: [],
      wake: () => this.#wake(id, peer),
    };
    this.#peers.set(id, peer);
    this.#perform(id, peer, machine.start(this.nowMs));
    if (contact !== undefined) {
      this.#perform(id, peer, machine.join([memberId(contact)], this.nowMs));
    }
    return machine;
  }

  /** A swarm of `count` whose members have all found one another and become active. */
  static settled(
    seed: number,
    options: MembershipOptions,
    count: number,
    lossShare = 0,
  ): VirtualSwarm {
    const swarm = new VirtualSwarm(seed, options, lossShare);
    for (let number = 0; number < count; number++) {
      swarm.add(number, number === 0 ? undefined : 0);
      swarm.run(50);
    }
    for (let number = 0; number < count; number++) {
      swarm.act(number, (machine, nowMs) => machine.setRole("active", nowMs));
    }
    swarm.run(20_000 + swarm.#random() * 1_000);
    swarm.sightings.length = 0;
    return swarm;
  }

  machine(number: number): Membership {
    const peer = this.#peers.get(memberId(number));
    if (peer === undefined) throw new Error(`no peer ${number}`);
    return peer.machine;
  }

  get machines(): Membership[] {
    return Array.from(this.#peers.values(), ({ machine }) => machine);
  }

  /** Takes the process away; nobody is told. */
  kill(number: number): void {
    const peer = this.#peers.get(memberId(number));
    if (peer !== undefined) this.#events.remove(peer.wake);
    this.#peers.delete(memberId(number));
  }

  /** Stops the process; what is sent to it waits. */
  stall(number: number, forMs: number): void {
    const id = memberId(number);
    const peer = this.#peers.get(id);
    if (peer === undefined) return;
    peer.stoppedUntilMs = this.nowMs + forMs;
    this.#schedule(id, peer);
  }

  act(number: number, deed: (machine: Membership, nowMs: number) => MembershipAction[]): void {
    const id = memberId(number);
    const peer = this.#peers.get(id);
    if (peer !== undefined) this.#perform(id, peer, deed(peer.machine, this.nowMs));
  }

  run(forMs: number, until: () => boolean = () => false): void {
    const endMs = this.nowMs + forMs;
    while (!until()) {
      const atMs = this.#events.peekKey();
      if (atMs === undefined || atMs > endMs) {
        this.nowMs = endMs;
        return;
      }
      this.nowMs = Math.max(this.nowMs, atMs);
      this.#events.pop()?.();
    }
  }

  /** Who in the swarm says `state` of the member. */
  sayers(number: number, state: string): MemberId[] {
    return this.machines
      .filter((machine) => machine.self.id !== memberId(number))
      .filter((machine) => {
        const member = machine.member(memberId(number));
        return member !== undefined && stateOf(member) === state;
      })
      .map((machine) => machine.self.id);
  }

  /** The different opinions on who is there, and how. */
  opinions(): string[] {
    return [...new Set(this.machines.map(opinionOf))];
  }

  /** Timers come before what waits to be read, as in an event loop. */
  #wake(id: MemberId, peer: Peer): void {
    if (this.nowMs < peer.stoppedUntilMs) {
      this.#events.set(peer.wake, peer.stoppedUntilMs);
      return;
    }
    this.#perform(id, peer, peer.machine.tick(this.nowMs));
    for (const deed of peer.inbox.splice(0)) this.#perform(id, peer, deed());
  }

  #perform(id: MemberId, peer: Peer, actions: readonly MembershipAction[]): void {
    for (const action of actions) {
      switch (action.kind) {
        case "send":
          this.#carry(id, action.to, action.message);
          break;
        case "broadcast":
          for (const to of this.#peers.keys()) this.#spread(id, to, [action.claim]);
          break;
        case "changed":
          this.sightings.push({
            atMs: this.nowMs,
            by: id,
            member: action.member,
          });
          break;
        case "buried":
          this.buried.push(id);
          break;
        case "later-run":
          this.laterRuns.push(id);
          break;
      }
    }
    this.#schedule(id, peer);
  }

  #schedule(id: MemberId, peer: Peer): void {
    if (this.#peers.get(id) !== peer) return;
    const atMs = Math.max(peer.machine.nextWakeAtMs(), peer.stoppedUntilMs);
    if (atMs < Infinity) this.#events.set(peer.wake, Math.max(atMs, this.nowMs));
    else this.#events.remove(peer.wake);
  }

  #carry(from: MemberId, to: MemberId, message: MembershipMessage): void {
    this.messages++;
    this.#deliver(from, to, (machine) => machine.receive(from, message, this.nowMs));
    const doubled = this.#random() < this.#lossShare;
    if (doubled) this.#deliver(from, to, (machine) => machine.receive(from, message, this.nowMs));
  }

  #spread(from: MemberId, to: MemberId, claims: readonly Member[]): void {
    if (to !== from) this.#deliver(from, to, (machine) => machine.claims(from, claims, this.nowMs));
  }

  #deliver(from: MemberId, to: MemberId, read: (machine: Membership) => MembershipAction[]): void {
    if (this.#random() < this.#lossShare) return;
    const tail = this.#random() < 0.05 ? 50 * this.#random() : 0;
    const arrive = () => {
      const peer = this.#peers.get(to);
      if (peer === undefined || !this.connected(from, to)) return;
      const deed = () => read(peer.machine);
      if (this.nowMs < peer.stoppedUntilMs) peer.inbox.push(deed);
      else this.#perform(to, peer, deed());
    };
    this.#events.set(arrive, this.nowMs + 0.2 + 3 * this.#random() + tail);
  }
}

function opinionOf(machine: Membership): string {
  const rows = machine
    .members()
    .map((member) => `${member.id} ${member.generation} ${stateOf(member)}`);
  return rows.toSorted().join("\n");
}
