import type { DiskPart } from "../world/virtual-machine.ts";
import type { Millis } from "../../src/core/units.ts";
import type { Dice } from "../world/dice.ts";
import type { Timeline } from "./timeline.ts";

/** Time in which the others find out that a machine is gone, at most. */
const missedMs: Millis = 10_000;

/** A bit of everything. */
export function churn(timeline: Timeline): void {
  const { dice, peers } = timeline;
  // Dice of its own: what else happens does not depend on it.
  const stuck = dice.fork("stuck-disk");
  if (stuck.chance(0.25)) {
    stickDisk(timeline, stuck.integer(0, peers - 1), stuck, stuck.between(2_000, 30_000));
  }
  for (let left = dice.integer(4, 12); left > 0; left -= 1) {
    timeline.wait(500, 9_000);
    const machine = timeline.anyMachine();
    const drawn = dice.integer(1, 22);
    if (drawn <= 6) crash(timeline, machine);
    else if (drawn <= 8) {
      timeline.add({ kind: "wipe", machine }, 0, true);
      timeline.add({ kind: "start", machine }, dice.between(500, 15_000));
    } else if (drawn <= 10) {
      timeline.add({ kind: "stop", machine });
      timeline.add({ kind: "start", machine }, dice.between(1_000, 12_000));
    } else if (drawn <= 13) timeline.add({ kind: "join" });
    else if (drawn <= 15 && peers > 2) timeline.add({ kind: "leave", machine });
    else if (drawn <= 17) {
      split(timeline);
      timeline.wait(1_000, 20_000).add({ kind: "heal" });
    } else if (drawn === 18) swizzle(timeline);
    else if (drawn > 20) standStill(timeline, machine);
    else {
      timeline.add({ kind: "slow-disk", machine, factor: dice.integer(5, 100) });
      timeline.add({ kind: "slow-disk", machine, factor: 1 }, dice.between(2_000, 15_000));
    }
  }
}

/** A machine is killed or loses its power, and comes back. */
export function crash(timeline: Timeline, machine: number): void {
  const { dice } = timeline;
  timeline.add({ kind: dice.chance(0.5) ? "kill" : "power", machine });
  timeline.add({ kind: "start", machine }, dice.exponential(6_000) + 50);
}

/** A machine ends in one way or another, perhaps for good. */
export function part(timeline: Timeline, machine: number): void {
  const { dice } = timeline;
  const drawn = dice.integer(1, 10);
  if (drawn <= 4) crash(timeline, machine);
  else if (drawn <= 8) {
    timeline.add({ kind: "stop", machine });
    timeline.add({ kind: "start", machine }, dice.between(200, 12_000));
  } else timeline.add({ kind: "leave", machine }).add({ kind: "join" });
}

/** A machine is lost or stands still until nobody remembers it, and comes back with its disk. */
export function longGone(timeline: Timeline, machine: number, rememberedMs: Millis): void {
  const { dice } = timeline;
  const forMs = rememberedMs * dice.between(1, 3) + missedMs;
  const kind = dice.pick(["kill", "stop", "stand-still"] as const);
  timeline.add({ kind, machine });
  timeline.add({ kind: kind === "stand-still" ? "go-on" : "start", machine }, forMs);
}

/** A process stands still for a while. */
export function standStill(timeline: Timeline, machine: number): void {
  timeline.add({ kind: "stand-still", machine });
  timeline.add({ kind: "go-on", machine }, timeline.dice.exponential(8_000) + 500);
}

/** One machine loses its network, or all lose the way to the web that they share. */
export function goOffline(timeline: Timeline): void {
  const isShared = timeline.dice.chance(0.5);
  if (isShared) timeline.add({ kind: "no-web", machines: timeline.all() });
  else timeline.add({ kind: "offline", machine: timeline.anyMachine() });
}

/** The network falls apart, or one way only. */
export function split(timeline: Timeline): void {
  const [one, other] = timeline.twoGroups();
  if (timeline.dice.chance(0.3)) timeline.add({ kind: "cut", from: one, to: other });
  else timeline.add({ kind: "partition", groups: [one, other] });
}

/**
 * Machines are clogged one by one, and freed in another order (FoundationDB's swizzle, Zhou et al. 2021, section 4.1): it
 * finds what goes wrong when parts come back in an order that nobody thought of.
 */
export function swizzle(timeline: Timeline): void {
  const { dice } = timeline;
  const machines = timeline.someMachines();
  for (const machine of machines) {
    timeline.add({ kind: "clog", machine });
    timeline.wait(0, 3_000);
  }
  for (const machine of dice.shuffled(machines)) {
    timeline.add({ kind: "unclog", machine });
    timeline.wait(0, 3_000);
  }
}

/** Clocks are off by less than that, either way: members whose clocks are a day apart do not believe one another. */
const clockErrorMaxMs = 10 * 3_600_000;
/** How far off a clock is that somebody has set right. */
const clockErrorMinMs = 1_000;

/** Somebody sets a clock, right or wrong: by a second, or by hours. */
export function setClock(timeline: Timeline, machine: number): void {
  const { dice } = timeline;
  const isRight = dice.chance(0.4);
  const spread = Math.log(clockErrorMaxMs / clockErrorMinMs);
  const errorMs = clockErrorMinMs * Math.exp(isRight ? 0 : dice.between(0, spread));
  timeline.add({
    kind: "set-clock",
    machine,
    offsetMs: Math.round(dice.between(-1, 1) < 0 ? -errorMs : errorMs),
  });
}

/** The machines' clocks are set at one moment, as those of one cloud are, each as well as it goes. */
export function setClocks(timeline: Timeline): void {
  for (let machine = 0; machine < timeline.machines; machine += 1) setClock(timeline, machine);
}

/** What a disk has on it, all of it or a part that has a disk of its own. */
const diskParts: readonly [readonly DiskPart[], ...(readonly DiskPart[])[]] = [
  ["store", "archive", "leases"],
  ["store", "archive"],
  ["store"],
  ["archive"],
  ["leases"],
];

/** A disk takes nothing for a while; perhaps its machine is ended meanwhile. */
export function failDisk(timeline: Timeline, machine: number): void {
  const { dice } = timeline;
  const how = dice.chance(0.7) ? "full" : "broken";
  timeline.add({ kind: "fail-disk", machine, how, parts: dice.pick(diskParts) });
  const forMs = dice.exponential(8_000) + 200;
  if (dice.chance(0.3)) {
    const afterMs = dice.between(0, forMs);
    timeline.add({ kind: dice.chance(0.5) ? "kill" : "power", machine }, afterMs);
    timeline.add({ kind: "start", machine }, afterMs + dice.exponential(3_000) + 50);
  }
  timeline.add({ kind: "mend-disk", machine }, forMs);
}

/** Briefly, or for much longer than others wait for a replica that takes nothing. */
const stuckMsMin: Millis = 10_000;
const stuckMsMax: Millis = 180_000;

/** What is written to a disk hangs for a while; its machine answers, and reads. */
export function stickDisk(
  timeline: Timeline,
  machine: number,
  dice: Dice = timeline.dice,
  afterMs: Millis = 0,
): void {
  const parts = dice.pick(diskParts);
  timeline.add({ kind: "fail-disk", machine, how: "stuck", parts }, afterMs);
  const forMs = dice.between(stuckMsMin, stuckMsMax);
  timeline.add({ kind: "mend-disk", machine }, afterMs + forMs);
}

/** Perhaps something happens while a disk hangs, to its machine or to another one. */
export function meanwhile(timeline: Timeline): void {
  const { dice } = timeline;
  const drawn = dice.integer(1, 10);
  const machine = timeline.anyMachine();
  if (drawn <= 3) crash(timeline, machine);
  else if (drawn === 4) timeline.add({ kind: "join" });
  else if (drawn === 5) timeline.add({ kind: "leave", machine });
  else if (drawn === 6) standStill(timeline, machine);
  else if (drawn === 7) {
    timeline.add({ kind: "stop", machine });
    timeline.add({ kind: "start", machine }, dice.between(1_000, 30_000));
  } else if (drawn === 8) {
    split(timeline);
    timeline.wait(1_000, 20_000).add({ kind: "heal" });
  }
}
