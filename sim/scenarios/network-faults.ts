import { clogMembers, cutOneWay, isolate, partition, slowMembers } from "../world/network-rules.ts";
import type { VirtualNetwork } from "../world/virtual-network.ts";
import type { VirtualWeb } from "../world/virtual-web.ts";
import type { Fault, NetworkFault } from "./plan.ts";

const networkFaultKinds: ReadonlySet<Fault["kind"]> = new Set<NetworkFault["kind"]>([
  "partition",
  "cut",
  "slow-network",
  "offline",
  "no-web",
  "break",
  "clog",
  "unclog",
  "heal",
]);

export function isNetworkFault(fault: Fault): fault is NetworkFault {
  return networkFaultKinds.has(fault.kind);
}

/** The faults of the network that stand, and how to end them. */
export class NetworkFaults {
  readonly #network: VirtualNetwork;
  readonly #web: VirtualWeb;
  readonly #clogs = new Map<number, () => void>();
  #others: (() => void)[] = [];

  constructor(network: VirtualNetwork, web: VirtualWeb) {
    this.#network = network;
    this.#web = web;
  }

  /** Nothing stands. */
  get isWhole(): boolean {
    return this.#clogs.size === 0 && this.#others.length === 0;
  }

  /** False when it does not fit what there is. */
  perform(fault: NetworkFault): boolean {
    const network = this.#network;
    switch (fault.kind) {
      case "partition":
        this.#others.push(network.addRule(partition(...fault.groups)));
        return true;
      case "cut":
        this.#others.push(network.addRule(cutOneWay(fault.from, fault.to)));
        return true;
      case "slow-network":
        this.#others.push(network.addRule(slowMembers([fault.machine], fault.ms)));
        return true;
      case "offline":
        this.#others.push(network.addRule(isolate([fault.machine])));
        this.#others.push(this.#web.cutOff([`peer-${fault.machine}`]));
        return true;
      case "no-web":
        this.#others.push(this.#web.cutOff(fault.machines.map((index) => `peer-${index}`)));
        return true;
      case "break":
        if ((network.endpoint(fault.machine)?.connections.size ?? 0) === 0) return false;
        network.breakConnections(fault.machine);
        return true;
      case "clog":
        if (this.#clogs.has(fault.machine)) return false;
        this.#clogs.set(fault.machine, network.addRule(clogMembers([fault.machine])));
        return true;
      case "unclog": {
        const end = this.#clogs.get(fault.machine);
        this.#clogs.delete(fault.machine);
        end?.();
        return end !== undefined;
      }
      case "heal":
        this.endAll();
        return true;
    }
  }

  endAll(): void {
    for (const end of [...this.#clogs.values(), ...this.#others]) end();
    this.#clogs.clear();
    this.#others = [];
  }
}
