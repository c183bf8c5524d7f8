import { defaultDispatcherOptions } from "../../src/peer/fetching/dispatcher.ts";
import { noMetrics, type Metrics } from "../../src/ports/metrics.ts";
import type { Checker, RunView } from "./checker.ts";

/** Requests that a peer has open, at most. */
const { openRequestsMax } = defaultDispatcherOptions;
/** All open pages together have less than so many times the mean of links. */
const linksFactor = 2;
/** Rows that a link writes: its own, and the one in its host's queue. */
const rowsPerLink = 2;
/** Room for messages in the making, in the smallest of runs. */
const overshootMin = 1_000;

/** Queues between peers, and the journal's batches, stay within what the options say. */
export class BoundedQueues implements Checker {
  readonly #view: RunView;
  readonly highest = { pending: 0, queuedRows: 0, pendingOps: 0 };

  constructor(view: RunView) {
    this.#view = view;
  }

  readonly onLook = (): void => {
    for (const { peer, id } of this.#view.world.running) {
      const { swarm } = peer;
      if (!swarm) continue;
      this.#see("pending", swarm.exchange.pending, id);
      let queuedRows = 0;
      for (const member of swarm.view.others) {
        queuedRows = Math.max(queuedRows, swarm.replicator.stream(member)?.queuedRows ?? 0);
      }
      this.#see("queuedRows", queuedRows, id);
    }
  };

  /** Measures what a peer says of itself nowhere else. */
  metricsOf(id: string): Metrics {
    return {
      ...noMetrics,
      observe: (name, value) => {
        if (name === "commit_operations") this.#see("pendingOps", value, id);
      },
    };
  }

  /**
   * A queue that is at its bound takes up no new work, but what is under way still comes: the links of the pages that
   * are being fetched, one at each host.
   */
  get #overshoot(): number {
    const { hostsPerSite = 1, linksPerPage = 12, sites = 1 } = this.#view.plan.settings.sampleWeb;
    const open = Math.min(openRequestsMax, sites * hostsPerSite);
    return Math.max(overshootMin, open * linksPerPage * linksFactor * rowsPerLink);
  }

  #see(queue: keyof BoundedQueues["highest"], value: number, id: string): void {
    this.highest[queue] = Math.max(this.highest[queue], value);
    const bound = this.#view.plan.settings.queues[`${queue}Max`];
    if (value <= bound + this.#overshoot) return;
    const { chronicle, findings } = this.#view;
    findings.add("bounded-queues", chronicle.nowMs, `${queue} of ${id} grew to ${value}`, {
      bound,
      value,
    });
  }
}
