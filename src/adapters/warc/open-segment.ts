import { dirname } from "node:path";
import { cdxjLine } from "../../core/archive/cdxj.ts";
import type { CaptureIndex } from "../../core/archive/capture.ts";
import { invariant } from "../../core/errors.ts";
import type { ArchiveLocation, ArchiveMark } from "../../ports/archive.ts";
import type { ArchiveFile, ArchiveFiles } from "./archive-files.ts";
import { checkNamed, onDisk, renameDurably, syncPath, writeFully } from "./archive-files.ts";
import type { ArchivePaths } from "./file-names.ts";
import { appendedLines, writeIndex } from "./index-file.ts";
import { LineSorter } from "./line-sorter.ts";

interface Handles {
  readonly warc: ArchiveFile;
  readonly index: ArchiveFile;
}

/**
 * One archive file from its first record to its last.
 *
 * Invariant: `durableBytes` is the length up to which the file has been synchronised, and it is the end of a record.
 */
export class OpenSegment {
  readonly file: string;
  readonly paths: ArchivePaths;
  readonly #files: ArchiveFiles;
  #handles: Handles | undefined;
  #pending: Uint8Array[] = [];
  #pendingLines: string[] = [];
  #reservedBytes = 0;
  #durableBytes = 0;
  #indexBytes = 0;
  #captures = 0;

  /** `info` is the compressed warcinfo record. */
  constructor(file: string, paths: ArchivePaths, info: Uint8Array, files: ArchiveFiles) {
    this.file = file;
    this.paths = paths;
    this.#files = files;
    this.#reserve(info);
  }

  get reservedBytes(): number {
    return this.#reservedBytes;
  }

  get durableBytes(): number {
    return this.#durableBytes;
  }

  get captures(): number {
    return this.#captures;
  }

  /** Behind everything that has been appended, durable or not. */
  get end(): ArchiveMark {
    return { file: this.file, bytes: this.#reservedBytes };
  }

  /** Gives the capture its place; its first member has `length` bytes. */
  append(bytes: Uint8Array, length: number, index: CaptureIndex): ArchiveLocation {
    const location = { file: this.file, offset: this.#reservedBytes, length };
    this.#reserve(bytes);
    this.#pendingLines.push(cdxjLine(index, location));
    this.#captures++;
    return location;
  }

  #reserve(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#reservedBytes += bytes.length;
  }

  /** Makes everything appended before the call durable. Must not be called while a call is under way. */
  async write(): Promise<void> {
    if (this.#pending.length === 0) return;
    const bytes = this.#pending;
    const lines = Buffer.from(this.#pendingLines.join(""), "latin1");
    const end = this.#reservedBytes;
    this.#pending = [];
    this.#pendingLines = [];
    const handles = (this.#handles ??= await this.#create());
    await onDisk(this.paths.openWarc, async () => {
      await writeFully(handles.warc, bytes, this.#durableBytes);
      await handles.warc.datasync();
      await checkNamed(this.paths.openWarc);
    });
    await onDisk(this.paths.openIndex, () => writeFully(handles.index, [lines], this.#indexBytes));
    this.#indexBytes += lines.length;
    this.#durableBytes = end;
  }

  async #create(): Promise<Handles> {
    const { openWarc, openIndex } = this.paths;
    const warc = await onDisk(openWarc, () => this.#files.create(openWarc));
    try {
      const index = await onDisk(openIndex, () => this.#files.create(openIndex));
      await onDisk(openWarc, () => syncPath(dirname(openWarc)));
      return { warc, index };
    } catch (error) {
      await warc.close();
      throw error;
    }
  }

  /** Gives the durable file its final name; its index still has to be sorted. */
  async finish(): Promise<void> {
    invariant(this.#pending.length === 0, "a file is finished after its last write");
    await this.close();
    await onDisk(this.paths.warc, () => renameDurably(this.paths.openWarc, this.paths.warc));
  }

  /** Sorts the index of the finished file. */
  async sortIndex(): Promise<void> {
    await using sorter = new LineSorter(this.paths.indexRuns);
    const { openIndex } = this.paths;
    await onDisk(openIndex, async () => {
      for await (const lines of appendedLines(openIndex)) await sorter.add(lines);
      if (sorter.lines !== this.#captures) {
        throw new Error(`it has ${sorter.lines} lines, for ${this.#captures} captures`);
      }
    });
    await writeIndex(this.paths, sorter);
  }

  /** Closes the handles and nothing else; idempotent. */
  async close(): Promise<void> {
    const handles = this.#handles;
    this.#handles = undefined;
    if (handles === undefined) return;
    await onDisk(this.paths.openWarc, () => handles.warc.close());
    await onDisk(this.paths.openIndex, () => handles.index.close());
  }
}
