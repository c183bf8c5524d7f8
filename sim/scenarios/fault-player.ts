import type { Millis } from "../../src/core/units.ts";
import type { Chronicle, SkipReason } from "../checkers/chronicle.ts";
import type { Dice } from "../world/dice.ts";
import { isNetworkFault, NetworkFaults } from "./network-faults.ts";
import type { Fault, NetworkFault, Plan, PlannedFault } from "./plan.ts";
import type { VirtualSwarm } from "./virtual-swarm.ts";

/** How long a fault waits for the swarm to be calm, before it is left out. */
const calmWithinMs: Millis = 60_000;
const calmStepMs: Millis = 250;
/** Members that stay, whoever leaves. */
const membersMin = 2;
/** Copies of everything, at least, where a disk may be lost. */
const copiesMin = 2;

/**
 * Does to the world what the plan says, and no more than the design promises to bear: never are all members down at once,
 * and a disk is lost only while everything it holds is elsewhere too. What cannot be done is left out, and noted.
 */
export class FaultPlayer {
  readonly #swarm: VirtualSwarm;
  readonly #chronicle: Chronicle;
  readonly #plan: Plan;
  readonly #dice: Dice;
  readonly #network: NetworkFaults;
  readonly #storms = new Set<() => void>();

  constructor(swarm: VirtualSwarm, chronicle: Chronicle, plan: Plan, dice: Dice) {
    this.#swarm = swarm;
    this.#network = new NetworkFaults(swarm.world.network, swarm.world.web);
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
        this.#note(fault, "never-calm");
        continue;
      }
      const done = this.#perform(fault);
      this.#note(fault, done ? undefined : "unfit");
      if (done) this.#chronicle.began(fault);
    }
    await clock.sleep(zeroMs + this.#plan.healAtMs - clock.nowMs());
  }

  /** Ends all faults and starts what is down; resolves when nothing is being started or stopped any more. */
  async heal(): Promise<void> {
    if (this.#isBroken()) this.#chronicle.lastFaultAtMs = this.#chronicle.nowMs;
    this.#network.endAll();
    this.#chronicle.networkIsWhole();
    this.#chronicle.disksAreQuick();
    for (const end of [...this.#storms]) end();
    for (const machine of this.#swarm.still) this.#swarm.goOn(machine);
    for (const machine of this.#swarm.world.machines) {
      machine.disk.slowness = 1;
      machine.mendDisk();
    }
    this.#chronicle.note({ kind: "heal-all" });
    // What is about to stop is still up, and down only afterwards.
    await this.#swarm.idle();
    for (const index of this.#swarm.down) this.#swarm.start(index);
    await this.#swarm.idle();
  }

  /** Something is left for the end to mend. */
  #isBroken(): boolean {
    const { down, still, world } = this.#swarm;
    const isBad = world.machines.some(({ disk, hasBadDisk }) => disk.slowness > 1 || hasBadDisk);
    return !this.#network.isWhole || isBad || down.length > 0 || still.length > 0;
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
    if (isNetworkFault(fault)) return this.#disturb(fault);
    const swarm = this.#swarm;
    switch (fault.kind) {
      case "kill":
      case "power":
      case "wipe":
        if (!this.#maySpare(fault.machine)) return false;
        if (fault.kind === "wipe" && this.#plan.settings.replicas < copiesMin) return false;
        swarm.end(fault.machine, fault.kind);
        return true;
      case "stand-still":
        if (!this.#maySpare(fault.machine) || !this.#isSteady(fault.machine)) return false;
        swarm.standStill(fault.machine);
        return true;
      case "go-on":
        if (!swarm.still.includes(fault.machine)) return false;
        swarm.goOn(fault.machine);
        return true;
      case "start":
        if (swarm.machine(fault.machine)?.isUp !== false || swarm.hasLeft(fault.machine)) {
          return false;
        }
        swarm.start(fault.machine);
        return true;
      case "stop":
      case "leave": {
        const isFit = this.#maySpare(fault.machine) && this.#isSteady(fault.machine);
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
      case "fail-disk":
        if (!this.#maySpare(fault.machine)) return false;
        swarm.machine(fault.machine)?.failDisk(fault.how, fault.parts);
        return true;
      case "mend-disk": {
        const machine = swarm.machine(fault.machine);
        if (machine?.hasBadDisk !== true) return false;
        machine.mendDisk();
        return true;
      }
      case "set-clock": {
        const machine = swarm.machine(fault.machine);
        machine?.clock.set(fault.offsetMs);
        return machine !== undefined;
      }
      case "storm":
        this.#storm(fault);
        return true;
    }
  }

  #disturb(fault: NetworkFault): boolean {
    const done = this.#network.perform(fault);
    if (this.#network.isWhole) this.#chronicle.networkIsWhole();
    return done;
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

  #isSteady(index: number): boolean {
    return this.#swarm.steady.some((machine) => machine.index === index);
  }

  #members(): number {
    return this.#swarm.steady.length;
  }

  #note(fault: PlannedFault, skipped: SkipReason | undefined): void {
    const machine = "machine" in fault ? fault.machine : undefined;
    const detail = detailOf(fault);
    this.#chronicle.note({
      kind: fault.kind,
      ...(machine !== undefined && { machine }),
      ...(detail !== undefined && { detail }),
      ...(skipped !== undefined && { skipped }),
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
    case "fail-disk":
      return `${fault.how}: ${fault.parts.join(", ")}`;
    case "set-clock":
      return `off by ${(fault.offsetMs / 1_000).toFixed(1)} s`;
    case "storm":
      return `${fault.status} at ${Math.round(fault.hostShare * 100)}% of the hosts`;
    case "kill":
    case "power":
    case "wipe":
    case "stand-still":
    case "go-on":
    case "start":
    case "stop":
    case "leave":
    case "join":
    case "offline":
    case "no-web":
    case "break":
    case "clog":
    case "unclog":
    case "heal":
    case "mend-disk":
      return undefined;
  }
}
