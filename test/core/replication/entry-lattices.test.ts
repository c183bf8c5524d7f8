import { describe, expect, it } from "vitest";
import { bundleUrlsMax, QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import { OutboxEntry, RobotsRecord } from "../../../src/core/record/record.pb.ts";
import { readBundle, redirectChainMax } from "../../../src/core/replication/entry-lattices.ts";
import { mergeRow } from "../../../src/core/replication/merge-row.ts";

const discovery = { depth: 1, attempts: 2, unseen: 0, redirectChain: [], discoveredAtMs: 5 };

const bundleOf = (more: Partial<QueueBundle>): Uint8Array =>
  QueueBundle.encode({ ...discovery, urls: ["http://a.test/"], taken: 0, ...more });

const robotsOf = (more: Partial<RobotsRecord>): Uint8Array =>
  RobotsRecord.encode({ origin: "o", verdict: "rules", fetchedAtMs: 5, expiresAtMs: 9, ...more });

describe("a row of a queue", () => {
  it("is read as it was written, with as many URLs and redirects as any that a peer writes", () => {
    const urls = Array.from({ length: bundleUrlsMax }, (_, n) => `http://a.test/${n}`);
    const redirectChain = urls.slice(0, redirectChainMax);
    const read = readBundle(bundleOf({ urls, redirectChain }));
    expect(read).toEqual({ ...discovery, urls, redirectChain, taken: 0 });
  });

  it.each([
    ["an empty URL", { urls: ["http://a.test/", ""] }],
    ["more attempts than can have been", { attempts: 65_536 }],
    ["longer redirects", { redirectChain: Array<string>(redirectChainMax + 1).fill("u") }],
  ])("is none with %s", (_, more) => {
    expect(readBundle(bundleOf(more))).toBeUndefined();
  });

  it("is none that was found at a moment which no number tells exactly", () => {
    // The field again, with the greatest value.
    const never = [6 << 3, ...Array<number>(9).fill(255), 1];
    expect(readBundle(Uint8Array.of(...bundleOf({}), ...never))).toBeUndefined();
  });
});

describe("a row from elsewhere", () => {
  it.each([
    ["outbox", "no URL", OutboxEntry.encode({ url: "", job: "j" })],
    ["outbox", "no job", OutboxEntry.encode({ url: "u", job: "" })],
    ["waiting", "a name longer than any", new Uint8Array(256)],
    ["robots", "a fetch that was never", robotsOf({ fetchedAtMs: NaN })],
    ["robots", "an end that never comes", robotsOf({ expiresAtMs: Infinity })],
    ["robots", "an unknown verdict", robotsOf({ verdict: "perhaps" })],
  ] as const)("of the %s is none with %s", (tag, _, value) => {
    expect(mergeRow(tag, undefined, value)).toBeUndefined();
  });
});
