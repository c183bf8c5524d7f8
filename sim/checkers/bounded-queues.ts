import type { Metrics } from "../../src/ports/metrics.ts";
import type { Checker, RunView } from "./checker.ts";

/**
 * A queue that is at its bound takes up no new work, but what is under way still comes: the links of the pages that
 * were being fetched. Each of them writes about two rows a link.
 */
const overshoot = { pending: 6_000, queuedRows: 12_000, pendingOps: 12_000 };

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
      count: () => undefined,
      gauge: () => undefined,
      observe: (name, value) => {
        if (name === "commit_operations") this.#see("pendingOps", value, id);
      },
    };
  }

  #see(queue: keyof typeof overshoot, value: number, id: string): void {
    this.highest[queue] = Math.max(this.highest[queue], value);
    const bound = this.#view.plan.settings.queues[`${queue}Max`];
    if (value <= bound + overshoot[queue]) return;
    const { chronicle, findings } = this.#view;
    findings.add("bounded-queues", chronicle.nowMs, `${queue} of ${id} grew to ${value}`, {
      bound,
      value,
    });
  }
}
