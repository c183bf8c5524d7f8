import type { ArcSet } from "../../../core/ring/arc-set.ts";
import { roundFigure } from "../../../core/round-figure.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Frontier } from "../../frontier/frontier.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { ReplicaStream } from "../replication/replica-stream.ts";
import type { Replicator } from "../replication/replicator.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "./territory.ts";

/** Rest before a question that was not answered is asked again. */
const retryMs = 300;

/**
 * Passes the right to arcs on to a member that has a copy of them.
 *
 * The arcs are closed: nothing is dispatched, requests in flight come to their end, nothing is admitted. Then the member
 * has been sent everything, gates included, and is told, with the doubt about when the hosts were last asked; from its
 * answer on it holds them.
 *
 * Invariant: until it is known whether the other member has taken the arcs, neither crawls them by this peer's doing:
 * it asks again until there is an answer or the other is gone.
 */
export class ArcTransfer {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #calls: PeerCalls;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #replicator: Replicator;
  readonly #frontier: Frontier;
  readonly #admissionsDone: () => Promise<void>;
  readonly #release: (arcs: ArcSet, hand: () => void) => Promise<void>;
  readonly #reclaim: (arcs: ArcSet) => void;

  constructor(
    ports: { readonly clock: Clock; readonly logger: Logger; readonly calls: PeerCalls },
    parts: {
      readonly view: SwarmView;
      readonly territory: Territory;
      readonly replicator: Replicator;
      readonly frontier: Frontier;
      /** Resolves when what was being admitted at the call is in the journal, and the journal is flushed. */
      readonly admissionsDone: () => Promise<void>;
      /** Takes what is queued in the arcs out of the jobs' totals, and calls `hand`, with no change in between. */
      readonly release: (arcs: ArcSet, hand: () => void) => Promise<void>;
      /** The arcs stay here, and it is unknown what the other member asked of their hosts meanwhile. */
      readonly reclaim: (arcs: ArcSet) => void;
    },
  ) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#calls = ports.calls;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#replicator = parts.replicator;
    this.#frontier = parts.frontier;
    this.#admissionsDone = parts.admissionsDone;
    this.#release = parts.release;
    this.#reclaim = parts.reclaim;
  }

  /** The arcs are crawled no more when this is called; it resolves when they are given away or stay after all. */
  async run(stream: ReplicaStream, arcs: ArcSet, signal: AbortSignal): Promise<void> {
    const { member, generation } = stream;
    if (!(await this.#frontier.left(arcs))) return;
    this.#territory.close(arcs);
    await this.#admissionsDone();
    await this.#replicator.drained(stream, signal);
    const isOver = signal.aborted || stream.isPutOff;
    if (isOver || this.#replicator.stream(member) !== stream) {
      this.#territory.reopen(arcs);
      return;
    }
    const outcome = await this.#hand(stream, arcs, signal);
    if (outcome === "accepted") {
      await this.#release(arcs, () => {
        this.#territory.give(arcs, { member, generation, synced: true, former: true });
      });
      this.#logger.info("arcs-given", { to: member, share: roundFigure(arcs.share) });
      return;
    }
    this.#territory.reopen(arcs);
    if (outcome === "gone") this.#reclaim(arcs);
    else await this.#clock.sleep(retryMs, signal);
  }

  async #hand(
    { member, generation }: ReplicaStream,
    arcs: ArcSet,
    signal: AbortSignal,
  ): Promise<"accepted" | "refused" | "gone"> {
    for (;;) {
      const doubtAgeMs = this.#frontier.doubts.ageMs(arcs);
      const offer = { arcs, ...(doubtAgeMs !== undefined && { doubtAgeMs }) };
      const answer = await this.#calls.transfer(member, offer);
      if (answer !== undefined) return answer ? "accepted" : "refused";
      if (signal.aborted || !this.#view.isRunning(member, generation)) return "gone";
      await this.#clock.sleep(retryMs, signal);
    }
  }
}
