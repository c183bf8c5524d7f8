import { after, jobSpaceOfUrlKey, rangeOfUrl, retag } from "../../core/record/keys.ts";
import { ExclusionRecord, UrlRecord } from "../../core/record/record.pb.ts";
import type { CanonicalUrl } from "../../core/units.ts";
import type { KeyRange, Store, StoreEntry } from "../../ports/store.ts";
import { urlRow } from "../admission/url-row.ts";
import type { Job } from "../jobs/job-registry.ts";

/** What one job knows of one URL. */
export interface Knowledge {
  readonly job: Job;
  readonly record?: UrlRecord;
  readonly exclusion?: ExclusionRecord;
}

type Reads = Pick<Store, "getMany" | "range">;

/** With no more, a look-up of every URL for each job costs no more than to find the jobs that know it. */
const fewJobs = 8;

/** Rows of one URL that are in memory together. */
const rowsPerLook = 500;

/**
 * Of each URL, in their order, what the one of the jobs says that is furthest; nothing where none knows it.
 *
 * There may be ten thousand jobs, most of them over: then only rows that are there are read, URL by URL. To look a thousand
 * URLs up for each of a thousand jobs at once would stop the process for half a minute, and take a gigabyte.
 */
export async function knowledgeOf(
  store: Reads,
  urls: readonly CanonicalUrl[],
  jobs: readonly Job[],
): Promise<(Knowledge | undefined)[]> {
  if (jobs.length <= fewJobs) return lookedUp(store, urls, jobs);
  const groups = Map.groupBy(jobs, ({ definition }) => definition.options.normalizeQuery);
  const ways = [...groups.values()].map((group) => new Map(group.map((job) => [job.space, job])));
  const known: (Knowledge | undefined)[] = [];
  for (const url of urls) known.push(await found(store, url, ways));
  return known;
}

async function lookedUp(
  store: Reads,
  urls: readonly CanonicalUrl[],
  jobs: readonly Job[],
): Promise<(Knowledge | undefined)[]> {
  const asked = urls.flatMap((url, at) =>
    jobs.map((job) => ({ at, job, key: urlRow(url, job).key })),
  );
  const keys = asked.map(({ key }) => key);
  // In one call, lest a URL is seen neither as excluded any more nor as queued yet.
  const rows = await store.getMany([...keys, ...keys.map((key) => retag(key, "exclusion"))]);
  const known: (Knowledge | undefined)[] = urls.map(() => undefined);
  asked.forEach(({ at, job }, index) => {
    const record = rows[index];
    const exclusion = rows[asked.length + index];
    if (record) known[at] = further(known[at], { job, record: UrlRecord.decode(record) });
    else if (exclusion) {
      known[at] = further(known[at], { job, exclusion: ExclusionRecord.decode(exclusion) });
    }
  });
  return known;
}

/** @param ways the jobs by their numbers, those apart that know a URL by another key */
async function found(
  store: Reads,
  url: CanonicalUrl,
  ways: readonly ReadonlyMap<number, Job>[],
): Promise<Knowledge | undefined> {
  let best: Knowledge | undefined;
  for (const jobs of ways) {
    const [first] = jobs.values();
    if (!first) continue;
    const { key } = urlRow(url, first);
    // Exclusions first, lest a URL is seen neither as excluded any more nor as queued yet.
    for await (const { key: row, value } of rowsIn(store, rangeOfUrl(retag(key, "exclusion")))) {
      const job = jobs.get(jobSpaceOfUrlKey(row));
      if (job) best = further(best, { job, exclusion: ExclusionRecord.decode(value) });
    }
    for await (const { key: row, value } of rowsIn(store, rangeOfUrl(key))) {
      const job = jobs.get(jobSpaceOfUrlKey(row));
      if (job) best = further(best, { job, record: UrlRecord.decode(value) });
    }
  }
  return best;
}

async function* rowsIn(
  store: Pick<Store, "range">,
  { gte, lt }: KeyRange,
): AsyncGenerator<StoreEntry, void, undefined> {
  for (let from = gte; ;) {
    const rows = await store.range({ gte: from, lt }, rowsPerLook);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerLook) return;
    from = after(last.key);
  }
}

function further(best: Knowledge | undefined, one: Knowledge): Knowledge {
  return !best || rank(one) > rank(best) ? one : best;
}

/** Done beats queued beats excluded; of two that are done the later fetch wins. */
function rank({ record }: Knowledge): number {
  return record ? record.state * 1e15 + record.fetchedAtMs : 0;
}
