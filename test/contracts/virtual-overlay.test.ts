import { VirtualClock } from "../../sim/virtual-clock.ts";
import { Dice } from "../../sim/world/dice.ts";
import { defaultNetworkOptions } from "../../sim/world/network-options.ts";
import { VirtualNetwork } from "../../sim/world/virtual-network.ts";
import { VirtualOverlay } from "../../sim/world/virtual-overlay.ts";
import { VirtualProcess } from "../../sim/world/virtual-process.ts";
import type { MemberId } from "../../src/core/units.ts";
import type { Overlay } from "../../src/ports/overlay.ts";
import { overlayContract, type OverlayPlace } from "./overlay.ts";

/** Virtual time between two looks at a condition, and at most for all of them. */
const lookEveryMs = 10;
const looksMax = 6_000;

class VirtualPlace implements OverlayPlace {
  readonly windowRequests = defaultNetworkOptions.windowRequests;
  readonly windowBytes = defaultNetworkOptions.windowBytes;
  readonly #clock = new VirtualClock(0);
  readonly #network = new VirtualNetwork(this.#clock, new Dice(1));
  #members = 0;

  overlay(swarm = "sim"): Promise<Overlay> {
    const index = this.#members;
    this.#members += 1;
    const self = `member-${index}` as MemberId;
    const process = new VirtualProcess(self, 1, this.#clock);
    return Promise.resolve(new VirtualOverlay(this.#network, process, { index, self, swarm }));
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    for (let looks = 0; !condition(); looks += 1) {
      if (looks === looksMax) throw new Error(`it does not come: ${what}`);
      await this.#clock.sleep(lookEveryMs);
    }
  }

  run(work: () => Promise<void>): Promise<void> {
    return this.#clock.run(work());
  }
}

overlayContract("the virtual overlay", () => new VirtualPlace());
