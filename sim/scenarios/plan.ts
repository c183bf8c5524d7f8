import type { JobOptions, JobScope } from "../../src/core/jobs/job-definition.ts";
import type { Millis } from "../../src/core/units.ts";
import type { JobChange } from "../../src/ports/peer-control.ts";
import type { MinorityPolicy } from "../../src/peer/swarm/ownership/minority-watch.ts";
import type { SampleWebOptions } from "../sample-web/sample-web-options.ts";
import type { NetworkOptions } from "../world/network-options.ts";
import type { DiskFault, DiskPart } from "../world/virtual-machine.ts";
import type { DiskTimes } from "../world/virtual-store.ts";
import type { VirtualWebOptions } from "../world/virtual-web.ts";

/** What a user says of a run; everything else follows from it. */
export interface SimulationSize {
  readonly seed: number;
  /** Machines at the beginning. */
  readonly peers: number;
  readonly sites: number;
  readonly pages: number;
}

/** The world of a run: all that its seed has drawn, faults apart. */
export interface RunSettings {
  readonly sampleWeb: Partial<SampleWebOptions>;
  readonly web: Partial<VirtualWebOptions>;
  readonly network: Partial<NetworkOptions>;
  readonly diskTimes: Partial<DiskTimes>;
  readonly clockOffsetMaxMs: Millis;
  readonly clockDriftMaxPpm: number;
  /** Time that a page takes to be parsed. */
  readonly parseMs: Millis;
  /** Tokens of each member on the ring. */
  readonly virtualNodes: number;
  readonly replicas: number;
  /** Weights of the machines, each the next one, again and again. */
  readonly weights: readonly [number, ...number[]];
  readonly minority: MinorityPolicy;
  /** How long members remember one that is gone. */
  readonly retentionMs: Millis;
  /** The job's politeness delay. */
  readonly jobDelayMs: Millis;
  /** With `site`, what links to another site stays out until that site's own seed comes. */
  readonly jobScope: Extract<JobScope, "any" | "site">;
  /** What else the job says. */
  readonly jobLimits: Partial<Pick<JobOptions, "depthMax" | "queriesPerPathMax">>;
  readonly queues: QueueBounds;
}

/** Bounds that the peers are given, and held to. */
export interface QueueBounds {
  /** URLs on their way to their owners. */
  readonly pendingMax: number;
  /** Rows on their way to one replica. */
  readonly queuedRowsMax: number;
  /** Operations that wait for a commit. */
  readonly pendingOpsMax: number;
}

/** Something that happens to the world. Machines are known by their number. */
export type Fault =
  /** The process is killed, its disk stays. */
  | { readonly kind: "kill"; readonly machine: number }
  /** The machine goes dark; what was not synced is lost. */
  | { readonly kind: "power"; readonly machine: number }
  /** The machine and its disk are lost; another one with an empty disk may start in its place. */
  | { readonly kind: "wipe"; readonly machine: number }
  /** The process stands still, as if it slept; nobody is told. */
  | { readonly kind: "stand-still"; readonly machine: number }
  | { readonly kind: "go-on"; readonly machine: number }
  | { readonly kind: "start"; readonly machine: number }
  /** The peer is stopped in order; it may be started again. */
  | { readonly kind: "stop"; readonly machine: number }
  /** The peer passes on what it holds and stops, for good. */
  | { readonly kind: "leave"; readonly machine: number }
  /** One more machine, with the next number. */
  | { readonly kind: "join" }
  | { readonly kind: "partition"; readonly groups: readonly (readonly number[])[] }
  /** Nothing gets from the ones to the others; the way back is open. */
  | { readonly kind: "cut"; readonly from: readonly number[]; readonly to: readonly number[] }
  /** The machine's connections break, and may be made anew at once. */
  | { readonly kind: "break"; readonly machine: number }
  | { readonly kind: "clog"; readonly machine: number }
  | { readonly kind: "unclog"; readonly machine: number }
  | { readonly kind: "slow-network"; readonly machine: number; readonly ms: Millis }
  /** It has no network: neither the others nor the web can be reached, nor a name server. */
  | { readonly kind: "offline"; readonly machine: number }
  /** The way to the web that these share is gone; they reach one another. */
  | { readonly kind: "no-web"; readonly machines: readonly number[] }
  /** Takes back all partitions, cuts and slow links. */
  | { readonly kind: "heal" }
  /** Its disk takes that many times as long; 1 ends it. */
  | { readonly kind: "slow-disk"; readonly machine: number; readonly factor: number }
  /** Parts of its disk take nothing any more: they are full, fail, or hang. */
  | {
      readonly kind: "fail-disk";
      readonly machine: number;
      readonly how: DiskFault;
      readonly parts: readonly DiskPart[];
    }
  /** There is room again, or the disk works. */
  | { readonly kind: "mend-disk"; readonly machine: number }
  /** The machine's clock on the wall is set, to be off by so much from then on. */
  | { readonly kind: "set-clock"; readonly machine: number; readonly offsetMs: Millis }
  /** That share of the hosts answers everything with that status for a while. */
  | {
      readonly kind: "storm";
      readonly status: 429 | 503;
      readonly hostShare: number;
      readonly forMs: Millis;
    };

export type FaultKind = Fault["kind"];

/** Faults of the network between machines, and their ends. */
export type NetworkFault = Extract<
  Fault,
  {
    readonly kind:
      | "partition"
      | "cut"
      | "slow-network"
      | "offline"
      | "no-web"
      | "break"
      | "clog"
      | "unclog"
      | "heal";
  }
>;

/** A fault and its time, counted from when the swarm is first complete. */
export type PlannedFault = Fault & {
  readonly atMs: Millis;
  /** It waits until every arc is fully replicated again, since the design promises nothing else. */
  readonly whenCalm?: boolean;
};

/** Seeds that are given to some running peer at that time. */
export interface PlannedInjection {
  readonly atMs: Millis;
  /** Numbers of pages of the sample web. */
  readonly pages: readonly number[];
  /** Machine that is given them first, whatever it is about to do; absent where that is some machine that goes on running. */
  readonly machine?: number;
  /** Priority that the job has from then on; absent where it stays what it is. */
  readonly priority?: number;
}

/** What some running peer is told about the job at that time. */
export interface PlannedJobChange {
  readonly atMs: Millis;
  readonly change: Exclude<JobChange, "cancel">;
}

/** A whole run as data. */
export interface Plan {
  readonly scenario: string;
  readonly size: SimulationSize;
  readonly settings: RunSettings;
  readonly injections: readonly PlannedInjection[];
  readonly jobChanges: readonly PlannedJobChange[];
  readonly faults: readonly PlannedFault[];
  /** When the faults end: everything is healed and started again. */
  readonly healAtMs: Millis;
  /** Time in which the swarm must have become one again after that. */
  readonly convergeWithinMs: Millis;
  /** Time in which the job must be over after that. */
  readonly finishWithinMs: Millis;
}
