import { CrawlError, invariant } from "../../src/core/errors.ts";
import type { CanonicalUrl, Millis } from "../../src/core/units.ts";
import type {
  Archive,
  ArchivedResponse,
  ArchiveLocation,
  ArchiveMark,
  EncodedCapture,
} from "../../src/ports/archive.ts";
import { Sluice } from "./sluice.ts";
import type { VirtualPages } from "./virtual-pages.ts";
import type { VirtualProcess } from "./virtual-process.ts";

/** One file: parallel arrays, since a million records are kept. */
interface VirtualFile {
  readonly name: string;
  readonly offsets: number[];
  readonly urls: string[];
  readonly statuses: number[];
  readonly fetchedAtMs: number[];
  bytes: number;
  isFinished: boolean;
}

/** What outlives a process: which URL stands where, without its bytes. */
export class VirtualArchiveDisk {
  files: VirtualFile[] = [];
  /** Files ever made, so that no name comes twice. */
  made = 0;
  /** While true, writing fails with DISK_FULL. */
  full = false;
  /** While true, writing fails with ARCHIVE_IO. */
  broken = false;
  /** While it is shut, writing neither ends nor fails, and reading goes on. */
  readonly sluice = new Sluice();

  get fault(): CrawlError | undefined {
    if (this.full) return new CrawlError("DISK_FULL", "the archive's disk is full");
    return this.broken ? new CrawlError("ARCHIVE_IO", "the archive's disk has failed") : undefined;
  }

  wipe(): void {
    this.files = [];
  }

  /** Whether a record stands there. */
  has(place: Pick<ArchiveLocation, "file" | "offset">): boolean {
    return this.urlAt(place) !== undefined;
  }

  /** URL of the record that stands there. */
  urlAt({ file: name, offset }: Pick<ArchiveLocation, "file" | "offset">): string | undefined {
    const file = this.files.find((one) => one.name === name);
    return file?.urls[indexOf(file.offsets, offset)];
  }
}

interface Pending {
  readonly offset: number;
  readonly end: number;
  readonly capture: EncodedCapture;
}

/**
 * The archive of one process. It keeps where each URL's record is; what was in it is made anew from the web.
 *
 * @param flushMs how long a flush takes
 */
export class VirtualArchive implements Archive {
  readonly #disk: VirtualArchiveDisk;
  readonly #pages: VirtualPages;
  readonly #process: VirtualProcess;
  readonly #flushMs: Millis;
  #pending: Pending[] = [];
  #open: VirtualFile | undefined;
  #reserved = 0;
  #mark: ArchiveMark | undefined;
  #state: "new" | "started" | "stopped" = "new";
  #failure: CrawlError | undefined;
  #flushing: Promise<unknown> = Promise.resolve();

  constructor(
    disk: VirtualArchiveDisk,
    pages: VirtualPages,
    process: VirtualProcess,
    flushMs: Millis = 0,
  ) {
    this.#disk = disk;
    this.#pages = pages;
    this.#process = process;
    this.#flushMs = flushMs;
  }

  start(mark: ArchiveMark | undefined): Promise<void> {
    return this.#process.answer(() => {
      if (this.#state !== "new") return;
      const isTorn = this.#disk.files.some(({ isFinished }) => !isFinished);
      if (isTorn && this.#disk.fault) throw this.#disk.fault;
      const markAt = this.#disk.files.findIndex(({ name }) => name === mark?.file);
      this.#disk.files = this.#disk.files.filter((file, at) => {
        if (file.isFinished || mark === undefined || at < markAt) return true;
        if (at === markAt) cutTo(file, mark.bytes);
        return at === markAt;
      });
      for (const file of this.#disk.files) file.isFinished = true;
      this.#mark = mark ?? { file: fileName(this.#disk.made), bytes: 0 };
      this.#state = "started";
    });
  }

  async stop(isCommitted = true): Promise<void> {
    if (this.#state !== "started") return;
    if (isCommitted) {
      await this.flush();
      if (this.#open && this.#disk.fault) throw this.#disk.fault;
      if (this.#open) this.#open.isFinished = true;
    }
    this.#state = "stopped";
  }

  get full(): boolean {
    return false;
  }

  append(capture: EncodedCapture): ArchiveLocation {
    if (this.#failure) throw this.#failure;
    invariant(this.#state === "started", `the archive is used while it is ${this.#state}`);
    this.#open ??= this.#newFile();
    const offset = this.#reserved;
    this.#reserved += capture.bytes.length;
    this.#pending.push({ offset, end: this.#reserved, capture });
    return { file: this.#open.name, offset, length: capture.responseLength };
  }

  flush(): Promise<ArchiveMark> {
    const mark = this.#open ? { file: this.#open.name, bytes: this.#reserved } : this.#mark;
    const flushed = this.#flushing.then(() => this.#flush(mark));
    this.#flushing = flushed.catch(() => undefined);
    return flushed;
  }

  read(location: ArchiveLocation): Promise<ArchivedResponse> {
    return this.#process.answer(() => {
      if (this.#failure) throw this.#failure;
      const found = this.#find(location);
      if (found !== undefined) return found;
      const message = `there is no record at ${location.offset} of ${location.file}`;
      throw new CrawlError("NOT_ARCHIVED", message, { ...location });
    });
  }

  has(location: ArchiveLocation): boolean {
    return this.#open?.name === location.file || this.#disk.has(location);
  }

  files(): readonly string[] {
    return this.#disk.files.filter(({ offsets }) => offsets.length > 0).map(({ name }) => name);
  }

  async #flush(mark: ArchiveMark | undefined): Promise<ArchiveMark> {
    if (this.#flushMs > 0 && this.#pending.length > 0) {
      await this.#process.clock.sleep(this.#flushMs);
    }
    const { sluice } = this.#disk;
    if (sluice.isShut && this.#pending.length > 0) await sluice.passed();
    return this.#process.answer(() => {
      if (this.#failure) throw this.#failure;
      invariant(mark !== undefined, "the archive is flushed before it was started");
      const { fault } = this.#disk;
      if (fault !== undefined && this.#pending.length > 0) {
        this.#failure = fault;
        this.#process.refuse();
        // As far as there was room.
        this.#write(this.#pending.slice(0, this.#pending.length / 2));
        throw fault;
      }
      this.#write(this.#pending);
      this.#pending = [];
      return mark;
    });
  }

  #write(records: readonly Pending[]): void {
    const file = this.#open;
    if (file === undefined) return;
    if (!this.#disk.files.includes(file)) this.#disk.files.push(file);
    for (const { offset, end, capture } of records) {
      file.offsets.push(offset);
      file.urls.push(capture.index.url);
      file.statuses.push(capture.index.status);
      file.fetchedAtMs.push(capture.index.fetchedAtMs);
      file.bytes = end;
    }
  }

  #newFile(): VirtualFile {
    this.#disk.made += 1;
    const empty = { offsets: [], urls: [], statuses: [], fetchedAtMs: [] };
    return { name: fileName(this.#disk.made), ...empty, bytes: 0, isFinished: false };
  }

  #find({ file: name, offset }: ArchiveLocation): ArchivedResponse | undefined {
    const file = this.#disk.files.find((one) => one.name === name);
    const at = file === undefined ? -1 : indexOf(file.offsets, offset);
    if (file !== undefined && at >= 0) {
      return this.#response(file.urls[at] ?? "", file.statuses[at] ?? 0, file.fetchedAtMs[at] ?? 0);
    }
    const isOpen = this.#open?.name === name;
    const pending = isOpen ? this.#pending.find((one) => one.offset === offset) : undefined;
    if (pending === undefined) return undefined;
    const { url, status, fetchedAtMs } = pending.capture.index;
    return this.#response(url, status, fetchedAtMs);
  }

  #response(url: string, status: number, fetchedAtMs: Millis): ArchivedResponse {
    const canonical = url as CanonicalUrl;
    const page = this.#pages.page(this.#pages.locate(canonical), canonical);
    const isSame = page.status === status;
    const { headers, body } = isSame ? page : { headers: [], body: new Uint8Array(0) };
    const statusLine = `HTTP/1.1 ${status} `;
    return { url, status, statusLine, fetchedAtMs, headers, body, truncated: false };
  }
}

function fileName(serial: number): string {
  return `virtual-${String(serial).padStart(5, "0")}.warc.gz`;
}

function cutTo(file: VirtualFile, bytes: number): void {
  const at = file.offsets.findIndex((offset) => offset >= bytes);
  if (at < 0) return;
  for (const column of [file.offsets, file.urls, file.statuses, file.fetchedAtMs]) {
    column.splice(at);
  }
  file.bytes = bytes;
}

/** Place of `value` in a sorted list; -1 where it is missing. */
function indexOf(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] ?? value;
    if (found === value) return middle;
    if (found < value) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
