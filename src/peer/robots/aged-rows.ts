import type { Row } from "../../core/messages/rows.ts";
import { territorialTagOf } from "../../core/record/key-tags.ts";
import { RobotsRecord } from "../../core/record/record.pb.ts";
import { readRobots } from "../../core/replication/entry-lattices.ts";
import type { MissedTime } from "./missed-time.ts";
import { goodUntilMs } from "./robots-keeper.ts";

/**
 * Rows for another member, which takes their times to be as far behind its own as this peer's clock is: what this process
 * has not seen of the time would make a robots.txt younger there than it is.
 */
export function agedRows<T extends Row>(
  rows: readonly T[],
  missed: Pick<MissedTime, "since">,
): readonly T[] {
  if (missed.since(0) === 0) return rows;
  return rows.map((row) => aged(row, missed));
}

function aged<T extends Row>(row: T, missed: Pick<MissedTime, "since">): T {
  if (row.value === undefined || territorialTagOf(row.key) !== "robots") return row;
  const record = readRobots(row.value);
  const missedMs = record && missed.since(record.fetchedAtMs);
  if (!missedMs) return row;
  const fetchedAtMs = Math.max(0, record.fetchedAtMs - missedMs);
  const expiresAtMs = Math.max(0, goodUntilMs(record, missed));
  return { ...row, value: RobotsRecord.encode({ ...record, fetchedAtMs, expiresAtMs }) };
}
