import { CrawlError } from "../src/core/errors.ts";
import type { JobOptions } from "../src/core/jobs/job-definition.ts";
import type { JobId } from "../src/core/units.ts";
import type { InjectReport, PeerControl } from "../src/ports/peer-control.ts";
import { seedRefusal } from "./seed-urls.ts";
import type { UrlLine } from "./url-file.ts";
import type { Rejections, UrlSource } from "./url-source.ts";

/** How the seeds of a crawl get into their job. */
export interface SeedInjection {
  readonly control: Pick<PeerControl, "inject">;
  readonly job: JobId;
  readonly options: Partial<JobOptions>;
  /** Resolve when no more shall be injected, or reject with what makes it impossible. */
  readonly ends: readonly Promise<void>[];
  /** Is told what became of each batch, as it is durable. */
  readonly onBatch: (report: InjectReport) => void;
}

/**
 * The seeds of a crawl, in the memory of two batches: the first one, and the one that is being injected.
 *
 * The first batch is read before the crawl begins, up to a line that can be a seed: where there is none, nothing needs to
 * be made. What the lines before it lack is told by then.
 */
export class CrawlSeeds {
  /** The first of them; empty where there are none. */
  readonly first: readonly string[];
  readonly #batch: readonly UrlLine[];
  readonly #rest: AsyncIterator<readonly UrlLine[]>;
  readonly #source: UrlSource | undefined;
  readonly #rejections: Rejections;

  private constructor(
    source: UrlSource | undefined,
    rejections: Rejections,
    batch: readonly UrlLine[],
    rest: AsyncIterator<readonly UrlLine[]>,
  ) {
    this.#source = source;
    this.#rejections = rejections;
    this.#batch = batch;
    this.#rest = rest;
    this.first = batch.map(({ url }) => url);
  }

  /** Reads the first of them from `source`; no source has none. */
  static async read(
    source: UrlSource | undefined,
    allowPrivate: boolean,
    rejections: Rejections,
  ): Promise<CrawlSeeds> {
    const rest = seedBatches(source, allowPrivate, rejections);
    const { value } = await rest.next();
    return new CrawlSeeds(source, rejections, value ?? [], rest);
  }

  /**
   * Injects all of them, the next batch when the one before it is durable; without any, only the options are set. Returns
   * whether that was all that the job takes: false where one of `ends` came before.
   */
  async injectAll({ control, job, onBatch, options, ends }: SeedInjection): Promise<boolean> {
    try {
      let batch = this.#batch;
      // With each batch they would only count as further changes, and one that is refused as a whole makes no job.
      let set: Partial<JobOptions> | undefined = options;
      for (;;) {
        const urls = batch.map(({ url }) => url);
        const report = await injected(control, job, urls, set);
        if (report === undefined) return true;
        this.#rejections.addReport(batch, report);
        onBatch(report);
        if (report.added + report.known > 0) set = undefined;
        const next = this.#rest.next();
        // A file may have no end, or stand still. Arguments are there as a whole.
        const read = await (this.#source?.file === undefined
          ? next
          : Promise.race([next, ...ends]));
        if (read === undefined) return false;
        if (read.done === true) return true;
        batch = read.value;
      }
    } finally {
      this.close();
    }
  }

  /** Reads no further; idempotent. {@link injectAll} does so by itself. */
  close(): void {
    this.#source?.close();
  }
}

/** Undefined where the job was cancelled since the batch before, the one with `options`: it takes no more. */
async function injected(
  control: Pick<PeerControl, "inject">,
  job: JobId,
  urls: readonly string[],
  options: Partial<JobOptions> | undefined,
): Promise<InjectReport | undefined> {
  try {
    return await control.inject(job, urls, options);
  } catch (error) {
    const isCancelled = error instanceof CrawlError && error.code === "JOB_CANCELLED";
    if (options === undefined && isCancelled) return undefined;
    throw error;
  }
}

/** The batches of `source`, of a file without the lines that no job takes. Arguments have been checked as such. */
async function* seedBatches(
  source: UrlSource | undefined,
  allowPrivate: boolean,
  rejections: Rejections,
): AsyncGenerator<readonly UrlLine[], undefined> {
  if (source === undefined) return;
  for await (const batch of source.batches) {
    const seeds = source.file === undefined ? batch : batch.filter(isSeed);
    if (seeds.length > 0) yield seeds;
  }

  function isSeed(line: UrlLine): boolean {
    const refusal = seedRefusal(line.url, allowPrivate);
    if (refusal !== undefined) rejections.add(line, refusal);
    return refusal === undefined;
  }
}
