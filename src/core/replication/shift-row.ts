import type { TerritorialTag } from "../record/keys.ts";
import { HostRecord, RobotsRecord } from "../record/record.pb.ts";
import type { Millis } from "../units.ts";
import { readRobots } from "./entry-lattices.ts";
import { readHost } from "./host-lattice.ts";

/**
 * A row as another peer's clock would have written it: clocks differ, so a gate travels as what remains of it. `byMs` is
 * the receiver's time of arrival minus the sender's time of sending; the time on the way makes gates later, never earlier.
 *
 * When something happened (a fetch, a discovery) is a fact and stays. Bytes that are no row come back as they are.
 */
export function shiftRow(tag: TerritorialTag, value: Uint8Array, byMs: Millis): Uint8Array {
  if (byMs === 0) return value;
  if (tag === "host") return shiftHost(value, byMs);
  if (tag === "robots") return shiftRobots(value, byMs);
  return value;
}

/** A host's row with its clocks moved. */
export function shiftHost(value: Uint8Array, byMs: Millis): Uint8Array {
  const record = readHost(value);
  if (!record) return value;
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
  return HostRecord.encode(shifted);
}

/** A robots.txt's row with its age kept. */
export function shiftRobots(value: Uint8Array, byMs: Millis): Uint8Array {
  const record = readRobots(value);
  if (!record) return value;
  const { fetchedAtMs, expiresAtMs } = record;
  return RobotsRecord.encode({
    ...record,
    fetchedAtMs: moved(fetchedAtMs, byMs),
    expiresAtMs: moved(expiresAtMs, byMs),
  });
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
