import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QueueEntry } from "../../../src/core/record/queue-entry.ts";
import { QueueRow } from "../../../src/core/record/record.pb.ts";

const url = "https://www.site.example/articles/2026/spiders.html";
const bare = { url, depth: 3, attempts: 1, redirectChain: [], discoveredAtMs: 1_790_000_000_000 };

const text = fc.string({ unit: "binary", maxLength: 12 });
const count = fc.nat();

/** Texts of few characters share much. */
const alike = fc.string({
  unit: fc.constantFrom("a", "/", "\u{1f577}", "\u{1f578}"),
  maxLength: 8,
});
const entries = fc.record(
  {
    url: fc.oneof(text, alike),
    depth: count,
    attempts: count,
    redirectChain: fc.array(text, { maxLength: 3 }),
    discoveredAtMs: count,
    via: fc.oneof(text, alike),
  },
  { requiredKeys: ["url", "depth", "attempts", "redirectChain", "discoveredAtMs"] },
);

describe("a queue entry's row", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(QueueEntry.decode(QueueEntry.encode(entry))).toEqual(entry);
      }),
    );
  });

  it("leaves out what the page shares with the URL", () => {
    const via = "https://www.site.example/articles/2026/index.html";
    const row = QueueEntry.encode({ ...bare, via });
    const alone = QueueEntry.encode(bare);
    expect(row.length - alone.length).toBe("index.html".length + 4);
    expect(QueueEntry.decode(row)).toEqual({ ...bare, via });
  });

  it("of an earlier layout, with the whole page, is read too", () => {
    const via = "https://other.example/";
    const row = QueueRow.encode({ ...bare, via, viaShared: 0 });
    expect(QueueEntry.decode(row)).toEqual({ ...bare, via });
  });

  it("that shares more than there is is none", () => {
    const row = QueueRow.encode({ ...bare, viaShared: url.length + 1, viaRest: "" });
    expect(() => QueueEntry.decode(row)).toThrow(RangeError);
  });
});
