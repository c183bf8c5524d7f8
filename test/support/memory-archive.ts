import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { contentCodings, parseResponseHead } from "../../src/core/archive/http-head.ts";
import { CrawlError, invariant } from "../../src/core/errors.ts";
import type { ContentCoding } from "../../src/core/net/content-coding.ts";
import type {
  Archive,
  ArchiveLocation,
  ArchiveMark,
  ArchivedResponse,
  EncodedCapture,
} from "../../src/ports/archive.ts";

interface MemoryRecord {
  readonly offset: number;
  /** Of the response record. */
  readonly length: number;
  /** Where the next record starts. */
  readonly end: number;
  readonly response: ArchivedResponse;
}

interface MemoryFile {
  readonly name: string;
  readonly records: MemoryRecord[];
  finished: boolean;
}

/** What survives a crash of the archive that writes to it. */
export class MemoryArchiveDisk {
  readonly files: MemoryFile[] = [];
  /** Files ever made, so that no name comes twice. */
  made = 0;
  /** Of the files that are there now, no record can be read. */
  damaged: ReadonlySet<string> = new Set();

  /** URLs of all records, in their order. */
  urls(): string[] {
    return this.files.flatMap(({ records }) => records.map(({ response }) => response.url));
  }

  /** A copy that later writes do not reach: the disk as a crash at this moment leaves it. */
  copy(): MemoryArchiveDisk {
    const copy = new MemoryArchiveDisk();
    copy.made = this.made;
    for (const file of this.files) copy.files.push({ ...file, records: [...file.records] });
    return copy;
  }
}

/**
 * Archive without files and without time: flushes resolve in the turn they are called in.
 *
 * To crash, drop it and start another one on the same disk.
 */
export class MemoryArchive implements Archive {
  readonly #disk: MemoryArchiveDisk;
  readonly #pending: MemoryRecord[] = [];
  #state: "new" | "started" | "stopped" = "new";
  #open: MemoryFile | undefined;
  #reserved = 0;
  #mark: ArchiveMark | undefined;
  #failure: CrawlError | undefined;
  readonly #pendingMax: number;
  /** Files with a record that could not be read. */
  readonly #unreadable = new Set<string>();

  /** @param pendingMax captures that may be appended without a flush: it is full from half of them on */
  constructor(disk = new MemoryArchiveDisk(), pendingMax = Infinity) {
    this.#disk = disk;
    this.#pendingMax = pendingMax;
  }

  /** Makes the next flush fail, and with it all that follows, as a full disk does. */
  failWith(failure: CrawlError): void {
    this.#failure = failure;
  }

  start(mark: ArchiveMark | undefined): Promise<void> {
    if (this.#state !== "new") return Promise.resolve();
    const markAt = this.#disk.files.findIndex((file) => file.name === mark?.file);
    const kept = this.#disk.files.filter((file, at) => {
      if (file.finished) return true;
      file.finished = true;
      if (mark === undefined || at < markAt) return true;
      if (at > markAt) return false;
      file.records.splice(file.records.findLastIndex(({ end }) => end <= mark.bytes) + 1);
      return true;
    });
    this.#disk.files.splice(0, Infinity, ...kept);
    this.#mark = mark ?? { file: fileName(this.#disk.made), bytes: 0 };
    this.#state = "started";
    return Promise.resolve();
  }

  async stop(isCommitted = true): Promise<void> {
    if (this.#state !== "started") return;
    if (isCommitted) {
      await this.flush();
      if (this.#open !== undefined) this.#open.finished = true;
    }
    this.#state = "stopped";
  }

  get full(): boolean {
    return this.#pending.length >= this.#pendingMax / 2;
  }

  append(capture: EncodedCapture): ArchiveLocation {
    const { bytes, responseLength, index } = capture;
    const response = readCapture(bytes.subarray(0, responseLength));
    return this.#append(bytes.length, responseLength, {
      ...response,
      url: index.url,
      fetchedAtMs: index.fetchedAtMs,
    });
  }

  #append(bytes: number, length: number, response: ArchivedResponse): ArchiveLocation {
    if (this.#failure !== undefined) throw this.#failure;
    invariant(this.#state === "started", `the archive is used while it is ${this.#state}`);
    invariant(this.#pending.length < this.#pendingMax, "too much is appended without a flush");
    this.#open ??= {
      name: fileName(++this.#disk.made),
      records: [],
      finished: false,
    };
    const offset = this.#reserved;
    this.#reserved += bytes;
    this.#pending.push({ offset, length, end: this.#reserved, response });
    return { file: this.#open.name, offset, length };
  }

  flush(): Promise<ArchiveMark> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    invariant(this.#state === "started", `the archive is flushed while it is ${this.#state}`);
    if (this.#open !== undefined) {
      if (!this.#disk.files.includes(this.#open)) this.#disk.files.push(this.#open);
      this.#open.records.push(...this.#pending.splice(0));
      this.#mark = { file: this.#open.name, bytes: this.#reserved };
    }
    invariant(this.#mark !== undefined, "an archive that was started has a mark");
    return Promise.resolve(this.#mark);
  }

  read(location: ArchiveLocation, isTold = false): Promise<ArchivedResponse> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#disk.damaged.has(location.file)) {
      if (!isTold) this.#unreadable.add(location.file);
      return Promise.reject(new CrawlError("ARCHIVE_CORRUPT", `${location.file} is damaged`));
    }
    const file = this.#disk.files.find(({ name }) => name === location.file);
    const pending = this.#open?.name === location.file ? this.#pending : [];
    const at = [...(file?.records ?? []), ...pending].find(
      ({ offset, length }) => offset === location.offset && length === location.length,
    );
    if (at !== undefined) return Promise.resolve(at.response);
    const message = `there is no record at ${location.offset} of ${location.file}`;
    return Promise.reject(new CrawlError("NOT_ARCHIVED", message, { ...location }));
  }

  has({ file, offset }: ArchiveLocation): boolean {
    if (this.#unreadable.has(file)) return false;
    if (this.#open?.name === file) return offset < this.#reserved;
    const found = this.#disk.files.find(({ name }) => name === file);
    return found?.records.some((record) => record.offset === offset) === true;
  }

  files(): readonly string[] {
    return this.#disk.files.filter(({ records }) => records.length > 0).map(({ name }) => name);
  }
}

function fileName(serial: number): string {
  return `memory-${String(serial).padStart(5, "0")}.warc.gz`;
}

type Content = Omit<ArchivedResponse, "url" | "fetchedAtMs">;

function readCapture(member: Uint8Array): Content {
  const record = new Uint8Array(gunzipSync(member));
  const text = new TextDecoder("latin1").decode(record);
  const blockAt = text.indexOf("\r\n\r\n") + 4;
  const warcHead = text.slice(0, blockAt);
  const block = record.subarray(blockAt, record.length - 4);
  const head = parseResponseHead(block);
  invariant(head !== undefined, "a capture starts with a response record");
  const { status, statusLine, headers, bodyAt } = head;
  const body = decode(block.slice(bodyAt), contentCodings(headers));
  return { status, statusLine, headers, body, truncated: isTruncated(warcHead) };
}

/** A revisit leaves its body out on purpose. */
function isTruncated(warcHead: string): boolean {
  return warcHead.includes("\r\nWARC-Truncated: ") && !warcHead.includes("WARC-Type: revisit");
}

function decode(
  body: Uint8Array<ArrayBuffer>,
  codings: readonly ContentCoding[],
): Uint8Array<ArrayBuffer> {
  try {
    return codings.reduceRight((bytes, coding) => {
      if (coding === "gzip") return new Uint8Array(gunzipSync(bytes));
      if (coding === "deflate") return new Uint8Array(inflateSync(bytes));
      if (coding === "br") return new Uint8Array(brotliDecompressSync(bytes));
      throw new RangeError(`unknown content coding ${coding}`);
    }, body);
  } catch {
    return body;
  }
}
