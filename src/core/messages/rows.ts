import type { Millis } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { packRows, unpackRows } from "./packed-rows.ts";
import { decodePayload, isCount, isMoment } from "./read-payload.ts";

/** Rows of one message, at most; 4 MiB hold no more of the smallest. */
export const rowsMax = 65_536;

/** A row of the database on its way to another peer; without a value it is to be deleted there. */
export interface Row {
  readonly key: Uint8Array;
  readonly value?: Uint8Array;
}

export interface Rows {
  /** Run of the sender. */
  readonly generation: number;
  /** The sender's clock, in which the rows' times are. */
  readonly nowMs: Millis;
  readonly rows: readonly Row[];
}

export function encodeRows({ generation, nowMs, rows }: Rows): Uint8Array<ArrayBuffer> {
  return wire.Rows.encode({ generation, nowMs, rows: packRows(rows) });
}

/** Rows that belong to sites, by their keys; what the values are worth, the merge decides. They are views of `payload`. */
export function decodeRows(payload: Uint8Array): Rows | undefined {
  const message = decodePayload(payload, wire.Rows.decode);
  if (!message || !isCount(message.generation) || !isMoment(message.nowMs)) return undefined;
  const { generation, nowMs } = message;
  const rows = unpackRows(message.rows, rowsMax);
  return rows && { generation, nowMs, rows };
}
