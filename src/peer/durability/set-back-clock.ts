import { compareKeys } from "../../core/record/compare-keys.ts";
import { after, tagRange } from "../../core/record/key-ranges.ts";
import { namedKey } from "../../core/record/named-keys.ts";
import { HostRecord, RobotsRecord } from "../../core/record/record.pb.ts";
import { readRobots } from "../../core/replication/entry-lattices.ts";
import { readHost } from "../../core/replication/host-lattice.ts";
import { shiftHost, shiftRobots } from "../../core/replication/shift-row.ts";
import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store, StoreEntry, StoreOp } from "../../ports/store.ts";

const timeKey = namedKey("meta", "time");
const passKey = namedKey("meta", "set-back");

/** By less than this hosts rest no longer, or hardly shorter, than they usually do. */
const setBackMsMin: Millis = 1_000;

/**
 * What follows the machine's clock, in the order of the keys, and by how much that has to be set back for it. The age of a
 * robots.txt counts in hours; where it is taken for older than it is, that does no harm. It may have half a megabyte.
 */
const followers = [
  { range: tagRange("host"), byMsMin: -Infinity, rowsPerBatch: 1_000, follow: takenBack },
  { range: tagRange("robots"), byMsMin: 60_000, rowsPerBatch: 100, follow: keptInAge },
] as const;

type PassStore = Pick<Store, "get" | "range" | "write">;

/** Clocks on their way back, or forward where it is negative: by how much, and from which key on they have still to go. */
interface Pass {
  readonly byMs: Millis;
  readonly from: Uint8Array;
}

/** Tells the next start when this run has written something last, and what the clock on the wall showed: for each commit. */
export function timeOp(nowMs: Millis, wallMs = nowMs): StoreOp {
  return { type: "put", key: timeKey, value: new TextEncoder().encode(`${nowMs} ${wallMs}`) };
}

/**
 * Takes the clocks of all hosts back by as much as the machine's own was set back since the last commit, or before it in the
 * run that made it. Else whoever was asked under a clock that was hours ahead would rest for those hours. Of a rest no more
 * is left than was then.
 *
 * Nor does a run see that the machine was asleep, or its clock set forward: its times are behind those that this run
 * sees, and are put forward by as much. Else a rest would be over with that run, and be it a halt of a day.
 *
 * A robots.txt keeps its age where the clock was set back: else it would serve for so much longer than it may.
 *
 * Invariant: no row's clocks are taken back twice for one thing, wherever a process ends.
 */
export async function followClockBack({
  clock,
  logger,
  store,
}: {
  readonly clock: Pick<Clock, "nowMs">;
  readonly logger: Logger;
  readonly store: PassStore;
}): Promise<void> {
  const nowMs = clock.nowMs();
  const begun = await store.get(passKey);
  if (begun) await finish(store, readPass(begun), nowMs);
  const saved = readTime(await store.get(timeKey), nowMs);
  const byMs = saved.nowMs - Math.min(saved.wallMs, nowMs);
  if (!(Math.abs(byMs) >= setBackMsMin)) return;
  if (byMs > 0) logger.warn("clock-was-set-back", { bySeconds: Math.round(byMs / 1_000) });
  const pass = { byMs, from: tagRange("host").gte };
  await store.write([timeOp(nowMs), passOp(pass)], { sync: false });
  await finish(store, pass, nowMs);
}

/** Each batch tells how far the pass has come. */
async function finish(store: PassStore, { byMs, from }: Pass, nowMs: Millis): Promise<void> {
  for (const { range, byMsMin, rowsPerBatch, follow } of followers) {
    if (byMs < byMsMin) continue;
    const { lt } = range;
    let gte = compareKeys(from, range.gte) > 0 ? from : range.gte;
    while (compareKeys(gte, lt) < 0) {
      const rows = await store.range({ gte, lt }, rowsPerBatch);
      const ops = rows.flatMap((row) => follow(row, byMs, nowMs));
      const last = rows.at(-1);
      gte = last === undefined || rows.length < rowsPerBatch ? lt : after(last.key);
      await store.write([...ops, passOp({ byMs, from: gte })], { sync: false });
    }
  }
  await store.write([{ type: "del", key: passKey }], { sync: false });
}

/** What {@link timeOp} has told; earlier versions kept no time of the clock on the wall. */
function readTime(saved: Uint8Array | undefined, nowMs: Millis): { nowMs: Millis; wallMs: Millis } {
  if (!saved) return { nowMs, wallMs: nowMs };
  const [lastMs = NaN, wallMs = lastMs] = new TextDecoder().decode(saved).split(" ").map(Number);
  return { nowMs: lastMs, wallMs };
}

/** The host's row with its clocks taken back, where one of them has not ended. */
function takenBack({ key, value }: StoreEntry, byMs: Millis, nowMs: Millis): readonly StoreOp[] {
  const host = readHost(value);
  if (host === undefined || host.nextFetchAtMs - Math.min(byMs, 0) <= nowMs) return [];
  return [{ type: "put", key, value: HostRecord.encode(shiftHost(host, -byMs)) }];
}

/** The row of a robots.txt, which would be taken for younger than it is. */
function keptInAge({ key, value }: StoreEntry, byMs: Millis): readonly StoreOp[] {
  const robots = readRobots(value);
  if (!robots) return [];
  return [{ type: "put", key, value: RobotsRecord.encode(shiftRobots(robots, -byMs)) }];
}

function passOp({ byMs, from }: Pass): StoreOp {
  const time = new TextEncoder().encode(`${byMs} `);
  const value = new Uint8Array(time.length + from.length);
  value.set(time);
  value.set(from, time.length);
  return { type: "put", key: passKey, value };
}

function readPass(value: Uint8Array): Pass {
  const end = value.indexOf(0x20);
  const byMs = Number(new TextDecoder().decode(value.subarray(0, end)));
  return { byMs, from: value.slice(end + 1) };
}
