import { encodeClaim, pageCountsMax } from "../../core/messages/claim.ts";
import type { PageCount } from "../../core/messages/claim.ts";
import type { JobId, MemberId, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Overlay } from "../../ports/overlay.ts";
import type { Job, JobRegistry } from "../job-registry.ts";
import type { SwarmView } from "./swarm-view.ts";

/** How often the others are told of what has changed. */
const tellIntervalMs: Millis = 1_000;

/** Claims may be lost, so all is told again now and then. */
const tellAgainMs: Millis = 10_000;

/** Members whose pages of one job are remembered, those that are gone included. */
const membersMax = 10_000;

/**
 * How many pages all members have fetched of the jobs whose number of pages is limited.
 *
 * Each member tells the others its own count, once a second where it has changed, again where a member is new, and every
 * few seconds in any case. Counts only grow, so the greatest one heard of a member holds, also when it is gone.
 */
export class PageTally {
  readonly #clock: Clock;
  readonly #overlay: Overlay;
  readonly #jobs: JobRegistry;
  readonly #view: SwarmView;
  readonly #heard = new Map<JobId, Map<MemberId, number>>();
  readonly #told = new Map<JobId, number>();
  /** Runs of members that have been told everything, and the members of whom they are. */
  #acquainted: { readonly others: SwarmView["others"]; readonly runs: ReadonlySet<string> } = {
    others: [],
    runs: new Set(),
  };
  #toldAllAtMs: Millis = -Infinity;

  constructor(
    ports: { readonly clock: Clock; readonly overlay: Overlay },
    parts: { readonly jobs: JobRegistry; readonly view: SwarmView },
  ) {
    this.#clock = ports.clock;
    this.#overlay = ports.overlay;
    this.#jobs = parts.jobs;
    this.#view = parts.view;
  }

  /** Takes in what another member has said. */
  take(from: MemberId, counts: readonly PageCount[]): void {
    for (const { job: id, pages } of counts) {
      const job = this.#jobs.find(id);
      // Of one that is not known yet it will be told again.
      if (job) this.#count(job, from, pages);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(tellIntervalMs, signal);
      if (signal.aborted) return;
      this.#tell();
    }
  }

  #count(job: Job, from: MemberId, pages: number): void {
    const { id } = job.definition;
    const heard = this.#heard.get(id) ?? new Map<MemberId, number>();
    this.#heard.set(id, heard);
    const before = heard.get(from) ?? 0;
    if (pages <= before || (before === 0 && heard.size >= membersMax)) return;
    heard.set(from, pages);
    job.pagesElsewhere += pages - before;
  }

  #tell(): void {
    const isForAll = this.#hasNewcomers() || this.#clock.nowMs() >= this.#toldAllAtMs + tellAgainMs;
    if (isForAll) this.#toldAllAtMs = this.#clock.nowMs();
    const counts: PageCount[] = [];
    for (const { definition, counter } of this.#jobs.all()) {
      const { id, options, state } = definition;
      if (options.pagesMax === 0 || state === "cancelled" || counter.pages === 0) continue;
      if (!isForAll && this.#told.get(id) === counter.pages) continue;
      this.#told.set(id, counter.pages);
      counts.push({ job: id, pages: counter.pages });
    }
    for (let at = 0; at < counts.length; at += pageCountsMax) {
      const pageCounts = counts.slice(at, at + pageCountsMax);
      this.#overlay.publish(encodeClaim({ pageCounts }));
    }
  }

  #hasNewcomers(): boolean {
    const { others } = this.#view;
    const known = this.#acquainted;
    if (known.others === others) return false;
    const runs = new Set(others.map((one) => `${one} ${this.#view.generationOf(one)}`));
    this.#acquainted = { others, runs };
    return [...runs].some((run) => !known.runs.has(run));
  }
}
