import { describe, expect, it } from "vitest";
import type { VirtualMachine } from "../../../sim/world/virtual-machine.ts";
import { after, tagRange } from "../../../src/core/record/key-ranges.ts";
import { hostAddress, ringPosition } from "../../../src/core/record/host-keys.ts";
import { jobSpace, retag, urlKey } from "../../../src/core/record/url-keys.ts";
import { queueKey } from "../../../src/core/record/queue-keys.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import { ExclusionRecord, UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { Row } from "../../../src/core/messages/rows.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** No page leads to it. */
const found = "http://found.example/elsewhere" as CanonicalUrl;

/** A queued URL as two rows: its record, and its row of the queue, which may be that of another URL's host. */
function rowsOf(
  url: CanonicalUrl,
  queue: CanonicalUrl = url,
): { readonly record: Row; readonly entry: Row } {
  const site = siteOfHost(hostOf(url));
  const key = urlKey("url", ringPosition(site), fingerprintOf(dedupeKey(url)), 0, jobSpace(job));
  const queued = UrlRecord.encode({ ...urlState.fresh, state: urlState.queued });
  return {
    record: { key, value: queued },
    entry: {
      key: queueKey(hostAddress(siteOfHost(hostOf(queue)), hostOf(queue)), jobSpace(job), 5, 1, [
        key,
      ]),
      value: bundleOf([url]),
    },
  };
}

function bundleOf(urls: readonly string[], taken = 0): Uint8Array<ArrayBuffer> {
  const discovery = { depth: 0, attempts: 0, unseen: 0, redirectChain: [], discoveredAtMs: 1 };
  return QueueBundle.encode({ ...discovery, urls, taken });
}

/** Its record, fetched. */
function doneOf(url: CanonicalUrl): Row {
  const ended = { state: urlState.done, url, httpStatus: 200, fetchedAtMs: 5, attempts: 1 };
  return { ...rowsOf(url).record, value: UrlRecord.encode({ ...urlState.fresh, ...ended }) };
}

describe("rows from another member, for a site that is held here", () => {
  /** Has a member that holds the URL's site take in rows of the other one, in turn, while the job is paused. */
  async function sendInTurn(
    bench: SwarmBench,
    url: CanonicalUrl,
    ...messages: readonly (readonly Row[])[]
  ): Promise<VirtualMachine<Peer>> {
    await bench.begin();
    await bench.peer(0).inject(job, [], {});
    await bench.peer(0).changeJob(job, "pause");
    await bench.pass(1_000);
    const holder = bench.holderOf(url);
    for (const rows of messages) {
      const sender = bench.peer(1 - holder).swarm;
      const outcome = await sender?.calls.rows(bench.machine(holder).id, rows);
      expect(outcome?.kind).toBe("reply");
    }
    return bench.machine(holder);
  }

  it("count a URL once whose row of the queue comes twice, and before its record", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { record, entry } = rowsOf(found);
      const { peer } = await sendInTurn(bench, found, [entry, entry], [record, entry]);
      expect(peer.job(job).counts.queued).toBe(1);
    });
  });

  it("do not count as queued where the URL's record is further", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { entry } = rowsOf(found);
      const { peer } = await sendInTurn(bench, found, [doneOf(found)], [entry]);
      expect(peer.job(job).counts.queued).toBe(0);
    });
  });

  it("count the URLs of a row that are queued still, without those that are marked or whose record is further", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const [marked, known] = ["/marked", "/known"].map(
        (path) => new URL(path, found).href as CanonicalUrl,
      );
      if (marked === undefined || known === undefined) throw new Error("two URLs");
      const { entry } = rowsOf(found);
      const row = { ...entry, value: bundleOf([marked, known, found], 1) };
      const { peer, disk } = await sendInTurn(bench, found, [doneOf(known)], [row]);
      expect(peer.job(job).counts.queued).toBe(1);
      const rows = disk.entries(tagRange("queue")).map(({ value }) => QueueBundle.decode(value));
      expect(rows).toMatchObject([{ urls: [marked, known, found], taken: 0b011 }]);
    });
  });

  it("of a queue make its URLs known, whose records may never come", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { entry, record } = rowsOf(found);
      const { disk, peer } = await sendInTurn(bench, found, [entry]);
      expect(disk.entries({ gte: record.key, lt: after(record.key) })).toEqual([record]);
      await peer.inject(job, [found], {});
      expect(peer.job(job).counts.queued).toBe(1);
    });
  });

  it("of a queue change nothing of what is here", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { entry } = rowsOf(found);
      const other = new URL("/other", found).href;
      const row = { ...entry, value: bundleOf([found, other]) };
      const marked = { ...entry, value: bundleOf([found, other], 1) };
      const { peer, disk } = await sendInTurn(bench, found, [row], [marked]);
      expect(peer.job(job).counts.queued).toBe(2);
      expect(disk.entries(tagRange("queue"))).toMatchObject([{ value: row.value }]);
    });
  });

  it("that keep a URL out which has a record are deleted, also where they came from", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { record } = rowsOf(found);
      const value = ExclusionRecord.encode({ url: found, reason: "scope" });
      const exclusion = { key: retag(record.key, "exclusion"), value };
      const holder = await sendInTurn(bench, found, [record]);
      const copy = bench.machine(1 - holder.index);
      await holder.peer.swarm?.calls.rows(copy.id, [exclusion]);
      expect(copy.disk.has(exclusion.key)).toBe(true);
      await copy.peer.swarm?.calls.rows(holder.id, [exclusion]);
      await bench.pass(1_000);
      expect([holder, copy].filter(({ disk }) => disk.has(exclusion.key))).toEqual([]);
    });
  });

  it("are not deleted on the other member's word", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      const { record, entry } = rowsOf(found);
      const keys = [record.key, entry.key];
      const deletions = keys.map((key) => ({ key }));
      const { disk, peer } = await sendInTurn(bench, found, [record, entry], deletions);
      expect(keys.filter((key) => disk.has(key))).toEqual(keys);
      expect(peer.job(job).counts.queued).toBe(1);
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
      const { entry } = rowsOf(found, own as CanonicalUrl);
      const outcome = await bench
        .peer(1 - holder)
        .swarm?.calls.rows(bench.machine(holder).id, [entry]);
      expect(outcome?.kind).toBe("reply");
      await bench.finished(0);
      expect(bench.peer(holder).job(job).counts.queued).toBe(0);
    });
  });
});

describe("rows of a copy, when its holder is gone", () => {
  it("count what is queued still of a row from which some URLs have gone", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [], {});
      await bench.peer(0).changeJob(job, "pause");
      await bench.pass(1_000);
      const holder = bench.machine(bench.holderOf(found));
      const copy = bench.machine(1 - holder.index);
      const [known, marked] = ["/known", "/marked"].map(
        (path) => new URL(path, found).href as CanonicalUrl,
      );
      if (marked === undefined || known === undefined) throw new Error("two URLs");
      const { entry } = rowsOf(found);
      const row = { ...entry, value: bundleOf([known, found, marked], 0b100) };
      await holder.peer.swarm?.calls.rows(copy.id, [row, doneOf(known)]);
      holder.powerFailure();
      await bench.pass(20_000);
      await bench.settled();
      expect(copy.peer.job(job).counts.queued).toBe(1);
      const rows = copy.disk.entries(tagRange("queue"));
      expect(rows.map(({ value }) => QueueBundle.decode(value))).toMatchObject([{ taken: 0b101 }]);
      await copy.peer.inject(job, [found], {});
      expect(copy.peer.job(job).counts.queued).toBe(1);
      const { record } = rowsOf(found);
      expect(copy.disk.entries({ gte: record.key, lt: after(record.key) })).toEqual([record]);
    });
  });

  it.each([
    ["a URL of another host", "http://other.example/"],
    ["what is no URL", "nowhere"],
  ])("do not count where they put %s into the queue of a host", async (_, url) => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [], {});
      await bench.pass(1_000);
      const holder = bench.machine(bench.holderOf(found));
      const copy = bench.machine(1 - holder.index);
      const row = { key: rowsOf(found).entry.key, value: bundleOf([url]) };
      await holder.peer.swarm?.calls.rows(copy.id, [row]);
      expect(copy.disk.has(row.key)).toBe(true);
      holder.powerFailure();
      await bench.pass(20_000);
      await bench.settled();
      expect(bench.world.failures).toEqual([]);
      expect(copy.peer.job(job).counts.queued).toBe(0);
      expect(copy.disk.has(row.key)).toBe(false);
    });
  });
});
