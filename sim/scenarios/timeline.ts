import type { Millis } from "../../src/core/units.ts";
import type { Dice } from "../world/dice.ts";
import type { Fault, PlannedFault } from "./plan.ts";

/** Writes down the faults of a run in the order of their times, and draws what they need. */
export class Timeline {
  readonly dice: Dice;
  /** Machines at the beginning. */
  readonly peers: number;
  /** Machines that the user asked for. */
  readonly target: number;
  readonly #faults: PlannedFault[] = [];
  #nowMs: Millis = 0;
  #joined = 0;

  constructor(dice: Dice, peers: number, target: number) {
    this.dice = dice;
    this.peers = peers;
    this.target = target;
  }

  /** Time of the latest step. */
  get nowMs(): Millis {
    return this.#nowMs;
  }

  get faults(): readonly PlannedFault[] {
    return this.#faults.toSorted((one, other) => one.atMs - other.atMs);
  }

  /** Machines so far, those that will have joined by then included. */
  get machines(): number {
    return this.peers + this.#joined;
  }

  /** Goes on by a time between these. */
  wait(minMs: Millis, maxMs: Millis): this {
    this.#nowMs += Math.round(this.dice.between(minMs, maxMs));
    return this;
  }

  /** Something that happens now, or `afterMs` later. */
  add(fault: Fault, afterMs: Millis = 0, whenCalm = false): this {
    if (fault.kind === "join") this.#joined += 1;
    this.#faults.push({
      ...fault,
      atMs: this.#nowMs + Math.round(afterMs),
      ...(whenCalm && { whenCalm }),
    });
    return this;
  }

  anyMachine(): number {
    return this.dice.integer(0, this.machines - 1);
  }

  /** Some of the machines, not all, and at least one. */
  someMachines(): number[] {
    const count = this.dice.integer(1, Math.max(1, this.machines - 1));
    return this.dice.shuffled(this.all()).slice(0, count);
  }

  /** All machines, in two groups. */
  twoGroups(): [number[], number[]] {
    const shuffled = this.dice.shuffled(this.all());
    const cut = this.dice.integer(1, Math.max(1, shuffled.length - 1));
    return [shuffled.slice(0, cut), shuffled.slice(cut)];
  }

  /** Numbers of all machines so far. */
  all(): number[] {
    return Array.from({ length: this.machines }, (_, machine) => machine);
  }
}
