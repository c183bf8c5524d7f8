import { CrawlError } from "../../core/errors.ts";
import { UrlRecord } from "../../core/record/record.pb.ts";
import { jobSpaceOfUrlKey } from "../../core/record/url-keys.ts";
import type { Sieve } from "../../core/sieve/sieve.ts";
import type { CanonicalUrl } from "../../core/units.ts";
import type { Archive, ArchivedResponse, ArchiveLocation } from "../../ports/archive.ts";
import type { BodyAccount, RawHeaders } from "../../ports/fetcher.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import { rowsOfUrl } from "../admission/rows-of-url.ts";
import { keysOfUrl, urlRow, urlWords } from "../admission/url-row.ts";
import type { Job, JobRegistry } from "../jobs/job-registry.ts";
import { Slots } from "../slots.ts";

/** An earlier fetch of a URL by another job, from which a conditional request can be made. */
export interface PriorFetch {
  readonly record: UrlRecord;
  readonly location: ArchiveLocation;
  /** What stands in the archive, where its body is short enough to be held until the server has answered. */
  readonly response: ArchivedResponse | undefined;
  /** The head that a 304 leaves in force: of the latest answer, which may have come after the one whose body is kept. */
  readonly headers: RawHeaders;
  readonly bodyBytes: number;
  /** If-None-Match and If-Modified-Since. */
  readonly conditions: Readonly<Record<string, string>>;
}

/** An earlier fetch whose content the server says is still the same. */
export interface UnchangedFetch extends Pick<PriorFetch, "record" | "headers"> {
  readonly response: ArchivedResponse;
}

/** Records that are read at a time: each with its body, however long that is. */
const readsMax = 4;

/** With no more, to ask the sieve for each costs no more than to read which jobs know a URL. */
const fewJobs = 100;

interface PriorPorts {
  readonly archive: Pick<Archive, "read">;
  readonly logger: Logger;
  readonly store: Pick<Store, "getMany" | "range">;
}

interface PriorParts {
  readonly peerId: string;
  readonly heldBytesMax: number;
  readonly jobs: JobRegistry;
  readonly sieve: { readonly sieve: Pick<Sieve, "mayHave"> };
}

/** Finds what other jobs have fetched of a URL, so that it is only asked whether it has changed. */
export class PriorFetches {
  readonly #reads = new Slots(readsMax);
  readonly #ports: PriorPorts;
  readonly #parts: PriorParts;

  /**
   * @param parts.peerId whose archive it is
   * @param parts.heldBytesMax longest body that is held during its request, as one that is fetched may be uncounted
   */
  constructor(ports: PriorPorts, parts: PriorParts) {
    this.#ports = ports;
    this.#parts = parts;
  }

  /**
   * The latest fetch of the URL by another job whose response is still in this peer's archive. Rows of other peers' fetches
   * are in the database too; what they say of the archive is true of another one. A body that was cut is not offered: the
   * server's 304 would make its missing rest missing for ever (RFC 9111, section 3.3). Nor is one that is archived under
   * another URL alone: the head that a 304 leaves in force would be that other one's.
   */
  async find(own: Job, url: CanonicalUrl): Promise<PriorFetch | undefined> {
    const record = await this.#latest(own, url);
    const location = record?.body ?? record?.capture;
    if (!record || !location) return undefined;
    // Before the server is asked: when it says that nothing has changed, what is here has to be whole.
    const response = await this.#read(location, url);
    if (response?.url !== url) return undefined;
    const { body, capture } = record;
    const latest = body && capture ? await this.#read(capture, url) : response;
    if (!latest) return undefined;
    const { headers } = latest;
    const bodyBytes = response.body.length;
    const held = bodyBytes <= this.#parts.heldBytesMax ? response : undefined;
    const conditions = conditionsOf(record);
    return { record, location, response: held, headers, bodyBytes, conditions };
  }

  /**
   * The fetch with what stands in the archive, when the account has room for that; undefined where it can be read no more.
   */
  async unchanged(prior: PriorFetch, account: BodyAccount): Promise<UnchangedFetch | undefined> {
    const { record, location, headers, bodyBytes } = prior;
    if (prior.response) return { record, headers, response: prior.response };
    if (!account.take(bodyBytes)) await new Promise<void>((goOn) => account.whenRoom(goOn));
    const response = await this.#read(location, record.url as CanonicalUrl);
    return response && { record, headers, response };
  }

  /** What stands there, where that can be read. */
  async #read(location: ArchiveLocation, url: CanonicalUrl): Promise<ArchivedResponse | undefined> {
    try {
      return await this.#reads.run(() => this.#ports.archive.read(location));
    } catch (error) {
      if (!(error instanceof CrawlError)) throw error;
      if (error.code === "NOT_ARCHIVED") return undefined;
      if (error.code !== "ARCHIVE_CORRUPT") throw error;
      const { file, offset } = location;
      this.#ports.logger.warn("archive-damaged", { url, file, offset, cause: error.message });
      return undefined;
    }
  }

  /** Of the fetches by other jobs from which a conditional request can be made. */
  async #latest(own: Job, url: CanonicalUrl): Promise<UrlRecord | undefined> {
    let latest: UrlRecord | undefined;
    for await (const row of this.#rowsOfOtherJobs(own, url)) {
      const record = UrlRecord.decode(row);
      if (latest && latest.fetchedAtMs >= record.fetchedAtMs) continue;
      if (this.#serves(record, url)) latest = record;
    }
    return latest;
  }

  #serves(record: UrlRecord, url: CanonicalUrl): boolean {
    const { peerId } = this.#parts;
    const { httpStatus, truncated, capturedBy = peerId } = record;
    if (record.url !== url || httpStatus !== 200 || truncated) return false;
    return capturedBy === peerId && Object.keys(conditionsOf(record)).length > 0;
  }

  /**
   * What other jobs know of a URL. This is asked at every fetch, and there may be ten thousand jobs: with so many only rows
   * that are there are read, job by job of those that have one.
   */
  #rowsOfOtherJobs(own: Job, url: CanonicalUrl): AsyncIterable<Uint8Array> {
    const isFew = this.#parts.jobs.size <= fewJobs;
    return isFew ? this.#lookedUp(own, url) : this.#ranged(own, url);
  }

  /** With few jobs: what the sieve never saw need not be looked for, and what a URL is to many is computed once. */
  async *#lookedUp(own: Job, url: CanonicalUrl): AsyncGenerator<Uint8Array, void, undefined> {
    const { jobs, sieve } = this.#parts;
    const wordsBy = new Map<boolean, Uint32Array>();
    const mayHave = (job: Job): boolean => {
      const { normalizeQuery } = job.definition.options;
      const words = wordsBy.get(normalizeQuery) ?? urlWords(url, job);
      wordsBy.set(normalizeQuery, words);
      return sieve.sieve.mayHave(job.space, words, 0);
    };
    const others = jobs.all().filter((job) => job !== own && mayHave(job));
    if (others.length === 0) return;
    const rows = await this.#ports.store.getMany(others.map((job) => urlRow(url, job).key));
    for (const row of rows) if (row) yield row;
  }

  async *#ranged(own: Job, url: CanonicalUrl): AsyncGenerator<Uint8Array, void, undefined> {
    for (const urlRowKey of keysOfUrl(url)) {
      for await (const { key, value } of rowsOfUrl(this.#ports.store, urlRowKey)) {
        const job = this.#parts.jobs.bySpace(jobSpaceOfUrlKey(key));
        if (job && job !== own) yield value;
      }
    }
  }
}

/** What may stand in a field that is sent (RFC 9110, section 5.5); servers send more, and it is read. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]+$/;

function conditionsOf({ etag, lastModified }: UrlRecord): Record<string, string> {
  return {
    ...(isSendable(etag) && { "if-none-match": etag }),
    ...(isSendable(lastModified) && { "if-modified-since": lastModified }),
  };
}

function isSendable(value: string | undefined): value is string {
  return value !== undefined && fieldValue.test(value);
}
