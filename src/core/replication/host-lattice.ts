import { BUCKETS_PER_WINDOW } from "../politeness/circuit-breaker.ts";
import type { BreakerBucket, HostJob } from "../record/record.pb.ts";
import { HostRecord } from "../record/record.pb.ts";
import { decodeWithin, rowBytesMax } from "./row-lattice.ts";
import type { RowLattice } from "./row-lattice.ts";
import { shiftHost } from "./shift-row.ts";

/** Jobs that have URLs on one host, at most. */
const hostJobsMax = 10_000;

/** More than messages take, nearly always. */
const messageMs = 1_000;

/** What a host's failures close its gate for, or what it asks for. */
const restClocks = ["backoffUntilMs", "breakerUntilMs"] as const;

const limits = { jobs: hostJobsMax, breakerBuckets: 4 * BUCKETS_PER_WINDOW };

/**
 * The most careful of both sides: each clock at its latest, each count at its highest.
 *
 * So a host is never asked earlier than any peer that has asked it would have asked again.
 */
export const hostLattice: RowLattice<HostRecord> = {
  read: readHost,
  join: (one, other) =>
    ordered({
      host: one.host >= other.host ? one.host : other.host,
      nextFetchAtMs: Math.max(one.nextFetchAtMs, other.nextFetchAtMs),
      failuresInRow: Math.max(one.failuresInRow, other.failuresInRow),
      breakerBuckets: [...one.breakerBuckets, ...other.breakerBuckets],
      jobs: [...one.jobs, ...other.jobs],
      ...present("haltedUntilMs", highest(one.haltedUntilMs, other.haltedUntilMs)),
      ...present("crawlDelayMs", highest(one.crawlDelayMs, other.crawlDelayMs)),
      ...present("learnedDelayMs", highest(one.learnedDelayMs, other.learnedDelayMs)),
      ...present("politeUntilMs", highest(one.politeUntilMs, other.politeUntilMs)),
      ...present("backoffUntilMs", highest(one.backoffUntilMs, other.backoffUntilMs)),
      ...present("breakerUntilMs", highest(one.breakerUntilMs, other.breakerUntilMs)),
    }),
  // Moments before the beginning of time become one.
  shift: (record, byMs) => ordered(shiftHost(record, byMs)),
  write: HostRecord.encode,
};

/**
 * A copy of a host's row when its holder says `incoming`: the holder's word stands, so that a halt that is over is over at
 * its copies too. But words may come late, and from one who held the host before and has not heard what it answered
 * since: of the clocks that end by themselves the later one counts. Of what was admitted the higher count does, since one who
 * took over without a copy has counted from nothing; nor may that one have read what the host's robots.txt asks for, so one
 * that speaks of no Crawl-delay takes none away: at worst, one that the host has given up holds until it is read again.
 */
export function followHost(known: HostRecord, incoming: HostRecord): HostRecord {
  return ordered({
    ...incoming,
    jobs: [...known.jobs, ...incoming.jobs],
    nextFetchAtMs: Math.max(known.nextFetchAtMs, incoming.nextFetchAtMs),
    ...present("crawlDelayMs", incoming.crawlDelayMs ?? known.crawlDelayMs),
    ...present("politeUntilMs", highest(known.politeUntilMs, incoming.politeUntilMs)),
    ...present("backoffUntilMs", highest(known.backoffUntilMs, incoming.backoffUntilMs)),
    ...present("breakerUntilMs", highest(known.breakerUntilMs, incoming.breakerUntilMs)),
  });
}

/**
 * The row of a host that is held here, when another member that holds it as well, or did, says `incoming`: the host rests
 * for as long as either side has been told, now and between requests. Nothing where that is no news: what a message tells
 * becomes later by the time it takes, and would go to and fro between the two for ever. A halt stays with who has it: an
 * operator may have ended it.
 */
export function heedHost(known: HostRecord, incoming: HostRecord): HostRecord | undefined {
  const isLater = restClocks.some(
    (clock) => (incoming[clock] ?? 0) > (known[clock] ?? 0) + messageMs,
  );
  const isSlower = (incoming.crawlDelayMs ?? 0) > (known.crawlDelayMs ?? 0);
  if (!isLater && !isSlower) return undefined;
  const backoffUntilMs = highest(known.backoffUntilMs, incoming.backoffUntilMs);
  const breakerUntilMs = highest(known.breakerUntilMs, incoming.breakerUntilMs);
  return {
    ...known,
    nextFetchAtMs: Math.max(known.nextFetchAtMs, backoffUntilMs ?? 0, breakerUntilMs ?? 0),
    ...present("backoffUntilMs", backoffUntilMs),
    ...present("breakerUntilMs", breakerUntilMs),
    ...present("crawlDelayMs", highest(known.crawlDelayMs, incoming.crawlDelayMs)),
  };
}

/** A host's row with jobs and buckets in order, each once; nothing when the bytes are none. */
export function readHost(value: Uint8Array): HostRecord | undefined {
  const record = decodeWithin(value, rowBytesMax, (bytes) => HostRecord.decode(bytes, { limits }));
  if (!record) return undefined;
  const numbers = [
    record.nextFetchAtMs,
    record.haltedUntilMs,
    record.crawlDelayMs,
    record.learnedDelayMs,
    record.politeUntilMs,
    record.backoffUntilMs,
    record.breakerUntilMs,
    ...record.breakerBuckets.map(({ startAtMs }) => startAtMs),
  ];
  const sound = numbers.every((number = 0) => Number.isFinite(number) && number >= 0);
  return sound ? ordered(record) : undefined;
}

/** The same host with jobs by number and with its latest buckets by time; of two of one name the higher counts. */
function ordered(record: HostRecord): HostRecord {
  if (isOrdered(record)) return record;
  const jobs = new Map<number, HostJob>();
  for (const { space, admitted } of record.jobs) {
    jobs.set(space, { space, admitted: Math.max(admitted, jobs.get(space)?.admitted ?? 0) });
  }
  const buckets = new Map<number, BreakerBucket>();
  for (const { startAtMs, total, failed } of record.breakerBuckets) {
    const known = buckets.get(startAtMs);
    buckets.set(startAtMs, {
      startAtMs,
      total: Math.max(total, known?.total ?? 0),
      failed: Math.max(failed, known?.failed ?? 0),
    });
  }
  return {
    ...record,
    jobs: [...jobs.values()].sort((a, b) => a.space - b.space),
    breakerBuckets: [...buckets.values()]
      .sort((a, b) => a.startAtMs - b.startAtMs)
      .slice(-BUCKETS_PER_WINDOW),
  };
}

/** As all are that a peer writes. */
function isOrdered({ jobs, breakerBuckets }: HostRecord): boolean {
  return (
    breakerBuckets.length <= BUCKETS_PER_WINDOW &&
    ascends(jobs, ({ space }) => space) &&
    ascends(breakerBuckets, ({ startAtMs }) => startAtMs)
  );
}

function ascends<T>(list: readonly T[], numberOf: (one: T) => number): boolean {
  let last = -Infinity;
  for (const one of list) {
    const number = numberOf(one);
    if (!(number > last)) return false;
    last = number;
  }
  return true;
}

function highest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}

function present<Name extends string, T>(
  name: Name,
  value: T | undefined,
): Partial<Record<Name, T>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, T>);
}
