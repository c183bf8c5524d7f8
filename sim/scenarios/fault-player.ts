import type { Millis } from "../../src/core/units.ts";
import type { Chronicle } from "../checkers/chronicle.ts";
import type { Dice } from "../world/dice.ts";
import { clogMembers, cutOneWay, partition, slowMembers } from "../world/network-rules.ts";
import type { Fault, Plan, PlannedFault } from "./plan.ts";
import type { VirtualSwarm } from "./virtual-swarm.ts";

/** How long a fault waits for the swarm to be calm, before it is left out. */
const calmWithinMs: Millis = 60_000;
const calmStepMs: Millis = 250;
/** Members that stay, whoever leaves. */
const membersMin = 2;

/**
 * Does to the world what the plan says, and no more than the design promises to bear: never are all members down at once,
 * and a disk is lost only while everything it holds is elsewhere too. What cannot be done is left out, and noted.
 */
export class FaultPlayer {
  readonly #swarm: VirtualSwarm;
  readonly #chronicle: Chronicle;
  readonly #plan: Plan;
  readonly #dice: Dice;
  /** Rules of the network that stand, by what put them there. */
  readonly #rules = new Map<string, () => void>();
  readonly #storms = new Set<() => void>();
  #ruleNumber = 0;

  constructor(swarm: VirtualSwarm, chronicle: Chronicle, plan: Plan, dice: Dice) {
    this.#swarm = swarm;
    this.#chronicle = chronicle;
    this.#plan = plan;
    this.#dice = dice;
  }

  /** Plays all faults at their times, counted from `zeroMs`; resolves when it is time to heal. */
  async play(zeroMs: Millis): Promise<void> {
    const { clock } = this.#swarm.world;
    for (const fault of this.#plan.faults) {
      await clock.sleep(zeroMs + fault.atMs - clock.nowMs());
      if (fault.whenCalm === true && !(await this.#isCalmInTime())) {
        this.#note(fault, true);
        continue;
      }
      const done = this.#perform(fault);
      this.#note(fault, !done);
      if (done) this.#chronicle.began(fault);
    }
    await clock.sleep(zeroMs + this.#plan.healAtMs - clock.nowMs());
  }

  /** Ends all faults and starts what is down. */
  heal(): void {
    this.#healNetwork();
    for (const end of [...this.#storms]) end();
    for (const machine of this.#swarm.world.machines) {
      machine.disk.slowness = 1;
      if (!machine.isUp) this.#swarm.start(machine.index);
    }
    this.#chronicle.note({ kind: "heal-all" });
  }

  async #isCalmInTime(): Promise<boolean> {
    const { clock } = this.#swarm.world;
    for (let waited = 0; waited < calmWithinMs; waited += calmStepMs) {
      const weather = this.#swarm.look();
      this.#chronicle.look(weather);
      if (weather.calm && weather.down.length === 0 && !this.#chronicle.isThinNow) return true;
      await clock.sleep(calmStepMs);
    }
    return false;
  }

  /** False when the fault does not fit what there is. */
  #perform(fault: Fault): boolean {
    const swarm = this.#swarm;
    switch (fault.kind) {
      case "kill":
      case "power":
      case "wipe":
        if (!this.#maySpare(fault.machine)) return false;
        swarm.end(fault.machine, fault.kind);
        return true;
      case "start":
        if (swarm.machine(fault.machine)?.isUp !== false || swarm.hasLeft(fault.machine)) {
          return false;
        }
        swarm.start(fault.machine);
        return true;
      case "stop":
      case "leave": {
        const isFit = this.#maySpare(fault.machine) && !swarm.isBusy(fault.machine);
        if (!isFit || (fault.kind === "leave" && this.#members() <= membersMin)) return false;
        swarm.stop(fault.machine, fault.kind === "leave");
        return true;
      }
      case "join":
        swarm.add();
        return true;
      case "slow-disk": {
        const machine = swarm.machine(fault.machine);
        if (machine === undefined) return false;
        machine.disk.slowness = fault.factor;
        return true;
      }
      case "storm":
        this.#storm(fault);
        return true;
      default:
        return this.#disturb(fault);
    }
  }

  #disturb(fault: Fault): boolean {
    const { network } = this.#swarm.world;
    switch (fault.kind) {
      case "partition":
        this.#rules.set(this.#nextName(), network.addRule(partition(...fault.groups)));
        return true;
      case "cut":
        this.#rules.set(this.#nextName(), network.addRule(cutOneWay(fault.from, fault.to)));
        return true;
      case "slow-network": {
        const rule = slowMembers([fault.machine], fault.ms);
        this.#rules.set(this.#nextName(), network.addRule(rule));
        return true;
      }
      case "clog": {
        const name = `clog ${fault.machine}`;
        if (this.#rules.has(name)) return false;
        this.#rules.set(name, network.addRule(clogMembers([fault.machine])));
        return true;
      }
      case "unclog": {
        const name = `clog ${fault.machine}`;
        const end = this.#rules.get(name);
        if (end === undefined) return false;
        this.#rules.delete(name);
        end();
        if (this.#rules.size === 0) this.#chronicle.networkIsWhole();
        return true;
      }
      case "heal":
        this.#healNetwork();
        return true;
      default:
        return false;
    }
  }

  #healNetwork(): void {
    for (const end of this.#rules.values()) end();
    this.#rules.clear();
    this.#chronicle.networkIsWhole();
  }

  #storm({ status, hostShare, forMs }: Extract<Fault, { kind: "storm" }>): void {
    const { clock, web } = this.#swarm.world;
    const hit = new Map<string, boolean>();
    const isHit = (host: string): boolean => {
      const known = hit.get(host);
      if (known !== undefined) return known;
      const drawn = this.#dice.chance(hostShare);
      hit.set(host, drawn);
      return drawn;
    };
    const end = web.addRule(({ host }) =>
      isHit(host) ? { kind: "status", status, retryAfterSeconds: 1 } : undefined,
    );
    const stop = (): void => {
      end();
      this.#storms.delete(stop);
    };
    this.#storms.add(stop);
    clock.call(forMs, stop);
  }

  #maySpare(index: number): boolean {
    const isUp = this.#swarm.machine(index)?.isUp === true;
    return isUp && this.#swarm.steady.some((other) => other.index !== index);
  }

  #members(): number {
    return this.#swarm.steady.length;
  }

  #nextName(): string {
    this.#ruleNumber += 1;
    return `rule ${this.#ruleNumber}`;
  }

  #note(fault: PlannedFault, skipped: boolean): void {
    const machine = "machine" in fault ? fault.machine : undefined;
    const detail = detailOf(fault);
    this.#chronicle.note({
      kind: fault.kind,
      ...(machine !== undefined && { machine }),
      ...(detail !== undefined && { detail }),
      ...(skipped && { skipped }),
    });
  }
}

function detailOf(fault: Fault): string | undefined {
  switch (fault.kind) {
    case "partition":
      return fault.groups.map((group) => group.join(" ")).join(" | ");
    case "cut":
      return `${fault.from.join(" ")} -> ${fault.to.join(" ")}`;
    case "slow-network":
      return `${fault.ms} ms`;
    case "slow-disk":
      return fault.factor === 1 ? "usual again" : `${fault.factor} times as slow`;
    case "storm":
      return `${fault.status} at ${Math.round(fault.hostShare * 100)}% of the hosts`;
    default:
      return undefined;
  }
}
