import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gzipMembers } from "../../../src/adapters/warc/gzip-members.ts";
import { completeIndex } from "../../../src/adapters/warc/index-file.ts";
import { LineSorter } from "../../../src/adapters/warc/line-sorter.ts";
import { cdxjLine } from "../../../src/core/archive/cdxj.ts";
import { ArchiveDirectories } from "./archive-directories.ts";

const contentBytesMax = 1_000_000;

let world: ArchiveDirectories;
let path: string;

beforeEach(async () => {
  world = new ArchiveDirectories();
  path = join(await world.directory(), "file.gz");
});

afterEach(() => world.dispose());

/** Contents of the members that are good, up to the first that is not. */
async function contentsOf(bytesMax = contentBytesMax, ...members: Uint8Array[]): Promise<string[]> {
  const bytes = Buffer.concat(members);
  await writeFile(path, bytes);
  const found: string[] = [];
  for await (const { content } of gzipMembers(path, 0, bytes.length, bytesMax)) {
    found.push(Buffer.from(content).toString("latin1"));
  }
  return found;
}

function spoilt(member: Buffer, at: number): Buffer {
  const bytes = Buffer.from(member);
  bytes.writeUInt8(bytes.readUInt8(bytes.length + at) ^ 1, bytes.length + at);
  return bytes;
}

describe("the members of a file", () => {
  const [a, b] = [gzipSync("a"), gzipSync("b")];

  it("end before the first whose checksum, length or end is wrong", async () => {
    expect(await contentsOf(contentBytesMax, a, b)).toEqual(["a", "b"]);
    for (const at of [-8, -4]) {
      expect(await contentsOf(contentBytesMax, a, spoilt(b, at), a)).toEqual(["a"]);
    }
    expect(await contentsOf(contentBytesMax, a, b.subarray(0, -1))).toEqual(["a"]);
  });

  it("are read whatever their length, up to the bound of what they unpack to", async () => {
    const long = randomBytes(700_000);
    const longOnes = [gzipSync(long), b];
    expect(await contentsOf(700_000, ...longOnes)).toEqual([long.toString("latin1"), "b"]);
    expect(await contentsOf(699_999, ...longOnes)).toEqual([]);
  });
});

describe("a member of blocks that are empty", () => {
  it("is not read on for more than twice the bound", async () => {
    const head = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);
    const last = Buffer.of(1, 1, 0, 0xfe, 0xff, 0x61);
    const foot = gzipSync("a").subarray(-8);
    const member = (blocks: number): Buffer => {
      const empty = Buffer.alloc(5 * blocks, Buffer.of(0, 0, 0, 0xff, 0xff));
      return Buffer.concat([head, empty, last, foot]);
    };
    expect(await contentsOf(100_000, member(10_000))).toEqual(["a"]);
    expect(await contentsOf(100_000, member(100_000))).toEqual([]);
  });
});

describe("the lines of an index that was appended", () => {
  it("count as far as each speaks of what follows the one before, within the file", async () => {
    const file = "orbweaver-20260101000000-peer-00001.warc.gz";
    const openIndex = `${path}.open`;
    const bytes = 1_000;
    await writeFile(path, Buffer.alloc(bytes));
    const index = { url: "http://e.org/", fetchedAtMs: 0, status: 200, mime: "text/html" };
    const line = (offset: number, length: number): string =>
      cdxjLine({ ...index, payloadDigest: "", recordId: "" }, { file, offset, length });
    for (const [last, end] of [
      [line(400, 600), 1_000],
      [line(400, 601), 400],
      [line(399, 1), 400],
    ] as const) {
      await writeFile(openIndex, line(0, 400) + last);
      await using sorter = new LineSorter(`${path}.runs`);
      const onIndexed = (): void => undefined;
      const recordBytesMax = contentBytesMax;
      const request = { warc: path, openIndex, file, bytes, recordBytesMax, onIndexed };
      expect(await completeIndex(request, sorter)).toBe(end);
      expect(sorter.lines).toBe(end === 1_000 ? 2 : 1);
    }
  });
});
