import { jobSpaceOfUrlKey, retag } from "../../core/record/url-keys.ts";
import { idOf } from "../../core/record/id-of.ts";
import { ExclusionRecord, UrlRecord } from "../../core/record/record.pb.ts";
import type { CanonicalUrl } from "../../core/units.ts";
import type { Store } from "../../ports/store.ts";
import { rowsOfUrl } from "../admission/rows-of-url.ts";
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

/**
 * Keys that are looked up together where there are few jobs. Nothing else bounds the bytes of what is found, of which a row may
 * have half a mebibyte; fewer would make a question about 300 URLs take longer.
 */
const keysPerLook = 128;

/**
 * Of each URL, in their order, what the one of the jobs says that is furthest; nothing where none knows it.
 *
 * There may be ten thousand jobs, most of them over: then only rows that are there are read, URL by URL. To look a thousand
 * URLs up for each of a thousand jobs at once would stop the process for half a minute, and take a gigabyte.
 *
 * A row is read once, however often it is asked for: it may have half a mebibyte, and many URLs may be one to a job.
 */
export async function knowledgeOf(
  store: Reads,
  urls: readonly CanonicalUrl[],
  jobs: readonly Job[],
): Promise<(Knowledge | undefined)[]> {
  if (jobs.length <= fewJobs) return lookedUp(store, urls, jobs);
  const groups = Map.groupBy(jobs, ({ definition }) => definition.options.normalizeQuery);
  const ways = [...groups.values()].map((group) => new Map(group.map((job) => [job.space, job])));
  const known = new Map<string, Knowledge | undefined>();
  const ids: string[] = [];
  for (const url of urls) {
    const places = ways.flatMap((way) => placeOf(url, way));
    const id = places.map(({ key }) => idOf(key)).join(" ");
    if (!known.has(id)) known.set(id, await found(store, places));
    ids.push(id);
  }
  return ids.map((id) => known.get(id));
}

async function lookedUp(
  store: Reads,
  urls: readonly CanonicalUrl[],
  jobs: readonly Job[],
): Promise<(Knowledge | undefined)[]> {
  const known: (Knowledge | undefined)[] = urls.map(() => undefined);
  const places = [...Map.groupBy(askedOf(urls, jobs), ({ id }) => id).values()];
  for (let from = 0; from < places.length; from += keysPerLook) {
    const some = places.slice(from, from + keysPerLook);
    const keys = some.flatMap(([first]) => (first ? [first.key] : []));
    // In one call, lest a URL is seen neither as excluded any more nor as queued yet.
    const rows = await store.getMany([...keys, ...keys.map((key) => retag(key, "exclusion"))]);
    for (const [index, asked] of some.entries()) {
      const told = toldBy(rows[index], rows[keys.length + index]);
      if (told) for (const { at, job } of asked) known[at] = further(known[at], { job, ...told });
    }
  }
  return known;
}

/** Where each of the jobs knows each of the URLs. */
function askedOf(urls: readonly CanonicalUrl[], jobs: readonly Job[]) {
  return urls.flatMap((url, at) =>
    jobs.map((job) => {
      const { key } = urlRow(url, job);
      return { at, job, key, id: idOf(key) };
    }),
  );
}

function toldBy(
  record: Uint8Array | undefined,
  exclusion: Uint8Array | undefined,
): Omit<Knowledge, "job"> | undefined {
  if (record) return { record: UrlRecord.decode(record) };
  return exclusion && { exclusion: ExclusionRecord.decode(exclusion) };
}

/** The jobs, by their numbers, that know a URL by one key. */
type Way = ReadonlyMap<number, Job>;

/** Where these jobs know the URL, by its key for one of them. */
interface Place {
  readonly key: Uint8Array;
  readonly jobs: Way;
}

function placeOf(url: CanonicalUrl, jobs: Way): Place[] {
  const [first] = jobs.values();
  return first ? [{ key: urlRow(url, first).key, jobs }] : [];
}

async function found(store: Reads, places: readonly Place[]): Promise<Knowledge | undefined> {
  let best: Knowledge | undefined;
  for (const { key, jobs } of places) {
    // Exclusions first, lest a URL is seen neither as excluded any more nor as queued yet.
    for await (const { key: row, value } of rowsOfUrl(store, retag(key, "exclusion"))) {
      const job = jobs.get(jobSpaceOfUrlKey(row));
      if (job) best = further(best, { job, exclusion: ExclusionRecord.decode(value) });
    }
    for await (const { key: row, value } of rowsOfUrl(store, key)) {
      const job = jobs.get(jobSpaceOfUrlKey(row));
      if (job) best = further(best, { job, record: UrlRecord.decode(value) });
    }
  }
  return best;
}

function further(best: Knowledge | undefined, one: Knowledge): Knowledge {
  return !best || rank(one) > rank(best) ? one : best;
}

/** Done beats queued beats excluded; of two that are done the later fetch wins. */
function rank({ record }: Knowledge): number {
  return record ? record.state * 1e15 + record.fetchedAtMs : 0;
}
