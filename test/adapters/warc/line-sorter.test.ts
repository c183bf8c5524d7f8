import { mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LineSorter } from "../../../src/adapters/warc/line-sorter.ts";
import { textLines } from "../../../src/adapters/warc/text-lines.ts";
import { seeded } from "../../support/seeded.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "orbweaver-lines-"));
});

afterEach(() => rm(directory, { recursive: true }));

/** Lines of unequal length, some of them several times. */
function someLines(count: number): string[] {
  const random = seeded(count);
  return Array.from(
    { length: count },
    () => `${Math.floor(random() * count)} ${"x".repeat(Math.floor(random() ** 8 * 2_000))}\n`,
  );
}

async function sortedBy(sorter: LineSorter): Promise<{ lines: string[]; most: number }> {
  const lines: string[] = [];
  let most = 0;
  for await (const batch of sorter.sorted()) {
    lines.push(...batch);
    most = Math.max(most, batch.length);
  }
  return { lines, most };
}

describe("lines are sorted", () => {
  test.each([0, 1, 4_096, 4_097, 20_000])("%i of them", async (count) => {
    const lines = someLines(count);
    await using sorter = new LineSorter(join(directory, "runs"));
    for (let at = 0; at < count; at += 1_000) await sorter.add(lines.slice(at, at + 1_000));
    expect(sorter.lines).toBe(count);
    const sorted = await sortedBy(sorter);
    expect(sorted.lines).toEqual(lines.toSorted());
    expect(sorted.most).toBeLessThanOrEqual(4_096);
  });

  test("with lines that are longer than what is read at a time", async () => {
    const lines = someLines(6_000);
    lines[10] = `5 ${"y".repeat(300_000)}\n`;
    lines[5_000] = `5 ${"z".repeat(200_000)}\n`;
    await using sorter = new LineSorter(join(directory, "runs"));
    await sorter.add(lines);
    expect((await sortedBy(sorter)).lines).toEqual(lines.toSorted());
  });

  test("and leave a file only meanwhile, and only where they are many", async () => {
    const sorter = new LineSorter(join(directory, "runs"));
    await sorter.add(someLines(4_096));
    expect(await readdir(directory)).toEqual([]);
    await sorter.add(someLines(1));
    expect(await readdir(directory)).toEqual(["runs"]);
    await sorter.dispose();
    await sorter.dispose();
    expect(await readdir(directory)).toEqual([]);
  });
});

describe("lines of a file", () => {
  async function linesOf(text: string, start = 0, end = text.length, readAhead = 8) {
    const path = join(directory, "text");
    await writeFile(path, text, "latin1");
    const file = await open(path);
    try {
      const lines: string[] = [];
      for await (const some of textLines(file, start, end, readAhead)) lines.push(...some);
      return lines;
    } finally {
      await file.close();
    }
  }

  test("are whole, whatever is read at a time", async () => {
    const text = "one\n\nthree is longer than eight\nfour\r\u00e9\n";
    const lines = text.match(/[^\n]*\n/g);
    for (const readAhead of [1, 2, 8, 16, 64]) {
      expect(await linesOf(text, 0, text.length, readAhead)).toEqual(lines);
    }
  });

  test("end before a torn one, and where they shall", async () => {
    expect(await linesOf("one\ntwo")).toEqual(["one\n"]);
    expect(await linesOf("torn")).toEqual([]);
    expect(await linesOf("one\ntwo\nthree\n", 4, 8)).toEqual(["two\n"]);
    expect(await linesOf("one\n", 0, 100)).toEqual(["one\n"]);
  });

  test("end before one beyond all measure", async () => {
    const text = `one\n${"x".repeat(3_000_000)}\nthree\n`;
    expect(await linesOf(text)).toEqual(["one\n"]);
  });
});
