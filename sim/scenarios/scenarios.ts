import type { Millis } from "../../src/core/units.ts";
import { SampleWeb } from "../sample-web/sample-web.ts";
import {
  defaultSampleWebOptions,
  type SampleWebOptions,
} from "../sample-web/sample-web-options.ts";
import { Dice } from "../world/dice.ts";
import {
  churn,
  crash,
  failDisk,
  goOffline,
  longGone,
  meanwhile,
  part,
  setClock,
  setClocks,
  split,
  standStill,
  stickDisk,
  swizzle,
} from "./fault-patterns.ts";
import { drawInjections, givenLast } from "./draw-injections.ts";
import { drawJobChanges, withPriorities } from "./draw-job-changes.ts";
import { drawSettings, type Roughness } from "./draw-settings.ts";
import type { Plan, RunSettings, SimulationSize } from "./plan.ts";
import { Timeline } from "./timeline.ts";

export interface Scenario {
  /** What happens, in one line. */
  readonly summary: string;
  readonly rough: Roughness;
  /** Whether seeds come in during the faults too; else all of them come at the beginning. */
  readonly lateSeeds: boolean;
  /** Differences from what was drawn. */
  readonly adapt?: (settings: RunSettings, dice: Dice, size: SimulationSize) => RunSettings;
  /** Whether the job is paused and let go on meanwhile, and its priority changed. */
  readonly jobChanges?: boolean;
  /** Whether late seeds are given to machines that are about to end, or have just begun. */
  readonly lastWords?: boolean;
  /** Writes the faults down. */
  readonly faults: (timeline: Timeline) => void;
}

const smooth: Roughness = { network: false, disks: false, clocks: false };
const rough: Roughness = { network: true, disks: true, clocks: true };
/** What calm scenarios get: a usual world whose clocks are off, as clocks are. */
const usual: Roughness = { network: false, disks: true, clocks: true };

/** Longer than any fault but those of which nobody is to remember the beginning. */
const shortRetentionMs: Millis = 15_000;

/** A web that a crowd of peers has something to do with. */
function quick(settings: RunSettings): RunSettings {
  return { ...settings, jobDelayMs: Math.min(settings.jobDelayMs, 250) };
}

/** Queues that a small web fills while somebody takes nothing, in half of the runs. */
function crowded(settings: RunSettings, dice: Dice): RunSettings {
  const small = { pendingMax: 200, queuedRowsMax: 200, pendingOpsMax: 500 };
  return dice.chance(0.5) ? { ...settings, queues: small } : settings;
}

export const scenarios = {
  steady: {
    summary: "nothing happens: the swarm crawls the web",
    rough: smooth,
    lateSeeds: false,
    faults: () => undefined,
  },
  join: {
    summary: "one to three machines join while the swarm crawls",
    rough: usual,
    lateSeeds: true,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 3); left > 0; left -= 1) {
        timeline.wait(2_000, 12_000).add({ kind: "join" });
      }
    },
  },
  leave: {
    summary: "one or two machines leave in order while the swarm crawls",
    rough: usual,
    lateSeeds: true,
    faults: (timeline) => {
      const leaving = timeline.someMachines().slice(0, Math.max(1, timeline.peers - 2));
      for (const machine of leaving.slice(0, timeline.dice.integer(1, 2))) {
        timeline.wait(3_000, 12_000).add({ kind: "leave", machine });
      }
    },
  },
  crash: {
    summary: "machines are killed or lose power, and come back with their disks",
    rough,
    lateSeeds: true,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(2, 5); left > 0; left -= 1) {
        crash(timeline.wait(2_000, 12_000), timeline.anyMachine());
      }
    },
  },
  "crash-wiped": {
    summary: "machines are lost with their disks, one at a time, and come back empty or never",
    rough,
    lateSeeds: true,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 3); left > 0; left -= 1) {
        const machine = timeline.anyMachine();
        timeline.wait(3_000, 12_000).add({ kind: "wipe", machine }, 0, true);
        timeline.add({ kind: "start", machine }, timeline.dice.between(500, 15_000));
      }
    },
  },
  "restart-all": {
    summary: "every machine is stopped in order and started again, one after the other",
    rough: usual,
    lateSeeds: true,
    faults: (timeline) => {
      for (let machine = 0; machine < timeline.peers; machine += 1) {
        timeline.wait(1_000, 3_000).add({ kind: "stop", machine }, 0, true);
        timeline.wait(200, 6_000).add({ kind: "start", machine });
      }
    },
  },
  partition: {
    summary: "the network falls apart into two halves, or one way only, and heals",
    rough,
    lateSeeds: true,
    adapt: (settings, dice) => ({ ...settings, minority: dice.pick(["crawl", "pause"]) }),
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 3); left > 0; left -= 1) {
        split(timeline.wait(2_000, 10_000));
        timeline.wait(3_000, 30_000).add({ kind: "heal" });
      }
    },
  },
  offline: {
    summary: "one machine loses its network, or all lose their way to the web, for minutes",
    rough: usual,
    lateSeeds: true,
    // Three addresses that were well tell it from hosts that are gone.
    adapt: (settings) => ({
      ...settings,
      sampleWeb: { ...settings.sampleWeb, hostsPerAddress: 1 },
    }),
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 2); left > 0; left -= 1) {
        goOffline(timeline.wait(4_000, 15_000));
        timeline.wait(30_000, 400_000).add({ kind: "heal" });
      }
    },
  },
  clog: {
    summary: "members are clogged one by one and freed in another order (swizzle)",
    rough,
    lateSeeds: true,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 2); left > 0; left -= 1) {
        swizzle(timeline.wait(2_000, 8_000));
      }
    },
  },
  "broken-connections": {
    summary: "connections between members break, and what is on its way is lost, while all run on",
    rough,
    lateSeeds: true,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(10, 40); left > 0; left -= 1) {
        timeline.wait(0, 1_500).add({ kind: "break", machine: timeline.anyMachine() });
      }
    },
  },
  "slow-peer": {
    summary: "one machine's disk and network become many times slower for a while",
    rough,
    lateSeeds: true,
    faults: (timeline) => {
      const machine = timeline.anyMachine();
      const { dice } = timeline;
      timeline.wait(2_000, 8_000);
      timeline.add({ kind: "slow-disk", machine, factor: dice.integer(10, 200) });
      timeline.add({ kind: "slow-network", machine, ms: dice.integer(20, 400) });
      timeline.wait(10_000, 40_000).add({ kind: "heal" });
      timeline.add({ kind: "slow-disk", machine, factor: 1 });
    },
  },
  "stand-still": {
    summary: "processes stand still (SIGSTOP, a machine asleep), briefly or until they are missed",
    rough,
    lateSeeds: true,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 4); left > 0; left -= 1) {
        standStill(timeline.wait(2_000, 12_000), timeline.anyMachine());
      }
    },
  },
  "clock-steps": {
    summary:
      "the clocks on the wall are set forth and back, by seconds to hours, while peers run and end",
    rough,
    lateSeeds: true,
    faults: (timeline) => {
      const { dice } = timeline;
      for (let left = dice.integer(3, 10); left > 0; left -= 1) {
        timeline.wait(500, 8_000);
        const machine = timeline.anyMachine();
        if (dice.chance(0.2)) setClocks(timeline);
        else setClock(timeline, machine);
        timeline.wait(0, 3_000);
        const drawn = dice.integer(1, 10);
        if (drawn <= 3) crash(timeline, dice.chance(0.5) ? machine : timeline.anyMachine());
        else if (drawn === 4) {
          timeline.add({ kind: "stop", machine });
          timeline.add({ kind: "start", machine }, dice.between(200, 6_000));
        } else if (drawn === 5) timeline.add({ kind: "join" });
        else if (drawn === 6) standStill(timeline, machine);
      }
    },
  },
  "full-disk": {
    summary: "disks are full for a while, or fail: peers end, and are started until there is room",
    rough,
    lateSeeds: true,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 4); left > 0; left -= 1) {
        failDisk(timeline.wait(2_000, 12_000), timeline.anyMachine());
      }
    },
  },
  "stuck-disk": {
    summary:
      "what is written to a disk hangs, for up to minutes, while its machine answers and reads",
    rough,
    lateSeeds: true,
    adapt: crowded,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 3); left > 0; left -= 1) {
        stickDisk(timeline.wait(2_000, 20_000), timeline.anyMachine());
        meanwhile(timeline.wait(0, 60_000));
      }
    },
  },
  churn: {
    summary:
      "all at once: crashes, standstills, lost disks, joins, leaves, partitions, slow and stuck parts",
    rough,
    lateSeeds: true,
    faults: churn,
  },
  "job-changes": {
    summary: "the job is paused, let go on and given other priorities, at any member, under churn",
    rough,
    lateSeeds: true,
    jobChanges: true,
    faults: churn,
  },
  "last-words": {
    summary: "seeds are given to machines that are about to stop, leave or die, or have just begun",
    rough,
    lateSeeds: true,
    lastWords: true,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(5, 12); left > 0; left -= 1) {
        part(timeline.wait(1_000, 8_000), timeline.anyMachine());
      }
    },
  },
  forgotten: {
    summary:
      "machines are down for so long that the others forget them, and come back with their disks",
    rough,
    lateSeeds: true,
    adapt: (settings) => ({ ...settings, retentionMs: shortRetentionMs }),
    faults: (timeline) => {
      for (let left = timeline.dice.integer(2, 5); left > 0; left -= 1) {
        longGone(timeline.wait(2_000, 20_000), timeline.anyMachine(), shortRetentionMs);
      }
    },
  },
  "flash-crowd": {
    summary: "one machine begins, and a crowd joins: up to the number of peers, within seconds",
    rough: usual,
    lateSeeds: true,
    adapt: quick,
    faults: (timeline) => {
      timeline.wait(2_000, 4_000);
      while (timeline.machines < timeline.target) timeline.wait(0, 400).add({ kind: "join" });
    },
  },
  "hostile-web": {
    summary: "traps, endless redirects, floods of links, storms of 429 and 503",
    rough: usual,
    lateSeeds: true,
    adapt: hostile,
    faults: (timeline) => {
      for (let left = timeline.dice.integer(1, 3); left > 0; left -= 1) {
        const { dice } = timeline;
        timeline.wait(2_000, 8_000).add({
          kind: "storm",
          status: dice.pick([429, 503]),
          hostShare: dice.between(0.1, 1),
          forMs: dice.integer(2_000, 10_000),
        });
      }
    },
  },
  "shared-address": {
    summary: "hosts of different owners share addresses",
    rough: usual,
    lateSeeds: true,
    adapt: (settings, dice) => ({
      ...settings,
      sampleWeb: { ...settings.sampleWeb, hostsPerAddress: dice.integer(4, 12) },
    }),
    faults: (timeline) => {
      if (timeline.dice.chance(0.5)) timeline.wait(3_000, 9_000).add({ kind: "join" });
    },
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** What a run has where nothing else is said. */
export function defaultSizeOf(name: ScenarioName): SimulationSize {
  return { seed: 1, peers: name === "flash-crowd" ? 50 : 5, sites: 40, pages: 2_000 };
}

/** Time that the swarm has, after the faults, to become one again. */
const convergeWithinMs: Millis = 90_000;
/** And to finish, politeness apart: hosts that failed rest for minutes, and those of a hostile web fail again and again. */
const finishWithinMs: Millis = 1_200_000;
const finishHostileWithinMs: Millis = 7_200_000;
/** The whole run as data: a pure function of its arguments. */
export function planOf(name: ScenarioName, size: SimulationSize): Plan {
  const scenario: Scenario = scenarios[name];
  const dice = new Dice(size.seed, `plan ${name}`);
  const drawn = drawSettings(dice.fork("settings"), size, scenario.rough);
  const settings = scenario.adapt?.(drawn, dice.fork("adapt"), size) ?? drawn;
  const timeline = new Timeline(dice.fork("faults"), startersOf(name, size), size.peers);
  scenario.faults(timeline);
  const lastMs = timeline.faults.at(-1)?.atMs ?? 0;
  const seedsUntilMs = scenario.lateSeeds ? Math.max(5_000, lastMs) : 0;
  const drawnInjections = drawInjections(dice.fork("seeds"), settings, seedsUntilMs);
  const injections =
    scenario.lastWords === true
      ? givenLast(drawnInjections, timeline.faults, dice.fork("last words"))
      : drawnInjections;
  return {
    scenario: name,
    size,
    settings,
    injections:
      scenario.jobChanges === true
        ? withPriorities(injections, dice.fork("priorities"))
        : injections,
    jobChanges:
      scenario.jobChanges === true ? drawJobChanges(dice.fork("changes"), seedsUntilMs) : [],
    faults: timeline.faults,
    healAtMs: Math.max(timeline.nowMs, lastMs) + dice.integer(1_000, 5_000),
    convergeWithinMs,
    finishWithinMs: name === "hostile-web" ? finishHostileWithinMs : finishWithinMs,
  };
}

/** Machines at the beginning. */
export function startersOf(name: string, { peers }: SimulationSize): number {
  return name === "flash-crowd" ? 1 : peers;
}

function hostile(settings: RunSettings, dice: Dice): RunSettings {
  const { shares = defaultSampleWebOptions.shares } = settings.sampleWeb;
  const sampleWeb = {
    ...settings.sampleWeb,
    trapShare: 0.2,
    linksPerPage: dice.integer(20, 80),
    shares: { ...shares, redirect: 0.1, loop: 0.1, throttled: 0.05, unavailable: 0.03 },
    redirectChainMax: dice.integer(3, 12),
  };
  return {
    ...quick(settings),
    // A host whose robots.txt cannot be read in a storm is given up, and with it what it alone leads to.
    jobScope: "any",
    // Traps are endless: these limits end them, beyond what the true pages need.
    jobLimits: { depthMax: 120, queriesPerPathMax: 30 + mostQueriesOfPath(sampleWeb) },
    sampleWeb,
  };
}

/** Pages of one path that their query strings alone tell apart, at the path that has the most of them. */
function mostQueriesOfPath(sampleWeb: Partial<SampleWebOptions>): number {
  const web = new SampleWeb({ ...defaultSampleWebOptions, ...sampleWeb }, 80);
  const queries = new Map<string, number>();
  for (let id = 0; id < web.layout.pageCount; id += 1) {
    const [path = "", query] = web.urlOf(id).split("?");
    if (query !== undefined) queries.set(path, (queries.get(path) ?? 0) + 1);
  }
  return Math.max(0, ...queries.values());
}
