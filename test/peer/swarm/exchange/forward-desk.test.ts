import { describe, expect, it } from "vitest";
import { unpackLinks } from "../../../../src/core/page/packed-links.ts";
import type { OutboxEntry } from "../../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { CanonicalUrl, MemberId } from "../../../../src/core/units.ts";
import type { Admission } from "../../../../src/peer/admission/admission.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { ForwardDesk } from "../../../../src/peer/swarm/exchange/forward-desk.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { job, SwarmBench } from "../swarm-bench.ts";

/** Each sync takes as long as another. */
const diskTimes = { syncMedianMs: 10, syncTail: 0 };

/** A sync takes a second then. */
const slowness = 100;

/** No page leads to them. */
const urls = Array.from({ length: 20 }, (_, n) => `http://site-${n}.invalid/` as CanonicalUrl);

describe("a seed that is acknowledged", () => {
  it.each([
    ["holder", 0],
    ["replica", 1],
  ])("is durable at both members, though its %s has a slow disk", async (_, slow) => {
    const bench = new SwarmBench(2, { machine: { diskTimes } });
    const seeds = await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, ["http://nowhere.invalid/"]);
      await bench.peer(0).changeJob(job, "pause");
      await bench.pass(5_000);
      bench.machine(slow).disk.slowness = slowness;
      const held = urls.filter((url) => bench.holderOf(url) === 0);
      expect(await bench.peer(1).inject(job, held)).toMatchObject({ added: held.length });
      return held;
    });
    expect(seeds).not.toEqual([]);
    const named = new JobRegistry().define(job);
    for (const index of [0, 1]) {
      const { disk } = bench.machine(index);
      bench.machine(index).powerFailure();
      expect(seeds.filter((url) => disk.has(urlRow(url, named).key))).toEqual(seeds);
    }
  });
});

/** A desk whose admission is `admit`, and which has nobody to wait for. */
function newDesk(admit: Admission["admit"], territory = new Territory()): ForwardDesk {
  const jobs = new JobRegistry();
  jobs.define(job);
  territory.take(ArcSet.whole);
  return new ForwardDesk({
    admission: { admit },
    jobs,
    journal: { full: false, flushed: () => Promise.resolve() },
    replicator: { full: false, replicated: () => Promise.resolve(true) },
    territory,
    view: { isRunning: () => false },
    onUnknownJob: () => undefined,
  });
}

const durable = Promise.resolve();

function entryOf(url: string, via?: string): OutboxEntry {
  return { url, job, depth: 0, redirectChain: [], ...(via !== undefined && { via }) };
}

describe("a message of URLs", () => {
  it("is answered for each of them in its place", async () => {
    const isNew = (url: string): boolean => url.endsWith("new");
    const desk = newDesk(({ links }) => {
      const added = unpackLinks(links).flatMap((url, at) => (isNew(url) ? [at] : []));
      return Promise.resolve({ added, durable });
    });
    const paths = ["old", "new", "new", "old", "new"];
    const found = paths.map((path) => entryOf(`http://a.example/${path}`, "http://b.example/"));
    const seeds = paths.map((path) => entryOf(`http://c.example/${path}`));
    const urls = [entryOf("HTTP://a.example"), ...found, "rejected" as const, ...seeds];
    const results = paths.map((path) => (path === "new" ? "new" : "known"));
    expect(await desk.receive("b" as MemberId, urls)).toEqual({
      kind: "received",
      results: ["rejected", ...results, "rejected", ...results],
    });
  });
});

describe("a URL that another member brings", () => {
  it("is to come again where its site was given up before it was looked at", async () => {
    const territory = new Territory();
    const desk = newDesk(() => {
      // A peer that stops. Admission passes over what is not held here.
      territory.abandon();
      return Promise.resolve({ added: [], durable });
    }, territory);
    const delivery = await desk.receive("b" as MemberId, [entryOf("http://found.example/")]);
    expect(delivery.kind).toBe("later");
  });
});
