import type { MemberId } from "../../../src/core/units.ts";
import type { OverlayClass, OverlayOutcome } from "../../../src/ports/overlay.ts";
import { Dice } from "../../../sim/world/dice.ts";
import type { NetworkOptions } from "../../../sim/world/network-options.ts";
import { VirtualNetwork } from "../../../sim/world/virtual-network.ts";
import { virtualAddress, VirtualOverlay } from "../../../sim/world/virtual-overlay.ts";
import { VirtualProcess } from "../../../sim/world/virtual-process.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";

export const memberId = (index: number): MemberId => `member-${index}` as MemberId;
export const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
export const firsts = (list: readonly Served[]): number[] => list.map(({ first }) => first);

/** What arrived where, from whom, and its first byte. */
export interface Served {
  readonly at: number;
  readonly from: MemberId;
  readonly first: number;
}

/** A few overlays in one network; each serves kind 1 by sending back what it got. */
export class NetworkBench {
  readonly clock = new VirtualClock(0);
  readonly network: VirtualNetwork;
  readonly overlays: VirtualOverlay[] = [];
  /** Requests in the order in which they were served. */
  readonly served: Served[] = [];
  readonly notices: Served[] = [];
  readonly claims: Served[] = [];
  readonly broken: string[] = [];
  /** Requests in service at once, at most. */
  inServiceMax = 0;
  /** How long a request takes to be served. */
  serviceMs = 1;
  #inService = 0;

  constructor(seed: number, options: Partial<NetworkOptions> = {}) {
    this.network = new VirtualNetwork(this.clock, new Dice(seed), options);
  }

  /** Starts the next process of a member. */
  async start(index: number, swarm = "sim"): Promise<VirtualOverlay> {
    const generation = (this.overlays[index]?.process.generation ?? 0) + 1;
    const process = new VirtualProcess(memberId(index), generation, this.clock);
    const self = memberId(index);
    const overlay = new VirtualOverlay(this.network, process, {
      index,
      self,
      swarm,
    });
    this.overlays[index] = overlay;
    overlay.serve(1, async (from, payload) => {
      this.served.push({ at: index, from, first: payload[0] ?? -1 });
      this.#inService += 1;
      this.inServiceMax = Math.max(this.inServiceMax, this.#inService);
      await process.clock.sleep(this.serviceMs);
      this.#inService -= 1;
      return { kind: "reply", payload };
    });
    overlay.serve(2, () => Promise.reject(new RangeError("bad input")));
    overlay.onNotice((from, [first = -1]) => this.notices.push({ at: index, from, first }));
    overlay.onClaim((from, [first = -1]) => this.claims.push({ at: index, from, first }));
    overlay.onBroken((member) => this.broken.push(`${index} lost ${member}`));
    await overlay.start();
    return overlay;
  }

  /** Starts members that are all connected to the first one and know all others. */
  async startAll(count: number): Promise<VirtualOverlay[]> {
    for (let index = 0; index < count; index += 1) {
      const overlay = await this.start(index);
      for (let other = 0; other < count; other += 1) {
        overlay.learn(memberId(other), [virtualAddress(other)]);
      }
      if (index > 0) await overlay.join(virtualAddress(0), new AbortController().signal);
    }
    return this.overlays;
  }

  ask(
    from: number,
    to: number,
    payload: Uint8Array,
    timeoutMs = 60_000,
    traffic: OverlayClass = "forwarding",
    kind = 1,
  ): Promise<OverlayOutcome> {
    const overlay = this.overlays[from];
    if (overlay === undefined) throw new Error(`member ${from} has not been started`);
    const request = {
      to: memberId(to),
      class: traffic,
      kind,
      payload,
      timeoutMs,
    };
    return overlay.request(request, new AbortController().signal);
  }

  kill(index: number, absence: "refusing" | "silent" = "refusing"): void {
    this.overlays[index]?.process.end();
    this.overlays[index]?.cut(absence);
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.clock.run(work(), this.clock.nowMs() + 86_400_000);
  }
}
