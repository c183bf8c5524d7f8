import { describe, expect, it, vi } from "vitest";
import type { MemberRun } from "../../../../src/core/messages/forward.ts";
import { unpackLinks } from "../../../../src/core/page/packed-links.ts";
import type { OutboxEntry } from "../../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { CanonicalUrl, MemberId } from "../../../../src/core/units.ts";
import { positionOf, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import { hostOf, siteOfHost } from "../../../../src/core/url/site-of.ts";
import type { Admission } from "../../../../src/peer/admission/admission.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { ForwardDesk } from "../../../../src/peer/swarm/exchange/forward-desk.ts";
import { type Holder, Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
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

type DeskParts = ConstructorParameters<typeof ForwardDesk>[0];

/** Replicas that have all of the positions for which `isThere`. */
function replicatorWith(
  isThere: (position: RingPosition) => boolean,
  full = false,
): DeskParts["replicator"] {
  const replicatedOf: DeskParts["replicator"]["replicatedOf"] = (positions) =>
    Promise.resolve(new Set([...positions].filter(isThere)));
  return { full, replicatedOf };
}

/** A desk whose admission is `admit`, and which has nobody to wait for unless `parts` say so. */
function newDesk(
  admit: Admission["admit"],
  territory = new Territory(),
  parts: Partial<DeskParts> = {},
): ForwardDesk {
  const jobs = new JobRegistry();
  jobs.define(job);
  territory.take(ArcSet.whole);
  return new ForwardDesk({
    admission: { admit },
    jobs,
    journal: { full: false, flushed: () => Promise.resolve() },
    replicator: replicatorWith(() => true),
    territory,
    view: { isRunning: () => false },
    onUnknownJob: () => undefined,
    ...parts,
  });
}

const durable = Promise.resolve();

function entryOf(url: string, via?: string): OutboxEntry {
  return { url, job, depth: 0, redirectChain: [], ...(via !== undefined && { via }) };
}

const found = entryOf("http://found.example/");

const takeIn: Admission["admit"] = () => Promise.resolve({ added: [0], durable });

describe("a message of URLs", () => {
  it("is answered for each of them in its place", async () => {
    const isNew = (url: string): boolean => url.endsWith("new");
    const desk = newDesk((request) => {
      const added = unpackLinks(request.links).flatMap((url, at) => (isNew(url) ? [at] : []));
      return Promise.resolve({ added, durable });
    });
    const paths = ["old", "new", "new", "old", "new"];
    const links = paths.map((path) => entryOf(`http://a.example/${path}`, "http://b.example/"));
    const seeds = paths.map((path) => entryOf(`http://c.example/${path}`));
    const urls = [entryOf("HTTP://a.example"), ...links, "rejected" as const, ...seeds];
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
    const delivery = await desk.receive("b" as MemberId, [found]);
    expect(delivery.kind).toBe("later");
  });

  it.each<Partial<DeskParts>>([
    { journal: { full: true, flushed: () => Promise.resolve() } },
    { replicator: replicatorWith(() => true, true) },
  ])("is to come again while there is no room for it", async (parts) => {
    const admit = vi.fn<Admission["admit"]>();
    const delivery = await newDesk(admit, undefined, parts).receive("b" as MemberId, [found]);
    expect(delivery.kind).toBe("later");
    expect(admit).not.toHaveBeenCalled();
  });

  it("is kept out here where it is too long for the job, whose patterns may take for ever and are not tried", async () => {
    const jobs = new JobRegistry();
    jobs.define(job, { exclude: ["/in$"], urlBytesMax: 100 });
    const admit = vi.fn<Admission["admit"]>(() => Promise.resolve({ added: [], durable }));
    const urls = ["in", "long".repeat(30)].map((path) => found.url + path);
    await newDesk(admit, undefined, { jobs }).receive(
      "b" as MemberId,
      urls.map((url) => entryOf(url)),
    );
    const requests = admit.mock.calls.map(([{ links, excluded }]) => ({
      letIn: unpackLinks(links),
      keptOut: excluded.map(({ reason, links: out }) => [reason, ...unpackLinks(out)]),
    }));
    const [letIn, length] = urls;
    expect(requests).toEqual([
      { letIn: [letIn], keptOut: [] },
      { letIn: [], keptOut: [["url-length", length]] },
    ]);
  });

  it("makes its bringer be asked for a job that is unknown here, and comes again meanwhile", async () => {
    const asked: MemberId[] = [];
    const desk = newDesk(takeIn, undefined, { onUnknownJob: (from) => void asked.push(from) });
    const bring = (of: string) => desk.receive("b" as MemberId, [{ ...found, job: of }]);
    expect(await bring(job)).toEqual({ kind: "received", results: ["new"] });
    expect(asked).toEqual([]);
    const results = [{ holder: undefined }];
    expect(await bring("unheard-of")).toEqual({ kind: "received", results });
    expect(asked).toEqual(["b"]);
  });

  it("is acknowledged when it is durable, also where nobody else has to have it", async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const journal = { full: false, flushed: () => promise };
    let isTold = false;
    const told = newDesk(takeIn, undefined, { journal })
      .receive("b" as MemberId, [found])
      .then(() => (isTold = true));
    await new Promise(setImmediate);
    expect(isTold).toBe(false);
    resolve(undefined);
    await told;
  });

  it("is to come again soon, and before its bringer takes the message for lost", async () => {
    const waits: number[] = [];
    const replicatedOf: DeskParts["replicator"]["replicatedOf"] = (_, withinMs) => {
      waits.push(withinMs);
      return Promise.resolve(new Set());
    };
    const replicator = { full: false, replicatedOf };
    const desk = newDesk(takeIn, undefined, { replicator });
    const sites = urls.map((url) => entryOf(url));
    const delivery = await desk.receive("b" as MemberId, sites);
    if (delivery.kind !== "later") throw new Error("it is not at its replicas");
    expect(delivery.afterMs).toBeLessThanOrEqual(1_000);
    expect(waits.every((withinMs) => withinMs < 5_000)).toBe(true);
    // One for a message of many sites: each progress is looked at for whoever waits.
    expect(waits).toHaveLength(1);
  });

  it("does not wait for those of other sites, whose replica takes nothing", async () => {
    const position = (url: string) => positionOf(siteOfHost(hostOf(url as CanonicalUrl)));
    const late = entryOf("http://late.example/");
    let isBack = false;
    const replicator = replicatorWith((one) => isBack || one !== position(late.url));
    const added = [[0, 1], []];
    const admit = () => Promise.resolve({ added: added.shift() ?? [], durable });
    const desk = newDesk(admit, undefined, { replicator });
    const bring = () => desk.receive("b" as MemberId, [late, found, "rejected"]);
    const others = ["new", "rejected"];
    expect(await bring()).toEqual({
      kind: "received",
      results: [{ holder: undefined }, ...others],
    });
    isBack = true;
    expect(await bring()).toEqual({ kind: "received", results: ["new", "known", "rejected"] });
  });

  it("is new to who was asked to come again with it, once", async () => {
    const copied = [false, true, true];
    const added = [[0], [], []];
    const desk = newDesk(
      () => Promise.resolve({ added: added.shift() ?? [], durable }),
      undefined,
      {
        replicator: replicatorWith(() => copied.shift() === true),
      },
    );
    const bring = () => desk.receive("b" as MemberId, [found]);
    expect((await bring()).kind).toBe("later");
    expect(await bring()).toEqual({ kind: "received", results: ["new"] });
    expect(await bring()).toEqual({ kind: "received", results: ["known"] });
  });

  it("is not taken in while its site is passed on, and then belongs to who has it and runs", async () => {
    const admit = vi.fn<Admission["admit"]>();
    const territory = new Territory();
    const view = { isRunning: (_: MemberId, generation: number) => generation === 2 };
    const desk = newDesk(admit, territory, { view });
    const bring = () => desk.receive("b" as MemberId, [found]);
    const sentTo = (holder?: MemberRun) => ({ kind: "received", results: [{ holder }] });
    territory.close(ArcSet.whole);
    expect(await bring()).toEqual(sentTo());
    const [past, holder] = [1, 2].map((generation) => ({ member: "c" as MemberId, generation }));
    territory.give(ArcSet.whole, { ...past, synced: true } as Holder);
    expect(await bring()).toEqual(sentTo());
    territory.note(ArcSet.whole, { ...holder, synced: true } as Holder);
    expect(await bring()).toEqual(sentTo(holder));
    expect(admit).not.toHaveBeenCalled();
  });
});
