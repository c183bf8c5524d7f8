import type { WarcinfoFacts } from "../../core/archive/encode-warcinfo.ts";
import type { Clock } from "../../ports/clock.ts";
import { keptBytesLargest, readBytesMax } from "../../ports/archive.ts";
import type { ArchiveFiles } from "./archive-files.ts";
import type { Millis } from "../../core/units.ts";
import type { OnIndexed } from "./index-file.ts";
import type { KeptBehind } from "./kept-behind.ts";

export interface WarcArchiveOptions {
  /** Directory of the files; made if missing. One running peer per `peerName` writes to it. */
  readonly directory: string;
  /** Short name of the peer for file names: letters, digits, `_`. */
  readonly peerName: string;
  readonly info: WarcinfoFacts;
  readonly clock: Clock;
  /** First part of every file name: letters, digits, `_`. @default "orbweaver" */
  readonly prefix?: string;
  /** A file that has this many bytes gets no further record. @default 1 GiB, the custom of the field */
  readonly fileBytesMax?: number;
  /** A file with this many captures gets no further one: it bounds the work of sorting an index. @default 250_000 */
  readonly fileCapturesMax?: number;
  /**
   * Bytes appended and not yet flushed; from half of them on callers hold back. To append more when there are more is a bug of
   * theirs: a single capture may be larger than this. @default 512 MiB
   */
  readonly bufferBytesMax?: number;
  /** Compression of the records that are made here, on the main thread: warcinfo and revisits. @default 6 */
  readonly gzipLevel?: number;
  /** Largest record that is read back, uncompressed: one with the longest body that may be kept. @default 1 GiB and 64 MiB */
  readonly recordBytesMax?: number;
  /**
   * Largest body after removal of its content coding; a larger one is returned as stored. Whoever kept a whole one has
   * bounded it, by a limit that may have been higher than today's. @default the longest that may be kept
   */
  readonly bodyBytesMax?: number;
  /**
   * The same for one that was cut: what is stored of it may decode to far more than its cut let through. And for what grows as
   * no body does that was kept whole. @default 64 MiB
   */
  readonly unsureBytesMax?: number;
  /** How files are opened for writing; replaced in tests of failing disks. @default the file system */
  readonly files?: ArchiveFiles;
  /** Is told of files that are read for their index at a start, which may take long. @default nobody is told */
  readonly onIndexed?: OnIndexed;
  /** Is told at a start where the archive has more than a crash leaves behind the mark. @default nobody is told */
  readonly onBehind?: OnBehind;
}

/** Hears what an archive has that its database does not know of, and when the mark was made, where that tells. */
export type OnBehind = (behind: KeptBehind, markedAtMs: Millis | undefined) => void;

const MiB = 1024 * 1024;

export const defaultWarcArchiveOptions = {
  prefix: "orbweaver",
  fileBytesMax: 1024 * MiB,
  fileCapturesMax: 250_000,
  bufferBytesMax: 512 * MiB,
  gzipLevel: 6,
  recordBytesMax: keptBytesLargest + 64 * MiB,
  bodyBytesMax: keptBytesLargest,
  unsureBytesMax: readBytesMax(0),
  onIndexed: () => undefined,
  onBehind: () => undefined,
} as const;
