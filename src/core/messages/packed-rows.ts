import { invariant } from "../errors.ts";
import { getUint32, putUint32 } from "../record/key-bytes.ts";
import { territorialTagOf } from "../record/key-tags.ts";
import type { Row } from "./rows.ts";

/*
 * Rows as bytes, one behind the other: the key's length in one byte, the value's in four (big-endian, one more than it is,
 * 0 where there is none), key, value. Half of what peers say to each other is rows, and as protobuf messages of their own
 * they take three times as long.
 */

const headBytes = 5;
const keyBytesMax = 0xff;

export function packRows(rows: readonly Row[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const { key, value } of rows) length += headBytes + key.length + (value?.length ?? 0);
  const packed = new Uint8Array(length);
  let at = 0;
  for (const { key, value } of rows) {
    invariant(key.length <= keyBytesMax, "a row's key has 255 bytes at most");
    packed[at] = key.length;
    putUint32(packed, at + 1, value === undefined ? 0 : value.length + 1);
    at += headBytes;
    packed.set(key, at);
    at += key.length;
    if (value === undefined) continue;
    packed.set(value, at);
    at += value.length;
  }
  return packed;
}

/**
 * Rows that belong to sites, by their keys, as views of `packed`; nothing where these are not the bytes of at most `rowsMax`
 * such rows.
 */
export function unpackRows(packed: Uint8Array, rowsMax: number): Row[] | undefined {
  const rows: Row[] = [];
  for (let at = 0; at < packed.length;) {
    if (rows.length === rowsMax || packed.length - at < headBytes) return undefined;
    const keyEnd = at + headBytes + (packed[at] ?? 0);
    const valueMark = getUint32(packed, at + 1);
    const end = valueMark === 0 ? keyEnd : keyEnd + valueMark - 1;
    if (end > packed.length) return undefined;
    const key = packed.subarray(at + headBytes, keyEnd);
    if (territorialTagOf(key) === undefined) return undefined;
    rows.push(valueMark === 0 ? { key } : { key, value: packed.subarray(keyEnd, end) });
    at = end;
  }
  return rows;
}
