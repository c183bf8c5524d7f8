import { expect, it } from "vitest";
import { filesNamedIn } from "../../../src/adapters/level/manifest.ts";
import { maskedCrc32c } from "../../../src/adapters/level/masked-crc32c.ts";

/** An entry as a log of LevelDB's has it, in one record. Its numbers are below 128, a byte each. */
function entry(...fields: readonly (readonly number[])[]): Buffer {
  const body = Buffer.from([1, ...fields.flat()]);
  const head = Buffer.alloc(6);
  head.writeUInt32LE(maskedCrc32c(body));
  head.writeUInt16LE(body.length - 1, 4);
  return Buffer.concat([head, body]);
}

const logNumber = (number: number): number[] => [2, number];
const deleted = (level: number, number: number): number[] => [6, level, number];
/** With keys of one byte. */
const added = (level: number, number: number, bytes: number): number[] => {
  return [7, level, number, bytes, 1, 0x61, 1, 0x62];
};

it("names the last log and the tables that are left, also those that were moved to another level", () => {
  const manifest = Buffer.concat([
    entry(logNumber(3), added(0, 5, 100), added(0, 6, 101)),
    entry(logNumber(8), added(0, 9, 102)),
    entry(deleted(0, 5), deleted(0, 6), added(1, 5, 100), added(1, 12, 103)),
  ]);
  expect(filesNamedIn(manifest)).toEqual({
    log: "000008.log",
    tables: new Map([
      ["000009.ldb", 102],
      ["000005.ldb", 100],
      ["000012.ldb", 103],
    ]),
  });
});

it("names nothing where an entry is none that LevelDB reads", () => {
  const whole = entry(logNumber(3), added(0, 5, 100));
  expect(filesNamedIn(Buffer.concat([whole, entry([8, 1])]))).toBe(undefined);
  expect(filesNamedIn(Buffer.concat([whole, entry([7, 0, 5])]))).toBe(undefined);
});
