import { forgetOldest } from "../../../core/forget-oldest.ts";
import type { OutboxEntry } from "../../../core/record/record.pb.ts";
import type { CanonicalUrl, JobId } from "../../../core/units.ts";
import type { ForwardedUrl, ForwardResult } from "../../../core/messages/forward.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import { urlRow } from "../../admission/url-row.ts";
import { parcelId } from "./parcel.ts";

/** Some hundred bytes each, and more than are under way from one member to another at a time. */
const urlsMax = 10_000;

/**
 * URLs that were taken in as new while their bringer was asked to come again: then they are known, and new to their bringer
 * all the same.
 *
 * Invariant: at most `urlsMax`, the latest ones; of others it will be said that they were known.
 */
export class UntoldNews {
  readonly #jobs: Pick<JobRegistry, "find">;
  readonly #ids = new Set<string>();

  constructor(jobs: Pick<JobRegistry, "find">) {
    this.#jobs = jobs;
  }

  /** Nobody is told these results. */
  keep(urls: readonly ForwardedUrl[], results: readonly ForwardResult[]): void {
    urls.forEach((url, at) => {
      const id = results[at] === "new" ? this.#idOf(url) : undefined;
      if (id !== undefined) this.#ids.add(id);
    });
    forgetOldest(this.#ids, urlsMax);
  }

  /** The results as the bringer is to be told them. */
  tell(urls: readonly ForwardedUrl[], results: readonly ForwardResult[]): readonly ForwardResult[] {
    if (this.#ids.size === 0) return results;
    return results.map((result, at) => {
      const id = result === "known" ? this.#idOf(urls[at]) : undefined;
      return id !== undefined && this.#ids.delete(id) ? "new" : result;
    });
  }

  #idOf(url: ForwardedUrl | undefined): string | undefined {
    if (url === undefined || url === "rejected") return undefined;
    const { job: id, url: text }: OutboxEntry = url;
    const job = this.#jobs.find(id as JobId);
    return job && parcelId(urlRow(text as CanonicalUrl, job).key);
  }
}
