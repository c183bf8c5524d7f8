import fc from "fast-check";
import {
  ExclusionRecord,
  HostRecord,
  OutboxEntry,
  RobotsRecord,
  UrlRecord,
} from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { MergedTag } from "../../../src/core/replication/merge-row.ts";

/** Few values, so that rows often agree in a part. */
const small = fc.integer({ min: 0, max: 3 });
const text = fc.constantFrom("a", "b", "c");
const chain = fc.array(text, { maxLength: 2 });
const moment = fc.constantFrom(0, 1_000, 2_000, 3_000.5);

const url = fc
  .record(
    {
      state: fc.constantFrom(urlState.queued, urlState.done),
      attempts: small,
      depth: small,
      fetchedAtMs: small,
      httpStatus: fc.constantFrom(0, 200, 404),
      failure: text,
      excluded: fc.oneof(text, fc.constantFrom("host-limit", "query-explosion")),
      url: text,
      capturedBy: text,
    },
    { requiredKeys: ["state"] },
  )
  .map((record) => UrlRecord.encode(record));

const exclusion = fc
  .record({ url: text, reason: text })
  .map((record) => ExclusionRecord.encode(record));

const outbox = fc
  .record(
    { url: text, depth: small, redirectChain: chain, job: text, via: text, excluded: text },
    { requiredKeys: ["url", "job"] },
  )
  .map((entry) => OutboxEntry.encode(entry));

const host = fc
  .record(
    {
      host: text,
      nextFetchAtMs: moment,
      failuresInRow: small,
      jobs: fc.array(fc.record({ space: small, admitted: small }), { maxLength: 4 }),
      breakerBuckets: fc.array(
        fc.record({ startAtMs: fc.integer({ min: 0, max: 15 }), total: small, failed: small }),
        { maxLength: 16 },
      ),
      haltedUntilMs: moment,
      crawlDelayMs: moment,
      learnedDelayMs: moment,
      politeUntilMs: moment,
      backoffUntilMs: moment,
      breakerUntilMs: moment,
    },
    { requiredKeys: ["host"] },
  )
  .map((record) => HostRecord.encode(record));

const robots = fc
  .record({
    origin: text,
    verdict: fc.constantFrom("rules", "allow-all", "disallow-all"),
    body: text,
    fetchedAtMs: moment,
    expiresAtMs: moment,
    httpStatus: fc.constantFrom(0, 200),
    failuresInRow: small,
  })
  .map((record) => RobotsRecord.encode(record));

const waiting = text.map((name) => new TextEncoder().encode(name));

/** Values of each tag, as a peer writes them. */
export const arbitraryValues: Readonly<Record<MergedTag, fc.Arbitrary<Uint8Array>>> = {
  url,
  exclusion,
  outbox,
  host,
  robots,
  waiting,
};
