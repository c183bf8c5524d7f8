import { describe, expect, it } from "vitest";
import { idOf } from "../../../src/core/record/id-of.ts";
import { exclusionSpace } from "../../../src/core/record/url-keys.ts";
import { readOutboxKey } from "../../../src/core/record/outbox-key.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { OutboxEntry, UrlRecord } from "../../../src/core/record/record.pb.ts";
import { queuedRecord, urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { AdmissionBench, linksTo, none } from "./admission-bench.ts";

const newValue = Uint8Array.of(1);
const privateUrl = "http://10.0.0.1/";

describe("a request to admission", () => {
  it("passes over a URL of which a row came in while it was looked up", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const url = "http://a.example/";
      const admitted = bench.admission.admit(bench.seeds(url, "http://b.example/"));
      bench.merged.add(idOf(bench.rowKey(url)));
      const { added, durable } = await admitted;
      await durable;
      expect(added).toEqual([1]);
      expect(bench.disk.has(bench.rowKey(url))).toBe(false);
      expect(bench.job.counter.queued).toBe(1);
    });
  });

  it("lets nobody remember the rows that come in when nothing is looked up", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const { durable } = await bench.admission.admit(bench.seeds("http://a.example/"));
      await durable;
      const key = bench.rowKey("http://b.example/");
      bench.merged.add(idOf(key));
      expect(bench.merged.has(key)).toBe(false);
    });
  });

  it("is known to the next start, whose sieve has the keys of its URLs", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const [letIn, keptOut, other] = ["a", "b", "c"].map((path) => `http://a.example/${path}`);
      if (!letIn || !keptOut || !other) throw new Error("there are three");
      const excluded = [{ reason: "scope" as const, links: linksTo(keptOut) }];
      const page = { ...bench.seeds(letIn), excluded };
      // Else it would read the rows themselves.
      do await bench.journal.append(bench.sieve.snapshotPart());
      while (bench.sieve.snapshotDue);
      const { durable } = await bench.admission.admit(page);
      await durable;
      const { sieve } = await bench.restarted();
      const has = (space: number, url: string): boolean =>
        sieve.mayHave(space, linksTo(url).fingerprints, 0);
      const { space } = bench.job;
      expect([letIn, keptOut, other].map((url) => has(space, url))).toEqual([true, false, false]);
      expect(has(exclusionSpace(space), keptOut)).toBe(true);
    });
  });

  it("does not wait for a commit behind one that brought nothing new", async () => {
    const bench = new AdmissionBench({ sieve: { unsettledOffersMax: 1 } });
    await bench.run(async () => {
      const [url, next] = ["http://a.example/", "http://b.example/"];
      const { durable } = await bench.admission.admit(bench.seeds(url));
      await durable;
      await bench.admission.admit(bench.seeds(url));
      expect(await bench.admission.admit(bench.seeds(next))).toMatchObject({ added: [0] });
    });
  });

  it("takes no URL for new twice while the sieve is offered many keys of other members before its row is durable", async () => {
    const bench = new AdmissionBench({ sieve: { cacheCapacity: 8, unsettledOffersMax: 8 } });
    await bench.run(async () => {
      const url = "http://a.example/";
      const { durable } = await bench.admission.admit(bench.seeds(url));
      const { space } = bench.job;
      for (let n = 0; n < 32; n += 1) {
        bench.sieve.sieve.offer(space, linksTo(`http://b.example/${n}`).fingerprints, 0);
      }
      expect(await bench.admission.admit(bench.seeds(url))).toMatchObject({ added: [] });
      await durable;
    });
  });

  it.each([
    [true, [0], ""],
    [false, [], "address-forbidden"],
  ])("may lead to an address that is private: %s", async (allowPrivate, expected, reason) => {
    const bench = new AdmissionBench({ allowPrivate });
    await bench.run(async () => {
      const { added, durable } = await bench.admission.admit(bench.seeds(privateUrl));
      await durable;
      expect(added).toEqual(expected);
      const record = UrlRecord.decode(bench.disk.get(bench.rowKey(privateUrl)) ?? new Uint8Array());
      expect(record.excluded ?? "").toBe(reason);
    });
  });

  it.each([
    ["writes wait for a commit", { pendingOpsMax: 1 }],
    ["links are offered whose rows are not durable", { sieve: { unsettledOffersMax: 1 } }],
  ])("waits while as many %s as may", async (_, options) => {
    const bench = new AdmissionBench(options);
    await bench.run(async () => {
      const order: string[] = [];
      const first = await bench.admission.admit(bench.seeds("http://a.example/"));
      const second = bench.admission.admit(bench.seeds("http://b.example/"));
      await Promise.all([
        first.durable.then(() => order.push("the first is durable")),
        second.then(() => order.push("the second is in the journal")),
      ]);
      expect(order).toEqual(["the first is durable", "the second is in the journal"]);
    });
  });

  it.each([
    ["host-limit", { pagesPerHostMax: 2 }],
    ["query-explosion", { queriesPerPathMax: 2 }],
  ])("lets no more in than the job's limit allows: %s", async (reason, job) => {
    const bench = new AdmissionBench({ job });
    await bench.run(async () => {
      const urls = [1, 2, 3].map((number) => `http://a.example/?${number}`);
      const { added, durable } = await bench.admission.admit({
        ...bench.seeds(...urls),
        depth: 3,
      });
      await durable;
      expect(added).toEqual([0, 1]);
      const reasons = urls.map((url) => {
        const record = bench.disk.get(bench.rowKey(url));
        return record && (UrlRecord.decode(record).excluded ?? "queued");
      });
      expect(reasons).toEqual(["queued", "queued", reason]);
      const last = bench.disk.get(bench.rowKey("http://a.example/?3")) ?? new Uint8Array();
      expect(UrlRecord.decode(last).depth).toBe(3);
      expect(bench.job.counter.queued).toBe(2);
      expect(bench.job.counter.counts().skipped).toEqual({ [reason]: 1 });
    });
  });

  it.each([{ pagesPerHostMax: 1 }, { queriesPerPathMax: 1 }])(
    "keeps no seed out that somebody has named, nor where it redirects: %j",
    async (job) => {
      const bench = new AdmissionBench({ job });
      await bench.run(async () => {
        const urls = [1, 2, 3].map((number) => `http://a.example/?${number}`);
        const seeds = bench.seeds(...urls);
        expect((await bench.admission.admit(seeds)).added).toEqual([0, 1, 2]);
        const links = linksTo("http://a.example/?4");
        const target = { ...seeds, links, redirectChain: ["http://a.example/"] };
        expect((await bench.admission.admit(target)).added).toEqual([0]);
      });
    },
  );

  it.each([
    ["host-limit", { pagesPerHostMax: 2 }],
    ["query-explosion", { queriesPerPathMax: 2 }],
  ])("lets in what is named as a seed, once, though the limit kept it out: %s", async (_, job) => {
    const bench = new AdmissionBench({ job });
    await bench.run(async () => {
      const urls = [1, 2, 3].map((number) => `http://a.example/?${number}`);
      const page = await bench.linksOn("b.example", { links: linksTo(...urls) });
      await bench.admission.admit(page);
      const last = linksTo("http://a.example/?3");
      const asLink = await bench.linksOn("b.example", { links: last });
      const seed = bench.seeds("http://a.example/?3");
      const found = await Promise.all(
        [asLink, { ...seed }, seed].map((one) => bench.admission.admit(one)),
      );
      expect(found.map(({ added }) => added)).toEqual([[], [0], []]);
      await Promise.all(found.map(({ durable }) => durable));
      expect(bench.disk.get(bench.rowKey("http://a.example/?3"))).toEqual(queuedRecord(0));
      expect(bench.job.counter.queued).toBe(3);
      expect(bench.job.counter.counts().skipped).toEqual({});
      expect((await bench.admission.admit(seed)).added).toEqual([]);
    });
  });

  it("takes a URL for a seed that a page has a link to at the same moment", async () => {
    const bench = new AdmissionBench({ job: { queriesPerPathMax: 1 } });
    await bench.run(async () => {
      const url = "http://a.example/?2";
      const links = linksTo("http://a.example/?1", url);
      const page = await bench.linksOn("b.example", { links });
      void bench.admission.admit(bench.seeds("http://c.example/"));
      // Both wait for the round of the one before.
      const together = [page, bench.seeds(url)].map((one) => bench.admission.admit(one));
      const found = await Promise.all(together);
      expect(found.map(({ added }) => added)).toEqual([[0], [0]]);
    });
  });

  it("does not let a seed in that has an address which is private, whatever kept it out before", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const { fingerprints } = linksTo(privateUrl);
      bench.sieve.sieve.add(bench.job.space, fingerprints, 0);
      const keptOut = { ...urlState.fresh, state: urlState.done, excluded: "host-limit" };
      const key = bench.rowKey(privateUrl);
      bench.disk.apply([{ type: "put", key, value: UrlRecord.encode(keptOut) }]);
      const { added, durable } = await bench.admission.admit(bench.seeds(privateUrl));
      await durable;
      expect(added).toEqual([]);
      const value = bench.disk.get(key);
      expect(value && UrlRecord.decode(value).excluded).toBe("address-forbidden");
    });
  });

  it("looks up what the sieve cannot tell, and queues what is not there", async () => {
    const bench = new AdmissionBench();
    const { sieve } = bench.sieve;
    await bench.run(async () => {
      const urls = ["http://a.example/known", "http://a.example/new"] as const;
      const { fingerprints } = linksTo(...urls);
      for (const at of urls.keys()) sieve.add(bench.job.space, fingerprints, 4 * at);
      bench.disk.apply([{ type: "put", key: bench.rowKey(urls[0]), value: queuedRecord(0) }]);
      const { added } = await bench.admission.admit(bench.seeds(...urls));
      expect(added).toEqual([1]);
      expect(sieve.unsettled).toBe(0);
    });
  });

  it("lets a URL in that was kept out, which counts as skipped no more", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const url = "http://b.example/";
      const excluded = [{ reason: "scope" as const, links: linksTo(url) }];
      await bench.admission.admit(await bench.linksOn("a.example", { excluded }));
      const { added, durable } = await bench.admission.admit(bench.seeds(url));
      await durable;
      expect(added).toEqual([0]);
      expect(bench.job.counter.counts().skipped).toEqual({});
      expect(bench.disk.entries(tagRange("exclusion"))).toEqual([]);
    });
  });

  it("ends its page with the rest of its batch, and tells when that is durable", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const key = bench.rowKey("http://a.example/");
      const told: Promise<void>[] = [];
      const page = await bench.linksOn("a.example", {
        links: linksTo("http://b.example/"),
        settle: () => ({
          host: page.source as Host,
          ops: [{ type: "put", key, value: newValue }],
          appended: (durable) => void told.push(durable),
        }),
      });
      const { durable } = await bench.admission.admit(page);
      expect(told).toEqual([durable]);
      await durable;
      expect(bench.disk.get(key)).toEqual(newValue);
    });
  });

  it("is settled once it is in the journal, whatever else is asked for", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      void bench.admission.admit(bench.seeds("http://a.example/"));
      await bench.admission.settled();
      expect(bench.job.counter.queued).toBe(1);
    });
  });

  it("is refused with the error of one that failed before", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const bad = await bench.linksOn("a.example", {
        links: linksTo("http://a.example/1"),
        settle: () => {
          throw new Error("half-way");
        },
      });
      const failing = bench.admission.admit(bad);
      const waiting = bench.admission.admit(bench.seeds("http://c.example/"));
      const settled = bench.admission.settled();
      await expect(failing).rejects.toThrow("half-way");
      await expect(waiting).rejects.toThrow("half-way");
      await settled;
      const next = bench.admission.admit(bench.seeds("http://a.example/1"));
      await expect(next).rejects.toThrow("half-way");
      const key = bench.rowKey("http://a.example/2");
      await expect(bench.journal.append([{ type: "del", key }])).rejects.toThrow("half-way");
      await bench.clock.sleep(1_000);
      expect(bench.disk.rows).toBe(0);
    });
  });

  it("leaves its links to whoever brought them where they are not for this peer", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      bench.leaves = true;
      const { added } = await bench.admission.admit(bench.seeds("http://a.example/"));
      await bench.clock.sleep(1_000);
      expect([added, bench.sent, bench.disk.rows]).toEqual([[], [], 0]);
    });
  });

  it("sends what a page leads to elsewhere once, and nothing that has left before", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const [once, before] = ["http://b.example/", "http://c.example/"];
      bench.leaves = true;
      bench.known.add(idOf(bench.rowKey(before)));
      const pages = [
        await bench.linksOn("a.example", { links: linksTo(before) }),
        // These two are looked at together, when the first is done.
        await bench.linksOn("a.example", { links: linksTo(once, before) }),
        await bench.linksOn("d.example", { links: linksTo(once) }),
      ];
      await Promise.all(pages.map((page) => bench.admission.admit(page)));
      await bench.clock.sleep(1_000);
      expect(bench.sent).toEqual([once]);
      expect(bench.disk.entries(tagRange("outbox"))).toHaveLength(1);
    });
  });

  it("tells the owner of a URL why it is kept out", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      bench.leaves = true;
      const excluded = [{ reason: "scope" as const, links: linksTo("http://b.example/") }];
      const page = await bench.linksOn("a.example", { excluded });
      const { durable } = await bench.admission.admit(page);
      await durable;
      const [row] = bench.disk.entries(tagRange("outbox"));
      expect(row && readOutboxKey(row.key).tag).toBe("exclusion");
      expect(row && OutboxEntry.decode(row.value).excluded).toBe("scope");
    });
  });

  it.each([
    ["here", false, "b.example"],
    ["elsewhere", true, undefined],
  ])("is told of the host of a page to ask again that is %s", async (_, leaves, expected) => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const told: unknown[] = [];
      const page = await bench.linksOn("a.example", {
        backTo: "http://b.example/" as CanonicalUrl,
        settle: (back) => {
          told.push(back?.visit.host);
          return { host: page.source as Host, ops: [], appended: none };
        },
      });
      bench.leaves = leaves;
      await bench.admission.admit(page);
      expect(told).toEqual([expected]);
    });
  });

  it("has a start find the host of a page that is asked again, and when it was asked", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const { job } = bench;
      const url = "http://a.example/";
      const found = { depth: 0, attempts: 1, unseen: 0, redirectChain: [], discoveredAtMs: 0 };
      const entry = { url, ...found };
      const page = await bench.linksOn("a.example", {
        settle: () => {
          const host = page.source as Host;
          const again = { host, job, rowKey: bench.rowKey(url), entry };
          return { host, ops: [], appended: none, again };
        },
      });
      const { durable } = await bench.admission.admit(page);
      await durable;
      expect(bench.disk.entries(tagRange("queue"))).toHaveLength(1);
      expect(bench.disk.entries(tagRange("host"))).toHaveLength(1);
      expect(bench.disk.entries(tagRange("waiting"))).toHaveLength(1);
    });
  });

  it("has a start find the host whose last page leads to the next one", async () => {
    const bench = new AdmissionBench();
    await bench.run(async () => {
      const first = await bench.admission.admit(bench.seeds("http://a.example/"));
      await first.durable;
      await bench.clock.sleep(10_000);
      const page = await bench.linksOn("a.example", {
        links: linksTo("http://a.example/next"),
        settle: () => ({ host: page.source as Host, ops: [], appended: none }),
      });
      const { durable } = await bench.admission.admit(page);
      await durable;
      expect(bench.disk.entries(tagRange("waiting"))).toHaveLength(1);
    });
  });
});
