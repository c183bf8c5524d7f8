import type { StoredRow } from "../../core/frontier/queued-row.ts";
import { queueKey } from "../../core/record/queue-keys.ts";
import { bundleUrlsMax, QueueBundle } from "../../core/record/queue-bundle.ts";
import type { StoreOp } from "../../ports/store.ts";
import type { Sequence } from "../durability/sequence.ts";
import type { Queued } from "../durability/settlement.ts";
import type { Host } from "../frontier/host.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { AdmissionRequest } from "./admission.ts";
import { urlOf, type Candidate } from "./candidate.ts";

/** Characters of the URLs of a row at which it is full: it is written anew when one of them leaves the queue. */
const rowCharactersMax = 4_096;

/** A row that may take in more URLs. */
interface OpenRow {
  readonly request: AdmissionRequest;
  readonly sequence: number;
  readonly urls: string[];
  readonly urlRowKeys: Uint8Array[];
  characters: number;
}

/**
 * Puts the URLs of one batch into the queues of their hosts, behind all others of their job and priority: those of one host
 * that were found together, in one row.
 */
export class QueueRows {
  readonly #sequence: Sequence;
  readonly #nowMs: number;
  readonly #ops: StoreOp[];
  readonly #open = new Map<Host, OpenRow>();
  readonly #written = new Map<Host, StoredRow[]>();

  /** The rows' writes are appended to `ops`. */
  constructor(sequence: Sequence, nowMs: number, ops: StoreOp[]) {
    this.#sequence = sequence;
    this.#nowMs = Math.floor(nowMs);
    this.#ops = ops;
  }

  /** A URL that was found for the first time. */
  add(host: Host, candidate: Candidate, rowKey: Uint8Array): void {
    const { request } = candidate;
    const url = urlOf(candidate);
    const row = this.#open.get(host);
    if (row?.request === request && !isFull(row)) {
      row.urls.push(url);
      row.urlRowKeys.push(rowKey);
      row.characters += url.length;
      return;
    }
    if (row) this.#close(host, row);
    const sequence = this.#sequence.next();
    const characters = url.length;
    this.#open.set(host, { request, sequence, urls: [url], urlRowKeys: [rowKey], characters });
  }

  /** A URL that comes again. */
  addAgain({ host, job, rowKey, entry: { url, ...discovery } }: Queued): void {
    this.#write(host, job, this.#sequence.next(), [rowKey], {
      ...discovery,
      urls: [url],
      taken: 0,
    });
  }

  /** Writes the rows that may still take in more. */
  close(): void {
    for (const [host, row] of this.#open) this.#close(host, row);
    this.#open.clear();
  }

  /** The rows of each host that have been written so far. */
  get written(): ReadonlyMap<Host, readonly StoredRow[]> {
    return this.#written;
  }

  #close(host: Host, { request, sequence, urls, urlRowKeys }: OpenRow): void {
    const { job, depth, redirectChain, via } = request;
    const bundle = {
      urls,
      taken: 0,
      depth,
      attempts: 0,
      unseen: 0,
      redirectChain: [...redirectChain],
      discoveredAtMs: this.#nowMs,
      ...(via === undefined ? {} : { via }),
    };
    this.#write(host, job, sequence, urlRowKeys, bundle);
  }

  #write(
    host: Host,
    job: Job,
    sequence: number,
    urlRowKeys: readonly Uint8Array[],
    bundle: QueueBundle,
  ): void {
    const rank = 9 - job.definition.options.priority;
    const key = queueKey(host.keys, job.space, rank, sequence, urlRowKeys, bundle.attempts);
    const value = QueueBundle.encode(bundle);
    this.#ops.push({ type: "put", key, value });
    const row = { key, value, job: job.definition.id };
    const rows = this.#written.get(host);
    if (rows) rows.push(row);
    else this.#written.set(host, [row]);
  }
}

function isFull({ urls, characters }: OpenRow): boolean {
  return urls.length >= bundleUrlsMax || characters >= rowCharactersMax;
}
