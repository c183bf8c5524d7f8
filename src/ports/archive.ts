import type { CaptureIndex } from "../core/archive/capture.ts";
import type { Millis } from "../core/units.ts";

/** Where a response (or revisit) record stands. */
export interface ArchiveLocation {
  /** File name within the archive's directory. */
  readonly file: string;
  readonly offset: number;
  /** Compressed length of the record in bytes. */
  readonly length: number;
}

/** All that is needed to append a capture without looking at its content. */
export interface EncodedCapture {
  /** A gzip member with the response or revisit record, followed by one with the request record. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Length of the first member. */
  readonly responseLength: number;
  readonly index: CaptureIndex;
}

/** How far the archive is durable: what the database remembers, so that recovery can cut off what it does not know of. */
export interface ArchiveMark {
  readonly file: string;
  readonly bytes: number;
  /** What the clock on the wall showed then. Absent in marks of earlier versions. */
  readonly atMs?: Millis;
}

/** A response as it was archived. */
export interface ArchivedResponse {
  readonly url: string;
  readonly status: number;
  /** As in the record, bytes as characters: `HTTP/1.1 200 OK`. */
  readonly statusLine: string;
  readonly fetchedAtMs: Millis;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  /** Body with its content coding removed. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly truncated: boolean;
}

const MiB = 1_024 * 1_024;

/** Longest body that a peer may be set to keep. */
export const keptBytesLargest = 1_024 * MiB;

/**
 * Longest body that is read from an archive, where those of up to `keptBytesMax` are kept. One that was cut within its
 * content coding decodes to somewhat more than it was cut at, and other peers may keep longer ones than this.
 */
export function readBytesMax(keptBytesMax: number): number {
  return Math.max(64 * MiB, 2 * keptBytesMax);
}

/**
 * Write-once store of captures: WARC 1.1, one gzip member a record, with a CDXJ index beside each file.
 *
 * `append` returns at once and keeps the record in memory; `flush` makes all appended records
 * durable. The caller flushes before it commits the locations, and bounds what it appends between two flushes.
 * Failures are `CrawlError`s: `DISK_FULL`, `ARCHIVE_IO`, `ARCHIVE_CORRUPT`, `NOT_ARCHIVED`.
 */
export interface Archive {
  /**
   * Opens the archive. `mark` is the last one that was committed: a file left open by a crash is cut to it, finished
   * and indexed; records beyond it belong to pages that will be fetched again. Without a mark nothing says what is
   * committed, so the whole records of such a file are kept. Finished files are never changed. From then on there is a
   * mark, behind all that was kept: `flush` gives it before anything is appended.
   */
  start(mark: ArchiveMark | undefined): Promise<void>;
  /**
   * Flushes, finishes the open file and its index; idempotent. Where the commit of what was appended has failed, files
   * are left as a crash leaves them, for the next start to cut.
   *
   * @param isCommitted @default true
   */
  stop(isCommitted?: boolean): Promise<void>;
  /** True while as much is appended and not flushed as may be: callers hold back until the next flush. */
  readonly full: boolean;
  append(capture: EncodedCapture): ArchiveLocation;
  /**
   * Resolves when everything appended before the call is durable, with a mark behind that: what comes later lies beyond
   * the mark, even if the same write took it along. Who calls has committed the mark of the call before. Calls are served
   * in order.
   */
  flush(): Promise<ArchiveMark>;
  /**
   * Reads one record back; a revisit record has an empty body. A place where none was archived is `NOT_ARCHIVED`, and says
   * nothing of its file: `ARCHIVE_CORRUPT` are records that were.
   *
   * @param isTold another peer says that there is one: where it cannot be read, that says nothing of its file
   */
  read(location: ArchiveLocation, isTold?: boolean): Promise<ArchivedResponse>;
  /**
   * Whether it has the record that was archived there, as far as it knows: finished files may be carried away, or cut short,
   * between two runs, and of a file with a record that could not be read nothing is relied on any more.
   */
  has(location: ArchiveLocation): boolean;
  /** Names of all files that hold at least one record, oldest first. */
  files(): readonly string[];
}
