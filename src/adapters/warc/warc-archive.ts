import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gunzip as gunzipCallback, gzipSync } from "node:zlib";
import { open, writeFile } from "node:fs/promises";
import { encodeWarcinfo } from "../../core/archive/encode-warcinfo.ts";
import { CrawlError, InvariantError, invariant } from "../../core/errors.ts";
import type {
  Archive,
  ArchiveLocation,
  ArchiveMark,
  ArchivedResponse,
  EncodedCapture,
} from "../../ports/archive.ts";
import { nodeArchiveFiles, onDisk, unlessMissing } from "./archive-files.ts";
import type { WarcArchiveOptions } from "./archive-options.ts";
import { defaultWarcArchiveOptions } from "./archive-options.ts";
import { FileNames, archivePaths, isWarcName } from "./file-names.ts";
import { isIndexed } from "./index-file.ts";
import { OpenSegment } from "./open-segment.ts";
import { recoverArchive } from "./recover-archive.ts";
import { parseStoredRecord, toArchivedResponse } from "./stored-record.ts";

const gunzip = promisify(gunzipCallback);

/** Share of the buffer at which callers hold back: the rest takes what they have begun. */
const fullShare = 0.5;

/**
 * Archive in a directory of WARC 1.1 files.
 *
 * The life of a file: its name is taken at the first append, so that locations are final at once. The next flush makes
 * `NAME.warc.gz.open` with its warcinfo record, writes what was appended, synchronises it, and appends the lines of
 * the index. When the file is full, the append that follows begins another one; the first flush that comes after a mark
 * of a later file was committed finishes the full one: rename, synchronise the directory. Its index is sorted beside the
 * crawl. {@link recoverArchive} tells what a crash leaves of this.
 *
 * Writes run one after the other; calls that need one while one runs share the next. So a write may take along what was
 * appended after a flush was asked for. The mark leaves that out, as the caller's commit does.
 *
 * Invariant: a mark of a file is handed out only when all files before it are durable.
 * Invariant: a file is finished only when all of its records are committed, since it is never cut after that.
 * Invariant: after a failed write nothing is written any more, and every call fails with the first failure.
 */
export class WarcArchive implements Archive {
  readonly #options: Required<WarcArchiveOptions>;
  readonly #names: FileNames;
  #state: "new" | "started" | "stopped" = "new";
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #failure: Error | undefined;
  /** Finished files with their bytes, oldest first. */
  readonly #finished = new Map<string, number>();
  /** Of its files those of which a record could not be read. */
  readonly #damaged = new Set<string>();
  /** Files that are not finished yet, oldest first; the last one takes the appends. */
  readonly #segments: OpenSegment[] = [];
  #nextSerial = 1;
  /** What the latest flush gives. */
  #mark: ArchiveMark | undefined;
  /** The file of the last mark that is committed. */
  #committedFile: string | undefined;
  /** Appended since the last write began. */
  #pendingBytes = 0;
  #running: Promise<unknown> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #sorting: Promise<void> = Promise.resolve();

  constructor(options: WarcArchiveOptions) {
    this.#options = { ...defaultWarcArchiveOptions, files: nodeArchiveFiles, ...options };
    this.#names = new FileNames(this.#options.prefix, this.#options.peerName);
  }

  start(mark: ArchiveMark | undefined): Promise<void> {
    return (this.#starting ??= this.#recover(mark));
  }

  async #recover(mark: ArchiveMark | undefined): Promise<void> {
    const { directory, recordBytesMax, onBehind, onIndexed, clock } = this.#options;
    const request = { directory, names: this.#names, mark, recordBytesMax, onIndexed };
    const { files, damaged, nextSerial, behind, ...kept } = await recoverArchive(request);
    if (behind) onBehind(behind, mark?.atMs);
    for (const [file, bytes] of files) this.#finished.set(file, bytes);
    for (const file of damaged) this.#damaged.add(file);
    this.#nextSerial = nextSerial;
    this.#mark = kept.mark ?? { file: this.#names.name(nextSerial - 1, clock.wallMs()), bytes: 0 };
    this.#state = "started";
  }

  stop(isCommitted = true): Promise<void> {
    return (this.#stopping ??= this.#end(isCommitted));
  }

  async #end(isCommitted: boolean): Promise<void> {
    if (this.#state === "new") return;
    this.#state = "stopped";
    await this.#running;
    try {
      this.#throwFailure();
      if (isCommitted) await this.#finishUpTo(this.#segments.length);
      await this.#sorting;
      this.#throwFailure();
    } catch (error) {
      throw this.#failWith(error);
    } finally {
      await Promise.allSettled(this.#segments.map((segment) => segment.close()));
    }
  }

  get full(): boolean {
    return this.#pendingBytes >= this.#options.bufferBytesMax * fullShare;
  }

  append({ bytes, responseLength, index }: EncodedCapture): ArchiveLocation {
    this.#checkUsable();
    invariant(
      this.#pendingBytes <= this.#options.bufferBytesMax,
      `${this.#pendingBytes} bytes appended to the archive without a flush`,
    );
    this.#pendingBytes += bytes.length;
    return this.#segmentForAppend().append(bytes, responseLength, index);
  }

  #segmentForAppend(): OpenSegment {
    const { fileBytesMax, fileCapturesMax, clock, directory, info, files } = this.#options;
    const last = this.#segments.at(-1);
    const hasRoom = (segment: OpenSegment): boolean =>
      segment.reservedBytes < fileBytesMax && segment.captures < fileCapturesMax;
    if (last !== undefined && hasRoom(last)) return last;
    const dateMs = clock.wallMs();
    const file = this.#names.name(this.#nextSerial++, dateMs);
    const warcinfo = this.#compress(encodeWarcinfo(info, file, randomUUID(), dateMs));
    const segment = new OpenSegment(file, archivePaths(directory, file), warcinfo, files);
    this.#segments.push(segment);
    return segment;
  }

  #compress(record: Uint8Array): Uint8Array {
    return gzipSync(record, { level: this.#options.gzipLevel });
  }

  async flush(): Promise<ArchiveMark> {
    this.#checkUsable();
    const end = this.#segments.at(-1)?.end ?? this.#mark;
    invariant(end !== undefined, "an archive that was started has a mark");
    const mark = { ...end, atMs: Math.floor(this.#options.clock.wallMs()) };
    this.#committedFile = this.#mark?.file;
    this.#mark = mark;
    await this.#write();
    return mark;
  }

  /** Makes durable what was appended before the call, at least. */
  #write(): Promise<void> {
    if (this.#queued === undefined) {
      this.#queued = this.#writeAfter(this.#running);
      this.#running = this.#queued.catch(() => undefined);
    }
    return this.#queued;
  }

  async #writeAfter(previous: Promise<unknown>): Promise<void> {
    await previous;
    this.#queued = undefined;
    this.#throwFailure();
    try {
      this.#pendingBytes = 0;
      for (const segment of [...this.#segments]) await segment.write();
      const current = this.#segments.findIndex(({ file }) => file === this.#committedFile);
      await this.#finishUpTo(current);
    } catch (error) {
      throw this.#failWith(error);
    }
  }

  /** Writes and finishes the oldest `count` open files. */
  async #finishUpTo(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const [segment] = this.#segments;
      invariant(segment !== undefined, "files are finished by one call at a time");
      await segment.write();
      await segment.finish();
      this.#segments.shift();
      this.#finished.set(segment.file, segment.durableBytes);
      // One at a time: sorting runs beside the crawl, and shall not take more than its share.
      await this.#sorting;
      this.#throwFailure();
      this.#sorting = segment.sortIndex().catch((error: unknown) => void this.#failWith(error));
    }
  }

  async read(location: ArchiveLocation, isTold = false): Promise<ArchivedResponse> {
    this.#throwFailure();
    invariant(this.#state !== "new", "the archive is read before it was started");
    if (this.#isPending(location)) await (this.#stopping ?? this.#write());
    try {
      return await this.#readRecord(location);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (!(await this.#isPlace(location))) throw notArchived(location);
      if (!isTold && this.has(location)) {
        await this.#distrust(location.file, error.code === "ARCHIVE_CORRUPT");
      }
      throw error;
    }
  }

  /**
   * Whether a record was archived there. What cannot be read elsewhere says nothing of the file: a row of another peer, or of
   * an older disk, may name any place. Where the index is away, a file that is here is taken to have it.
   */
  async #isPlace(location: ArchiveLocation): Promise<boolean> {
    const { file } = location;
    if (!isWarcName(file)) return false;
    const paths = archivePaths(this.#options.directory, file);
    return (await isIndexed(paths, location)) ?? this.#bytesOf(file) > 0;
  }

  /** Relies on nothing of the file any more, also when it is started again: whoever has seen that may crawl only then. */
  async #distrust(file: string, isCorrupt: boolean): Promise<void> {
    this.#damaged.add(file);
    // One that is away or too short is seen to be so by the next run, and may be put back until then.
    if (!isCorrupt) return;
    const { damagedWarc } = archivePaths(this.#options.directory, file);
    // Where even this cannot be written, the next run finds out for itself.
    await writeFile(damagedWarc, "").catch(() => undefined);
  }

  async #readRecord(location: ArchiveLocation): Promise<ArchivedResponse> {
    const { recordBytesMax } = this.#options;
    const stored = await this.#readBytes(location);
    let content: Buffer;
    try {
      content = await gunzip(stored, { maxOutputLength: recordBytesMax });
    } catch (cause) {
      throw corrupt(location, cause);
    }
    const record = await parseStoredRecord(new Uint8Array(content));
    if (record === undefined) throw corrupt(location, undefined);
    return toArchivedResponse(record, this.#options);
  }

  #isPending({ file, offset }: ArchiveLocation): boolean {
    return this.#segments.some(
      (segment) =>
        segment.file === file && offset >= segment.durableBytes && offset < segment.reservedBytes,
    );
  }

  async #readBytes(location: ArchiveLocation): Promise<Buffer> {
    const { file, offset, length } = location;
    if (!isWarcName(file) || !isCount(offset) || !isCount(length)) throw notArchived(location);
    if (length > this.#options.recordBytesMax) throw corrupt(location, undefined);
    const { warc, openWarc } = archivePaths(this.#options.directory, file);
    // The file may get its final name between two of these, and never loses it.
    for (const path of [warc, openWarc, warc]) {
      const bytes = await onDisk(path, () => unlessMissing(() => readRange(path, offset, length)));
      if (bytes === undefined) continue;
      if (length === 0 || bytes.length < length) throw notArchived(location);
      return bytes;
    }
    throw notArchived(location);
  }

  has({ file, offset, length }: ArchiveLocation): boolean {
    if (this.#damaged.has(file)) return false;
    return offset + length <= this.#bytesOf(file);
  }

  /** Length of one of its files, what is not written yet included. */
  #bytesOf(file: string): number {
    const open = this.#segments.find((segment) => segment.file === file);
    return open?.reservedBytes ?? this.#finished.get(file) ?? 0;
  }

  files(): readonly string[] {
    const open = this.#segments.filter((segment) => segment.durableBytes > 0);
    return [...this.#finished.keys(), ...open.map((segment) => segment.file)];
  }

  #checkUsable(): void {
    this.#throwFailure();
    invariant(this.#state === "started", `the archive is used while it is ${this.#state}`);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Records the first failure, which is what all calls fail with from then on. */
  #failWith(error: unknown): Error {
    this.#failure ??= error instanceof Error ? error : new InvariantError(String(error));
    return this.#failure;
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

async function readRange(path: string, offset: number, length: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether the record is gone or spoilt, and not the disk out of order. */
function isUnreadable(error: unknown): error is CrawlError {
  if (!(error instanceof CrawlError)) return false;
  return error.code === "ARCHIVE_CORRUPT" || error.code === "NOT_ARCHIVED";
}

function notArchived({ file, offset, length }: ArchiveLocation): CrawlError {
  const details = { file, offset, length };
  return new CrawlError("NOT_ARCHIVED", `there is no record at ${offset} of ${file}`, details);
}

function corrupt({ file, offset, length }: ArchiveLocation, cause: unknown): CrawlError {
  const message = `no response can be read at ${offset} of ${file}`;
  return new CrawlError("ARCHIVE_CORRUPT", message, { file, offset, length }, { cause });
}
