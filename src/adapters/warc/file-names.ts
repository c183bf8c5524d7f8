import { join } from "node:path";
import { timestamp14 } from "../../core/archive/cdxj.ts";
import { invariant } from "../../core/errors.ts";
import type { Millis } from "../../core/units.ts";

/** Ending of a finished archive file. */
export const warcEnding = ".warc.gz";
/** Ending of the sorted index of a finished file. */
const indexEnding = ".cdxj";
/** Further ending of what is still being written. */
const openEnding = ".open";
/** Further ending of a sorted index before it has its name. */
const draftEnding = ".draft";
/** Further ending of the sorted parts that become an index. */
const runsEnding = ".runs";
/** Further ending of the empty file that says of a file that a record of it could not be read. */
const damagedEnding = ".damaged";

const nameParts =
  /^(\w+)-\d{14}-(\w+)-(\d{5,9})(\.warc\.gz|\.cdxj)(\.open|\.draft|\.runs|\.damaged)?$/;

/** Archive names hold nothing but letters, digits, `_` and `-`, so a name from outside cannot leave the directory. */
const warcName = /^[\w-]{1,200}\.warc\.gz$/;

/** Whether `name` can be the name of an archive file. */
export function isWarcName(name: string): boolean {
  return warcName.test(name);
}

/** The files that belong to one archive file. */
export interface ArchivePaths {
  readonly warc: string;
  readonly openWarc: string;
  readonly damagedWarc: string;
  readonly index: string;
  readonly openIndex: string;
  readonly draftIndex: string;
  readonly indexRuns: string;
}

export function archivePaths(directory: string, file: string): ArchivePaths {
  invariant(isWarcName(file), `not an archive file: ${file}`);
  const stem = join(directory, file.slice(0, -warcEnding.length));
  return {
    warc: stem + warcEnding,
    openWarc: stem + warcEnding + openEnding,
    damagedWarc: stem + warcEnding + damagedEnding,
    index: stem + indexEnding,
    openIndex: stem + indexEnding + openEnding,
    draftIndex: stem + indexEnding + draftEnding,
    indexRuns: stem + indexEnding + runsEnding,
  };
}

/** How one peer names its files: `orbweaver-20260301123000-peer-00001.warc.gz`. */
export class FileNames {
  readonly #prefix: string;
  readonly #peerName: string;

  constructor(prefix: string, peerName: string) {
    invariant(/^\w+$/.test(prefix), `not a prefix of archive files: ${prefix}`);
    invariant(/^\w+$/.test(peerName), `not a name for archive files: ${peerName}`);
    this.#prefix = prefix;
    this.#peerName = peerName;
  }

  /** The serial number orders the files of a peer; the time is for people, and clocks step back. */
  name(serial: number, atMs: Millis): string {
    const digits = String(serial).padStart(5, "0");
    return `${this.#prefix}-${timestamp14(atMs)}-${this.#peerName}-${digits}${warcEnding}`;
  }

  /** Serial number of one of this peer's files; undefined for any other file. */
  serialOf(name: string): number | undefined {
    const [, prefix, peerName, serial] = nameParts.exec(name) ?? [];
    return prefix === this.#prefix && peerName === this.#peerName ? Number(serial) : undefined;
  }

  /** What `names`, the content of a directory, holds of this peer, by archive file and in order. */
  group(names: readonly string[]): readonly ArchiveGroup[] {
    const groups = new Map<string, ArchiveGroup>();
    for (const name of names) {
      const serial = this.serialOf(name);
      if (serial === undefined) continue;
      const stem = name.slice(0, name.indexOf("."));
      const endings = groups.get(stem)?.endings ?? new Set();
      endings.add(name.slice(stem.length));
      groups.set(stem, { file: stem + warcEnding, serial, endings });
    }
    return [...groups.values()].sort((a, b) => a.serial - b.serial);
  }
}

/** An archive file with what there is of it on disk. */
export interface ArchiveGroup {
  /** Final name of the archive file, whether or not it has it yet. */
  readonly file: string;
  readonly serial: number;
  readonly endings: Set<string>;
}

export function isFinished(group: ArchiveGroup): boolean {
  return group.endings.has(warcEnding);
}

export function isOpen(group: ArchiveGroup): boolean {
  return group.endings.has(warcEnding + openEnding);
}

/** Whether a record of it could not be read when that was asked for. */
export function isDamaged(group: ArchiveGroup): boolean {
  return group.endings.has(warcEnding + damagedEnding);
}

/** Whether the sorted index is there, and nothing of the work towards it. */
export function isIndexed(group: ArchiveGroup): boolean {
  return group.endings.has(indexEnding) && !group.endings.has(indexEnding + openEnding);
}
