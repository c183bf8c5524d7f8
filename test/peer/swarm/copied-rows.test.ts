import { describe, expect, it } from "vitest";
import {
  hostAddress,
  jobSpace,
  queueKey,
  ringPosition,
  urlKey,
} from "../../../src/core/record/keys.ts";
import { QueueEntry } from "../../../src/core/record/queue-entry.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { Row } from "../../../src/core/messages/rows.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** A queued URL as two rows: its record, and its entry of the queue, which may be that of another URL's host. */
function rowsOf(
  url: CanonicalUrl,
  queue: CanonicalUrl = url,
): { readonly record: Row; readonly entry: Row } {
  const site = siteOfHost(hostOf(url));
  const key = urlKey("url", ringPosition(site), fingerprintOf(dedupeKey(url)), 0, jobSpace(job));
  const queued = UrlRecord.encode({ ...urlState.fresh, state: urlState.queued });
  const entry = { url, depth: 0, attempts: 0, redirectChain: [], discoveredAtMs: 1 };
  return {
    record: { key, value: queued },
    entry: {
      key: queueKey(
        hostAddress(siteOfHost(hostOf(queue)), hostOf(queue)),
        jobSpace(job),
        5,
        1,
        key,
      ),
      value: QueueEntry.encode(entry),
    },
  };
}

describe("rows from another member, for a site that is held here", () => {
  it("count a URL once whose entry of the queue comes before its record", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [], {});
      await bench.peer(0).changeJob(job, "pause");
      await bench.pass(1_000);
      const url = "http://found.example/elsewhere" as CanonicalUrl;
      const holder = bench.holderOf(url);
      const { record, entry } = rowsOf(url);
      const sender = bench.peer(1 - holder).swarm;
      const send = async (rows: readonly Row[]): Promise<void> => {
        const outcome = await sender?.calls.rows(bench.machine(holder).id, rows, 5_000);
        expect(outcome?.kind).toBe("reply");
      };
      await send([entry]);
      await send([record, entry]);
      expect(bench.peer(holder).job(job).counts.queued).toBe(1);
    });
  });

  it("do not count where they put a URL into the queue of another host", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.pass(1_000);
      const [own] = bench.world.sampleWeb.rootUrls();
      if (own === undefined) throw new Error("a web with a page");
      const holder = bench.holderOf(own);
      const { entry } = rowsOf(
        "http://found.example/elsewhere" as CanonicalUrl,
        own as CanonicalUrl,
      );
      const outcome = await bench
        .peer(1 - holder)
        .swarm?.calls.rows(bench.machine(holder).id, [entry], 5_000);
      expect(outcome?.kind).toBe("reply");
      await bench.finished(0);
      expect(bench.peer(holder).job(job).counts.queued).toBe(0);
    });
  });
});
