import type { HostRecord, RobotsRecord } from "../record/record.pb.ts";
import type { Millis } from "../units.ts";

/** A host's row with its clocks moved. */
export function shiftHost(record: HostRecord, byMs: Millis): HostRecord {
  const shifted = { ...record };
  shifted.nextFetchAtMs = moved(record.nextFetchAtMs, byMs);
  for (const clock of optionalClocks) {
    const atMs = record[clock];
    if (atMs !== undefined) shifted[clock] = moved(atMs, byMs);
  }
  shifted.breakerBuckets = record.breakerBuckets.map((bucket) => ({
    ...bucket,
    startAtMs: moved(bucket.startAtMs, byMs),
  }));
  return shifted;
}

/** A robots.txt's row with its age kept. */
export function shiftRobots(record: RobotsRecord, byMs: Millis): RobotsRecord {
  const { fetchedAtMs, expiresAtMs } = record;
  return {
    ...record,
    fetchedAtMs: moved(fetchedAtMs, byMs),
    expiresAtMs: moved(expiresAtMs, byMs),
  };
}

const optionalClocks = [
  "haltedUntilMs",
  "politeUntilMs",
  "backoffUntilMs",
  "breakerUntilMs",
] as const;

/** 0 is no moment but "never", and stays. */
function moved(atMs: Millis, byMs: Millis): Millis {
  return atMs === 0 ? 0 : Math.max(0, atMs + byMs);
}
