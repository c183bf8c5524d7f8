import { CrawlError } from "../../core/errors.ts";
import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import { noJobCounts } from "../../core/answers/job-counts.ts";
import type { JobCounts } from "../../core/answers/job-counts.ts";
import { isStatusReason } from "../../core/answers/reason-text.ts";
import { isReasonName } from "../../core/messages/stats-message.ts";

/** The totals that are single numbers. */
type Counted = Exclude<keyof JobCounts, "skipped" | "letIn" | "statuses">;

type MutableCounts = Record<Counted, number> & {
  skipped: Partial<Record<ExclusionReason, number>>;
  letIn?: Partial<Record<ExclusionReason, number>>;
  statuses: Record<string, number>;
};

/** Reasons that are unknown here, at most: with all that are known, a message of totals has room for them. */
const strangeReasonsMax = 16;

/** Running totals of one job, saved as JSON whenever they have changed. */
export class JobCounter {
  readonly #counts: MutableCounts;
  /** Reasons that other members have given, and that a later version may know. */
  readonly #strange: Set<string>;
  #changed = false;

  /** `saved`: what {@link takeChanged} returned last, in this process or an earlier one. */
  constructor(saved: Uint8Array | undefined) {
    this.#counts = saved ? readCounts(saved) : emptyCounts();
    const { skipped, letIn = {} } = this.#counts;
    const reasons = new Set([...Object.keys(skipped), ...Object.keys(letIn)]);
    const strange = [...reasons].filter((reason) => !isStatusReason(reason));
    this.#strange = new Set(strange.slice(0, strangeReasonsMax));
    // An earlier version counted any number of them.
    for (const reason of strange.slice(strangeReasonsMax)) {
      Reflect.deleteProperty(skipped, reason);
      Reflect.deleteProperty(letIn, reason);
    }
  }

  get queued(): number {
    return this.#counts.queued;
  }

  get pages(): number {
    return this.#counts.pages;
  }

  add(name: Counted, by = 1): void {
    this.#counts[name] += by;
    this.#changed = true;
  }

  /** Whether URLs may be counted as skipped for this reason, by another member's word. */
  takesReason(reason: string): boolean {
    if (isStatusReason(reason) || this.#strange.has(reason)) return true;
    if (this.#strange.size >= strangeReasonsMax || !isReasonName(reason)) return false;
    this.#strange.add(reason);
    return true;
  }

  /**
   * `by` below 0: that many were let in after all, perhaps of those that another member has counted, for a reason that may
   * be any text.
   */
  addSkipped(reason: ExclusionReason, by = 1): void {
    const { skipped } = this.#counts;
    const count = countOf(skipped, reason) + by;
    if (count > 0) skipped[reason] = count;
    else Reflect.deleteProperty(skipped, reason);
    if (count < 0 && this.takesReason(reason)) {
      const letIn = (this.#counts.letIn ??= {});
      letIn[reason] = countOf(letIn, reason) - count;
    }
    this.#changed = true;
  }

  addStatus(status: number): void {
    const group = `${Math.floor(status / 100)}xx`;
    this.#counts.statuses[group] = (this.#counts.statuses[group] ?? 0) + 1;
    this.#changed = true;
  }

  counts(): JobCounts {
    const { letIn, skipped, statuses } = this.#counts;
    return {
      ...this.#counts,
      skipped: { ...skipped },
      ...(letIn && { letIn: { ...letIn } }),
      statuses: { ...statuses },
    };
  }

  /** The totals to be saved, if they have changed since the last call. */
  takeChanged(): Uint8Array<ArrayBuffer> | undefined {
    if (!this.#changed) return undefined;
    this.#changed = false;
    return new TextEncoder().encode(JSON.stringify(this.#counts));
  }
}

/** A reason of another member's may be the name of something which every object has. */
function countOf(
  counts: Partial<Record<ExclusionReason, number>>,
  reason: ExclusionReason,
): number {
  return Object.hasOwn(counts, reason) ? (counts[reason] ?? 0) : 0;
}

function emptyCounts(): MutableCounts {
  return { ...noJobCounts, skipped: {}, statuses: {} };
}

function readCounts(saved: Uint8Array): MutableCounts {
  try {
    const stored = JSON.parse(new TextDecoder().decode(saved)) as Partial<MutableCounts>;
    return { ...emptyCounts(), ...stored };
  } catch (cause) {
    throw new CrawlError("STORE_CORRUPT", "a job's totals cannot be read", {}, { cause });
  }
}
