import { describe, expect, it } from "vitest";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { bundleUrlsMax } from "../../../src/core/record/queue-bundle.ts";
import { queuePages, type QueuePage } from "../../../src/peer/frontier/queue-pages.ts";
import type { KeyRange, StoreEntry } from "../../../src/ports/store.ts";

const range = { gte: Uint8Array.of(0), lt: Uint8Array.of(2) };

/** Lengths of the pages of a queue of so many rows, for somebody who takes them all; they are in order, and all there. */
async function pagesOf(count: number, urlsWanted: number): Promise<number[]> {
  const rows: StoreEntry[] = Array.from({ length: count }, (_, number) => ({
    key: Uint8Array.of(1, number >> 8, number & 255),
    value: new Uint8Array(0),
  }));
  const store = {
    range: ({ gte }: KeyRange, limit: number) =>
      Promise.resolve(rows.filter(({ key }) => compareKeys(key, gte) >= 0).slice(0, limit)),
  };
  const pages: QueuePage[] = [];
  for await (const page of queuePages(store, range, urlsWanted)) pages.push(page);
  expect(pages.flatMap((page) => page.rows)).toEqual(rows);
  expect(pages.map(({ isLast }) => isLast)).toEqual(pages.map((_, at) => at === pages.length - 1));
  return pages.map((page) => page.rows.length);
}

describe("the pages of a queue", () => {
  it("are one where there are few rows", async () => {
    expect(await pagesOf(0, 4)).toEqual([0]);
    expect(await pagesOf(4, 4)).toEqual([4]);
  });

  it("begin with what full rows would have, and grow where rows are not full", async () => {
    expect(await pagesOf(40, 4)).toEqual([5, 10, 20, 5]);
    const [first = 0] = await pagesOf(100, 1_024);
    expect(first * bundleUrlsMax).toBeGreaterThan(1_024);
    expect(first).toBeLessThan(40);
  });

  it("say that there may be more where the last one is full", async () => {
    expect(await pagesOf(15, 4)).toEqual([5, 10, 0]);
  });
});
