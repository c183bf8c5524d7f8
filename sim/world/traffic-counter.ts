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

/** Messages and bytes by kind; payloads only, since framing is the adapter's. */
export class TrafficCounter {
  readonly #sent = newTallies();
  readonly #lost = newTallies();
  readonly #doubled = newTallies();

  /** What a member hands to the network; a claim counts once for each member that it is sent on to. */
  sent(traffic: Traffic, bytes: number): void {
    add(this.#sent[traffic], bytes);
  }

  lost(traffic: Traffic, bytes: number): void {
    add(this.#lost[traffic], bytes);
  }

  doubled(traffic: Traffic, bytes: number): void {
    add(this.#doubled[traffic], bytes);
  }

  /** All that was sent until now, by kind. */
  totals(): Readonly<Record<Traffic, TrafficCount>> {
    return structuredClone(this.#sent);
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
