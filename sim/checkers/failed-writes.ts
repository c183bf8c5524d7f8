import { jobSpace } from "../../src/core/record/url-keys.ts";
import type { CanonicalUrl, JobId, MemberId, Millis } from "../../src/core/units.ts";
import type { Checker, RunView } from "./checker.ts";
import { urlRowKey } from "./url-row-key.ts";

/** By then a peer that was told that a write had failed says that it cannot go on. */
const saidWithinMs: Millis = 1_000;

/**
 * A peer of which a write has failed says so at once, and whatever it has acknowledged to another one is on its disk: all of
 * a group of changes, or nothing of it, counts.
 */
export class FailedWrites implements Checker {
  readonly #view: RunView;
  readonly #space: number;
  /** Processes that have been told of, by machine. */
  readonly #told = new Map<number, number>();

  constructor(view: RunView, job: JobId) {
    this.#view = view;
    this.#space = jobSpace(job);
  }

  readonly onLook = (): void => {
    const { chronicle, findings, startedAtMs, world } = this.#view;
    for (const { id, index, generation, refusedAtMs, standsStill } of world.running) {
      if (refusedAtMs === undefined || standsStill || this.#told.get(index) === generation)
        continue;
      const sinceMs = refusedAtMs - startedAtMs;
      const hasSaid = chronicle.life(index, generation)?.end !== undefined;
      if (hasSaid || chronicle.nowMs < sinceMs + saidWithinMs) continue;
      this.#told.set(index, generation);
      const text = `${id} goes on though a write has failed`;
      findings.add("failed-writes", chronicle.nowMs, text, { generation, sinceMs });
    }
  };

  /** A member has said of these URLs that it has them. */
  acknowledged(by: MemberId, urls: readonly CanonicalUrl[]): void {
    const { chronicle, findings, world } = this.#view;
    const machine = world.machines.find(({ id }) => id === by);
    if (machine === undefined || chronicle.isWiped(machine.index)) return;
    for (const url of urls) {
      const isThere = (["url", "exclusion"] as const).some((tag) =>
        machine.disk.isDurable(urlRowKey(tag, url, this.#space)),
      );
      if (isThere) continue;
      const text = `${by} has acknowledged ${url} and has not got it on its disk`;
      findings.add("failed-writes", chronicle.nowMs, text);
    }
  }
}
