import { decodeForward, encodeForward } from "../../../../src/core/messages/forward.ts";
import { decodeRows, encodeRows, type Rows } from "../../../../src/core/messages/rows.ts";
import { UrlRecord, type OutboxEntry } from "../../../../src/core/record/record.pb.ts";
import type { Load, MicroBenchmark } from "../micro-benchmark.ts";
import { sampleUrls } from "../sample-pages.ts";
import { sampleUrlKey, sampleUrlRecord } from "../sample-rows.ts";

const forwardUrls = 200;
const rowCount = 1_000;
/** Messages of one pass. */
const forwards = 20;
const rowMessages = 4;

/** URLs as ten pages bring them. */
function entries(): OutboxEntry[] {
  return sampleUrls(forwardUrls).map((url, n) => ({
    url,
    depth: 3,
    via: `https://www.elsewhere.example/lists/${Math.floor(n / 20)}.html`,
    redirectChain: [],
    job: "bench",
  }));
}

function rows(): Rows {
  return {
    generation: 7,
    nowMs: Date.UTC(2026, 2, 1),
    rows: sampleUrls(rowCount).map((url, n) => ({
      key: sampleUrlKey(url, n),
      value: UrlRecord.encode(sampleUrlRecord(url, n)),
    })),
  };
}

function loadOf(operations: number, run: () => unknown): Load {
  return {
    operations,
    pass: () => {
      let last: unknown;
      for (let i = 0; i < operations; i += 1) last = run();
      if (last === undefined) throw new Error("a message was refused");
      return last;
    },
  };
}

const operation = "message";

export const benchmarks: readonly MicroBenchmark[] = [
  {
    name: "message/forward-encode",
    operation,
    start: () => {
      const value = entries();
      return loadOf(forwards, () => encodeForward(value));
    },
  },
  {
    name: "message/forward-decode",
    operation,
    start: () => {
      const payload = encodeForward(entries());
      return loadOf(forwards, () => decodeForward(payload));
    },
  },
  {
    name: "message/rows-encode",
    operation,
    start: () => {
      const value = rows();
      return loadOf(rowMessages, () => encodeRows(value));
    },
  },
  {
    name: "message/rows-decode",
    operation,
    start: () => {
      const payload = encodeRows(rows());
      return loadOf(rowMessages, () => decodeRows(payload));
    },
  },
];
