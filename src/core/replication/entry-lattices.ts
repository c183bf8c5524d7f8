import { compareKeys } from "../record/compare-keys.ts";
import { QueueBundle } from "../record/queue-bundle.ts";
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

/** Requests for one URL, at most: far more than any peer makes, and so few that one more is still told as it is. */
const attemptsMax = 65_535;

const limits = { redirectChain: redirectChainMax };

/**
 * A row of a queue; nothing when the bytes are none. Such rows are not merged: one that is held only loses URLs, by its
 * holder's doing, and a copy is what the holder sent last.
 */
export function readBundle(value: Uint8Array): QueueBundle | undefined {
  const bundle = decodeWithin(value, rowBytesMax, (bytes) => QueueBundle.decode(bytes, { limits }));
  if (!bundle || bundle.attempts > attemptsMax || bundle.urls.includes("")) return undefined;
  return Number.isSafeInteger(bundle.discoveredAtMs) ? bundle : undefined;
}

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

function compareTargets(one: OutboxEntry, other: OutboxEntry): number {
  const letIn = Number(one.excluded === undefined) - Number(other.excluded === undefined);
  return letIn || compareKeys(targetOf(one), targetOf(other));
}

function targetOf(entry: OutboxEntry): Uint8Array {
  return OutboxEntry.encode({ ...entry, depth: 0 });
}
