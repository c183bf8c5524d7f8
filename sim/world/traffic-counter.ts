import type { OverlayClass } from "../../src/ports/overlay.ts";

/** What travels between members: requests and their replies by class, datagrams, and claims. */
export type Traffic = OverlayClass | "notice" | "claim";

export const trafficKinds = ["control", "forwarding", "transfer", "notice", "claim"] as const;

/** Totals of one kind of traffic. */
export interface TrafficCount {
  readonly messages: number;
  readonly bytes: number;
}

interface Tally {
  messages: number;
  bytes: number;
}

type Tallies = Record<Traffic, Tally>;

/** Messages and bytes by kind and member; payloads only, since framing is the adapter's. */
export class TrafficCounter {
  readonly #sent: Tallies[] = [];
  readonly #received: Tallies[] = [];
  readonly #lost = newTallies();
  readonly #doubled = newTallies();

  sent(member: number, traffic: Traffic, bytes: number): void {
    add((this.#sent[member] ??= newTallies())[traffic], bytes);
  }

  received(member: number, traffic: Traffic, bytes: number): void {
    add((this.#received[member] ??= newTallies())[traffic], bytes);
  }

  lost(traffic: Traffic, bytes: number): void {
    add(this.#lost[traffic], bytes);
  }

  doubled(traffic: Traffic, bytes: number): void {
    add(this.#doubled[traffic], bytes);
  }

  /** What a member has handed to the network; a claim counts once for each member that it is sent on to. */
  sentBy(member: number): Readonly<Record<Traffic, TrafficCount>> {
    return this.#sent[member] ?? newTallies();
  }

  receivedBy(member: number): Readonly<Record<Traffic, TrafficCount>> {
    return this.#received[member] ?? newTallies();
  }

  /** All that was sent, by kind. */
  totals(): Readonly<Record<Traffic, TrafficCount>> {
    const totals = newTallies();
    for (const tallies of this.#sent.filter(Boolean)) {
      for (const kind of trafficKinds) {
        totals[kind].messages += tallies[kind].messages;
        totals[kind].bytes += tallies[kind].bytes;
      }
    }
    return totals;
  }

  /** What the network lost by chance or by a cut. */
  get losses(): Readonly<Record<Traffic, TrafficCount>> {
    return this.#lost;
  }

  /** What it delivered once more than it was sent. */
  get duplicates(): Readonly<Record<Traffic, TrafficCount>> {
    return this.#doubled;
  }
}

function newTallies(): Tallies {
  const none = (): Tally => ({ messages: 0, bytes: 0 });
  return {
    control: none(),
    forwarding: none(),
    transfer: none(),
    notice: none(),
    claim: none(),
  };
}

function add(tally: Tally, bytes: number): void {
  tally.messages += 1;
  tally.bytes += bytes;
}
