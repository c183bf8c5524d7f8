import { CrawlError } from "../core/errors.ts";
import type { ExclusionReason } from "../core/jobs/exclusion.ts";
import type { FetchFailure } from "../core/politeness/retry-table.ts";
import { retag } from "../core/record/keys.ts";
import { ExclusionRecord, UrlRecord } from "../core/record/record.pb.ts";
import { urlState } from "../core/record/url-state.ts";
import type { CanonicalUrl } from "../core/units.ts";
import { canonicalizeUrl } from "../core/url/canonicalize-url.ts";
import { hostOf } from "../core/url/site-of.ts";
import type { Archive, ArchivedResponse } from "../ports/archive.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { Frontier } from "./frontier.ts";
import { jobHold } from "./job-registry.ts";
import type { Job } from "./job-registry.ts";
import type { UrlStatus } from "../ports/peer-control.ts";
import { describeReason } from "./reason-text.ts";
import { urlRow } from "./url-row.ts";

/** What one job knows of one URL. */
interface Knowledge {
  readonly job: Job;
  readonly record?: UrlRecord;
  readonly exclusion?: ExclusionRecord;
}

type Reason = NonNullable<UrlStatus["reason"]>;

/** Answers what is known of URLs. Answers are those of the last commit, so they never go back. */
export class StatusDesk {
  readonly #ports: { readonly archive: Archive; readonly clock: Clock; readonly store: Store };
  readonly #frontier: Frontier;
  readonly #peerId: string;

  constructor(
    ports: { readonly archive: Archive; readonly clock: Clock; readonly store: Store },
    frontier: Frontier,
    peerId: string,
  ) {
    this.#ports = ports;
    this.#frontier = frontier;
    this.#peerId = peerId;
  }

  /** One answer a URL, in their order: of all jobs that know it, what the one says that is furthest. */
  async status(inputs: readonly string[], jobs: readonly Job[]): Promise<UrlStatus[]> {
    const urls = inputs.map((input) => canonicalizeUrl(input));
    const known = await this.#knowledge(urls, jobs);
    return inputs.map((input, at) => {
      const url = urls[at];
      if (url === undefined) return this.#unknown(input, "invalid-url");
      const best = furthest(known[at]);
      return best ? this.#describe(input, url, best) : this.#unknown(input);
    });
  }

  /** Errors: `NOT_ARCHIVED`. */
  async content(input: string, jobs: readonly Job[]): Promise<ArchivedResponse> {
    const url = canonicalizeUrl(input);
    const known = url === undefined ? [] : await this.#knowledge([url], jobs);
    const record = furthest(known[0])?.record;
    if (!record?.capture) {
      throw new CrawlError("NOT_ARCHIVED", `nothing is archived for ${input}`, { url: input });
    }
    const response = await this.#ports.archive.read(record.capture);
    if (!record.body) return response;
    const { body } = await this.#ports.archive.read(record.body);
    return { ...response, body };
  }

  async #knowledge(
    urls: readonly (CanonicalUrl | undefined)[],
    jobs: readonly Job[],
  ): Promise<Knowledge[][]> {
    const asked = urls.flatMap((url, at) =>
      url === undefined ? [] : jobs.map((job) => ({ at, job, key: urlRow(url, job).key })),
    );
    const records = await this.#ports.store.getMany(asked.map(({ key }) => key));
    const exclusions = await this.#ports.store.getMany(
      asked.map(({ key }) => retag(key, "exclusion")),
    );
    const known: Knowledge[][] = urls.map(() => []);
    asked.forEach(({ at, job }, index) => {
      const record = records[index];
      const exclusion = exclusions[index];
      if (record) known[at]?.push({ job, record: UrlRecord.decode(record) });
      else if (exclusion) known[at]?.push({ job, exclusion: ExclusionRecord.decode(exclusion) });
    });
    return known;
  }

  #unknown(url: string, reason?: "invalid-url"): UrlStatus {
    return {
      url,
      state: "unknown",
      attempts: 0,
      owner: this.#peerId,
      ...(reason && { reason, detail: describeReason(reason) }),
    };
  }

  #describe(input: string, url: CanonicalUrl, { job, record, exclusion }: Knowledge): UrlStatus {
    const common = { url: input, job: job.definition.id, owner: this.#peerId };
    if (exclusion) {
      const reason = exclusion.reason as ExclusionReason;
      return { ...common, state: "excluded", attempts: 0, reason, detail: describeReason(reason) };
    }
    if (!record || record.state === urlState.queued) {
      const reason = this.#whyWaiting(url, job);
      return {
        ...common,
        state: reason === "cancelled" ? "excluded" : "queued",
        attempts: record?.attempts ?? 0,
        reason,
        detail: describeReason(reason),
      };
    }
    return { ...common, ...describeDone(record) };
  }

  #whyWaiting(url: CanonicalUrl, job: Job): Reason {
    const hold = jobHold(job);
    if (hold) return hold;
    const host = this.#frontier.hostNamed(hostOf(url));
    return host?.visit.gate.hold(this.#ports.clock.nowMs()) ?? "waiting-turn";
  }
}

function furthest(known: readonly Knowledge[] = []): Knowledge | undefined {
  let best: Knowledge | undefined;
  for (const one of known) if (!best || rank(one) > rank(best)) best = one;
  return best;
}

/** Done beats queued beats excluded; of two that are done the later fetch wins. */
function rank({ record }: Knowledge): number {
  return record ? record.state * 1e15 + record.fetchedAtMs : 0;
}

function describeDone(record: UrlRecord): Omit<UrlStatus, "url" | "owner" | "job"> {
  const reason = (record.excluded ?? record.failure) as ExclusionReason | FetchFailure | undefined;
  const wasFetched = record.httpStatus > 0;
  return {
    state: record.excluded !== undefined && !wasFetched ? "excluded" : "done",
    attempts: record.attempts,
    depth: record.depth,
    ...(wasFetched && {
      httpStatus: record.httpStatus,
      fetchedAt: new Date(record.fetchedAtMs).toISOString(),
      bodyBytes: record.bodyBytes,
    }),
    ...(record.redirect !== undefined && { redirect: record.redirect }),
    ...(reason && { reason, detail: describeReason(reason) }),
    ...(record.contentType !== undefined && { contentType: record.contentType }),
    ...(record.title !== undefined && { title: record.title }),
    ...(record.payloadDigest !== undefined && { digest: record.payloadDigest }),
    ...(record.capture && { archive: record.capture }),
  };
}
