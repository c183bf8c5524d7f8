import type { Millis } from "../../src/core/units.ts";
import type { Peer } from "../../src/peer/peer.ts";
import type { TrueGraph } from "../sample-web/true-graph.ts";
import type { Plan } from "../scenarios/plan.ts";
import type { VirtualHit } from "../world/virtual-web.ts";
import type { World } from "../world/world.ts";
import type { Chronicle } from "./chronicle.ts";
import type { PageLedger } from "./page-ledger.ts";
import type { Findings } from "./violation.ts";

/** What checkers see of a run: the world from outside, and never what a peer thinks of itself alone. */
export interface RunView {
  readonly plan: Plan;
  readonly world: World<Peer>;
  readonly chronicle: Chronicle;
  readonly findings: Findings;
  /** The requests for each page so far. */
  readonly pages: PageLedger;
  /** Time of the world's clock at which the run began. */
  readonly startedAtMs: Millis;
}

/** A request to the web as checkers see it. */
export interface SeenHit extends Omit<VirtualHit, "sentAtMs" | "atMs" | "endMs"> {
  /** Times since the beginning of the run. */
  readonly sentAtMs: Millis;
  readonly atMs: Millis;
  readonly endMs: Millis;
  readonly machine: number;
}

/** What is known when a run is over. */
export interface RunEnd {
  /** What had to be fetched, by all seeds that were given. */
  readonly graph: TrueGraph;
  /** Pages whose injection was acknowledged, with the time of the acknowledgement. */
  readonly acknowledged: ReadonlyMap<number, Millis>;
  /** Whether the job came to its end; if not, that is a violation of its own. */
  readonly isFinished: boolean;
}

/** Looks at a run from outside, and reports what must not be. */
export interface Checker {
  /** Called for each request that reaches the web, in their order. */
  readonly onHit?: (hit: SeenHit) => void;
  /** Called now and then while the run goes on. */
  readonly onLook?: () => void;
  /** Called once, when the run is over and all peers still run. */
  readonly finish?: (end: RunEnd) => void;
}
