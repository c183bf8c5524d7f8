import { compareKeys } from "../record/compare-keys.ts";
import { QueueEntry } from "../record/queue-entry.ts";
import { OutboxEntry, RobotsRecord } from "../record/record.pb.ts";
import { decodeWithin, rowBytesMax } from "./row-lattice.ts";
import type { RowLattice } from "./row-lattice.ts";
import { shiftRobots } from "./shift-row.ts";

/** URLs of a redirect chain, at most: well above the redirects that any peer follows. */
export const redirectChainMax = 32;

/**
 * Bytes of a robots.txt's row, at most: the 500 KiB that are read of a file (RFC 9309, section 2.5) may become three
 * times as many where they are no UTF-8.
 */
const robotsRowBytesMax = 2 * 1_024 * 1_024;

/** A host name has at most 253 characters. */
const hostNameBytesMax = 255;

const limits = { redirectChain: redirectChainMax };

/**
 * Entries of one key are of one URL: most attempts, least depth, first discovery. What else they say of it comes whole
 * from one of them.
 */
export const queueLattice: RowLattice<QueueEntry> = {
  read: (value) => {
    const entry = decodeWithin(value, rowBytesMax, (bytes) => QueueEntry.decode(bytes, { limits }));
    return entry && Number.isSafeInteger(entry.discoveredAtMs) && entry.url !== ""
      ? entry
      : undefined;
  },
  join: (one, other) => ({
    ...(compareKeys(spellingOf(one), spellingOf(other)) >= 0 ? one : other),
    depth: Math.min(one.depth, other.depth),
    attempts: Math.max(one.attempts, other.attempts),
    discoveredAtMs: Math.min(one.discoveredAtMs, other.discoveredAtMs),
  }),
  write: QueueEntry.encode,
};

/** A URL that one page lets in is let in, whatever others say of it; the rest comes whole from one of the entries. */
export const outboxLattice: RowLattice<OutboxEntry> = {
  read: (value) => {
    const entry = decodeWithin(value, rowBytesMax, (bytes) =>
      OutboxEntry.decode(bytes, { limits }),
    );
    return entry && entry.url !== "" && entry.job !== "" ? entry : undefined;
  },
  join: (one, other) => ({
    ...(compareTargets(one, other) >= 0 ? one : other),
    depth: Math.min(one.depth, other.depth),
  }),
  write: OutboxEntry.encode,
};

/** The later fetch wins, then the one that holds longer, then the greater bytes. */
export const robotsLattice: RowLattice<RobotsRecord> = {
  read: readRobots,
  join: (one, other) => {
    const order =
      one.fetchedAtMs - other.fetchedAtMs ||
      one.expiresAtMs - other.expiresAtMs ||
      compareKeys(RobotsRecord.encode(one), RobotsRecord.encode(other));
    return order >= 0 ? one : other;
  },
  shift: shiftRobots,
  write: RobotsRecord.encode,
};

/** The host's name, the same at every peer. */
export const waitingLattice: RowLattice<Uint8Array> = {
  read: (value) => (value.length > 0 && value.length <= hostNameBytesMax ? value : undefined),
  join: (one, other) => (compareKeys(one, other) >= 0 ? one : other),
  write: (value) => new Uint8Array(value),
};

const verdicts: ReadonlySet<string> = new Set(["rules", "allow-all", "disallow-all"]);

/** A robots.txt as it is kept; nothing when the bytes are none. */
export function readRobots(value: Uint8Array): RobotsRecord | undefined {
  const record = decodeWithin(value, robotsRowBytesMax, RobotsRecord.decode);
  if (!record || !verdicts.has(record.verdict)) return undefined;
  return [record.fetchedAtMs, record.expiresAtMs].every(Number.isFinite) ? record : undefined;
}

/** A queue entry without what its join takes from both sides. */
function spellingOf(entry: QueueEntry): Uint8Array {
  return QueueEntry.encode({ ...entry, depth: 0, attempts: 0, discoveredAtMs: 0 });
}

function compareTargets(one: OutboxEntry, other: OutboxEntry): number {
  const letIn = Number(one.excluded === undefined) - Number(other.excluded === undefined);
  return letIn || compareKeys(targetOf(one), targetOf(other));
}

function targetOf(entry: OutboxEntry): Uint8Array {
  return OutboxEntry.encode({ ...entry, depth: 0 });
}
