import fc from "fast-check";
import { MalformedMessage } from "../../../src/core/protobuf/malformed-message.ts";
import { describe, expect, it } from "vitest";
import {
  bundleUrlsMax,
  isQueued,
  QueueBundle,
  queuedIn,
} from "../../../src/core/record/queue-bundle.ts";
import { QueueRow } from "../../../src/core/record/record.pb.ts";

const url = "https://www.site.example/articles/2026/spiders.html";
const found = { depth: 3, attempts: 1, redirectChain: [], discoveredAtMs: 1_790_000_000_000 };
const bare = { ...found, unseen: 0, urls: [url], taken: 0 };

const text = fc.string({ unit: "binary", maxLength: 12 });
const count = fc.nat();

/** Texts of few characters share much. */
const alike = fc.string({
  unit: fc.constantFrom("a", "/", "\u{1f577}", "\u{1f578}"),
  maxLength: 8,
});
const line = fc.oneof(text, alike).map((one) => one.replaceAll("\n", ""));
const urls = fc.array(line, { minLength: 1, maxLength: bundleUrlsMax });
const bundles = fc
  .record(
    {
      urls,
      taken: fc.nat(0xffff_ffff),
      depth: count,
      attempts: count,
      redirectChain: fc.array(text, { maxLength: 3 }),
      discoveredAtMs: count,
      via: fc.oneof(text, alike),
    },
    { requiredKeys: ["urls", "taken", "depth", "attempts", "redirectChain", "discoveredAtMs"] },
  )
  .chain((bundle) => {
    const unseenMax = bundle.urls.length > 1 ? 0 : bundle.attempts;
    return fc.nat(unseenMax).map((unseen) => ({ ...bundle, unseen }));
  });

describe("a row of a queue", () => {
  it("is read as it was written, that of one URL without marks", () => {
    fc.assert(
      fc.property(bundles, (bundle) => {
        const taken = bundle.urls.length > 1 ? bundle.taken : 0;
        expect(QueueBundle.decode(QueueBundle.encode(bundle))).toEqual({ ...bundle, taken });
      }),
    );
  });

  it("is written with other marks as it would be anew", () => {
    fc.assert(
      fc.property(bundles, fc.nat(0xffff_ffff), (bundle, taken) => {
        fc.pre(bundle.urls.length > 1);
        const marked = QueueBundle.mark(QueueBundle.encode(bundle), taken);
        expect(marked).toEqual(QueueBundle.encode({ ...bundle, taken }));
      }),
    );
  });

  it("counts what has no mark", () => {
    const three = { ...bare, urls: ["a", "b", "c"], taken: 0b101 };
    expect([0, 1, 2].map((place) => isQueued(three, place))).toEqual([false, true, false]);
    expect(queuedIn(three)).toBe(1);
    const full = { ...bare, urls: Array<string>(bundleUrlsMax).fill("a"), taken: 0xffff_ffff };
    expect(queuedIn(full)).toBe(0);
    expect(queuedIn({ ...full, taken: 0x7fff_ffff })).toBe(1);
  });

  it("leaves out what the page shares with the URL", () => {
    const via = "https://www.site.example/articles/2026/index.html";
    const row = QueueBundle.encode({ ...bare, via });
    const alone = QueueBundle.encode(bare);
    expect(row.length - alone.length).toBe("index.html".length + 4);
    expect(QueueBundle.decode(row)).toEqual({ ...bare, via });
  });

  it("leaves out what its URLs share", () => {
    const others = ["ants.html", "bees/"].map((rest) => url.replace("spiders.html", rest));
    const row = QueueBundle.encode({ ...bare, urls: [url, ...others] });
    const alone = QueueBundle.encode(bare);
    expect(row.length - alone.length).toBe("ants.html\nbees/".length + 4 + 5);
  });

  it("of an earlier layout, of one URL and with the whole page, is read too", () => {
    const via = "https://other.example/";
    const row = QueueRow.encode({ ...found, url, via, viaShared: 0 });
    expect(QueueBundle.decode(row)).toEqual({ ...bare, via });
  });

  it.each([
    ["shares more with its page than there is", { viaShared: url.length + 1, viaRest: "" }],
    ["has URLs that share more than there is", { urlShared: url.length + 1, urlRests: "a" }],
    ["has too many URLs", { urlRests: "a\n".repeat(bundleUrlsMax) }],
    ["has a URL of two lines beside another", { url: "a\nb", urlRests: "c" }],
    ["has fewer attempts than no server saw", { unseen: found.attempts + 1 }],
  ])("that %s is none", (_, row) => {
    const value = QueueRow.encode({ ...found, url, ...row });
    expect(() => QueueBundle.decode(value)).toThrow(MalformedMessage);
  });

  it("of one URL has no place for marks", () => {
    expect(() => QueueBundle.mark(QueueBundle.encode(bare), 1)).toThrow("ends with their marks");
  });
});
