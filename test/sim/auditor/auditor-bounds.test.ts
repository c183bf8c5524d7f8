import { describe, expect, test } from "vitest";
import type { AuditCheckName, AuditRules } from "../../../sim/auditor/audit-rules.ts";
import { audit } from "../../../sim/auditor/auditor.ts";
import { renderAudit } from "../../../sim/auditor/render-audit.ts";
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import {
  plainSampleWebOptions,
  type PageKind,
} from "../../../sim/sample-web/sample-web-options.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import { TrueGraph } from "../../../sim/sample-web/true-graph.ts";
import { busy, clean, delayMs, failures, hit, last, replace, run, startAtMs } from "./clean-log.ts";

/** One site of one host, in which the kinds that a crawler asks for twice are common. */
const small = new SampleWeb(
  {
    ...plainSampleWebOptions,
    sites: 1,
    hostsPerSite: 1,
    totalPages: 100,
    shares: {
      ...plainSampleWebOptions.shares,
      throttled: 0.1,
      unavailable: 0.1,
      failing: 0.1,
      reset: 0.1,
      redirect: 0.2,
      loop: 0.1,
    },
    crawlDelayShare: 1,
    crawlDelaySeconds: 0.25,
    trapShare: 1,
  },
  80,
);
const smallGraph = new TrueGraph(small, { seeds: small.rootUrls() });
const root = small.rootUrl(0);
const robots = new URL("/robots.txt", root).href;

function pagesOf(kind: PageKind): string[] {
  return [...smallGraph.ids("must")]
    .filter((id) => small.kindOf(id) === kind)
    .map((id) => small.urlOf(id));
}

const [page = "", other = ""] = pagesOf("ordinary");

/** A request of the small web: what was asked for when, after the start, and what came of it. */
type Asked = readonly [url: string, afterMs: number, status: number, change?: Partial<Hit>];

/** An audit of these requests alone. */
function auditOf(asked: readonly Asked[], rules: Partial<AuditRules> = {}, of = smallGraph) {
  const host = small.names.findHost(new URL(root).hostname);
  const address = host === undefined ? "" : small.names.addressOf(host);
  const hits = asked.map(([url, afterMs, status, change]) => ({
    ...hit(url, startAtMs + afterMs, status),
    address,
    ...change,
  }));
  return audit(hits, of, rules);
}

/** What it finds, but for the pages that were not asked for. */
async function faultsOf(
  asked: readonly Asked[],
  rules: Partial<AuditRules> = {},
  of = smallGraph,
): Promise<AuditCheckName[]> {
  return failures(await auditOf(asked, rules, of)).filter((name) => name !== "lost");
}

const read: Asked = [robots, 0, 200];

describe("what the auditor asks of robots.txt", () => {
  test("is that each host's was asked for, and came as a whole, before any page", async () => {
    const never = clean.filter(({ host, path }) => host !== last.host || path !== "/robots.txt");
    expect(failures(await run(never))).toEqual(["robots-not-read"]);
    expect(failures(await run(replace(busy[0], { complete: false })))).toEqual(["robots-not-read"]);
  });

  test("is that it was read no more often than agreed", async () => {
    const again = (times: number): Asked[] =>
      Array.from({ length: times }, (_, n) => [robots, 1_000 * (n + 1), 200]);
    const rules = { robotsRefetchesAllowed: 1 };
    expect(await faultsOf([read, ...again(1)])).toEqual(["robots-refetch"]);
    expect(await faultsOf([read, ...again(1)], rules)).toEqual([]);
    expect(await faultsOf([read, ...again(2)], rules)).toEqual(["robots-refetch"]);
  });

  test.each<[string, number, Partial<Hit>]>([
    ["was cut off", 200, { complete: false }],
    ["is the server's failure", 500, {}],
  ])("is not that an answer is enough which %s", async (_, status, change) => {
    const asked: Asked[] = [
      [robots, 0, status, change],
      [robots, 1_000, 200],
      [page, 2_000, 200],
    ];
    expect(await faultsOf(asked)).toEqual([]);
  });

  test("holds for the first answer: pages may be fetched while it is read again", async () => {
    const again: Asked = [robots, 1_000, 200, { finishedAtMs: startAtMs + 9_000 }];
    const rules = { robotsRefetchesAllowed: 1, openPerHostMax: 0, openPerAddressMax: 0 };
    expect(await faultsOf([read, again, [page, 2_000, 200]], rules)).toEqual([]);
  });

  test("is nothing where the crawl need not obey it", async () => {
    const asked: Asked[] = [
      [page, 0, 200],
      [other, delayMs, 200],
    ];
    const rules = { hostDelayMs: delayMs };
    expect(await faultsOf(asked, rules)).toEqual(["robots-not-read", "host-gap"]);
    const free = new TrueGraph(small, { seeds: [root], respectsRobots: false });
    expect(await faultsOf(asked, rules, free)).toEqual([]);
  });
});

describe("what the auditor asks of pauses", () => {
  test("is the delay where a Crawl-delay is shorter", async () => {
    const asked: Asked[] = [read, [page, 260, 200]];
    expect(await faultsOf(asked, { hostDelayMs: 260 })).toEqual([]);
    expect(await faultsOf(asked, { hostDelayMs: 300 })).toEqual(["host-gap"]);
  });

  test("is a minute at most, whatever a Crawl-delay says", async () => {
    const patient = new SampleWeb({ ...small.options, crawlDelaySeconds: 90 }, 80);
    const of = new TrueGraph(patient, { seeds: [root] });
    expect(await faultsOf([read, [page, 59_999, 200]], {}, of)).toEqual([]);
    expect(await faultsOf([read, [page, 59_998.9, 200]], {}, of)).toEqual(["host-gap"]);
  });

  test("is a second between requests where it is told nothing else", async () => {
    expect(await faultsOf([read, [page, 999, 200]])).toEqual([]);
    expect(await faultsOf([read, [page, 998.9, 200]])).toEqual(["host-gap"]);
  });

  test.each<[PageKind, number]>([
    ["throttled", 429],
    ["unavailable", 503],
  ])("is that a %s page's Retry-After holds for its whole host", async (kind, status) => {
    const [sentAway = ""] = pagesOf(kind);
    const asked = (afterMs: number): Asked[] => [
      read,
      [sentAway, 1_000, status],
      [page, 1_000 + afterMs, 200],
    ];
    expect(await faultsOf(asked(1_003))).toEqual([]);
    expect(await faultsOf(asked(1_002.9))).toEqual(["retry-after"]);
  });

  test("is no Retry-After that no answer had", async () => {
    expect(
      await faultsOf(
        [
          [robots, 0, 503],
          [page, 300, 200],
        ],
        { hostDelayMs: delayMs },
      ),
    ).toEqual([]);
  });

  test("is no overlap with an answer that was over by then, or that nobody waited for", async () => {
    const finishedAtMs = startAtMs + 3_500;
    const asked = (afterMs: number, change: Partial<Hit> = {}): Asked[] => [
      read,
      [page, 1_000, 200, { finishedAtMs, ...change }],
      [other, afterMs, 200],
    ];
    expect(await faultsOf(asked(3_499))).toEqual(["host-overlap", "address-overlap"]);
    expect(await faultsOf(asked(3_500))).toEqual([]);
    expect(await faultsOf(asked(3_499, { complete: false }))).toEqual([]);
    const robotsCut: Asked = [robots, 0, 200, { finishedAtMs, complete: false }];
    expect(await faultsOf([robotsCut, [robots, 1_000, 200], [page, 2_000, 200]])).toEqual([]);
  });

  test("may be read from the pace of the busy hosts, the slowest apart", async () => {
    const paceOf = async (rules: Partial<AuditRules>) => (await run(clean, rules)).hostPace;
    const { rateHosts, rateUsed = 0, rateUsedLowest = 0 } = await paceOf({});
    const hits = [...Map.groupBy(clean, ({ host }) => host).values()];
    expect(rateHosts).toBe(hits.filter(({ length }) => length >= 10).length);
    expect(rateUsedLowest).toBeLessThan(rateUsed);
    const few: Asked[] = [read, [page, 1_000, 200]];
    expect((await auditOf(few)).hostPace.rateHosts).toBe(0);
    expect((await auditOf(few, { rateHitsMin: 0 })).hostPace).toMatchObject({
      rateHosts: 1,
      rateUsed: 1,
    });
    expect((await auditOf([read], { rateHitsMin: 0 })).hostPace.rateHosts).toBe(0);
    const { addressPace } = await run(clean);
    expect(addressPace.rateHosts).toBe(0);
  });

  test("is at least what the clock can tell", async () => {
    await expect(run(clean, { toleranceMs: -1 })).rejects.toThrow(RangeError);
  });
});

describe("what the auditor asks of pages", () => {
  test("is one answer, whatever that is, of those that never give another one", async () => {
    const [failing = ""] = pagesOf("failing");
    const [reset = ""] = pagesOf("reset");
    const [throttled = ""] = pagesOf("throttled");
    const asked: Asked[] = [
      read,
      [failing, 1_000, 500],
      [reset, 2_000, 0],
      [throttled, 3_000, 429],
    ];
    expect((await auditOf(asked)).pages.fetched).toBe(2);
  });

  test.each<[string, number, Partial<Hit>, AuditCheckName[]]>([
    ["a reset", 0, {}, []],
    ["a failure of the server", 500, {}, []],
    ["an answer that was cut off", 200, { complete: false }, []],
    ["an error that is the crawler's own", 499, {}, ["duplicate"]],
  ])("is that %s is followed by another request as it may be", async (_, status, change, found) => {
    const asked: Asked[] = [read, [page, 1_000, status, change], [page, 2_000, 200]];
    expect(await faultsOf(asked)).toEqual(found);
  });

  const [loop = ""] = pagesOf("loop");

  test.each<[string, string[], AuditCheckName[]]>([
    ["its own URL, to which a loop leads back", [`${loop}?PHPSESSID=12`, loop], []],
    ["a loop once by its own URL", [loop, loop], ["duplicate"]],
    ["that URL only once more", [`${loop}?PHPSESSID=12`, loop, loop], ["duplicate"]],
    ["no other spelling of a loop", [loop, `${loop}?PHPSESSID=12`], ["duplicate"]],
    ["no page again that leads nowhere", [`${page}?PHPSESSID=12`, page], ["duplicate"]],
  ])("is %s", async (_, urls, found) => {
    const asked = urls.map((url, n): Asked => [url, 1_000 * (n + 1), url === page ? 200 : 308]);
    expect(await faultsOf([read, ...asked])).toEqual(found);
  });

  test("is none more once a retry has been answered, but for what a kill explains", async () => {
    const asked: Asked[] = [
      read,
      [page, 1_000, 500],
      [page, 9_000, 200, { finishedAtMs: startAtMs + 9_004 }],
      [page, 20_000, 200],
    ];
    expect(await faultsOf(asked)).toEqual(["duplicate"]);
    const killedAfter = (ms: number) => ({ interruptedAtMs: [startAtMs + 9_004 + ms] });
    expect(await faultsOf(asked, killedAfter(2_500))).toEqual([]);
    expect(await faultsOf(asked, killedAfter(2_501))).toEqual(["duplicate"]);
  });

  test("is ten attempts at most", async () => {
    const attempts = (count: number): Asked[] =>
      Array.from({ length: count }, (_, n) => [page, 1_000 * (n + 1), 500]);
    expect(await faultsOf([read, ...attempts(10)])).toEqual([]);
    expect(await faultsOf([read, ...attempts(11)])).toEqual(["attempts"]);
  });

  test("is none behind more redirects than are followed", async () => {
    const short = new TrueGraph(small, { seeds: [root], redirectsMax: 0 });
    const [beyond = 0] = short.ids("redirect-limit");
    const asked: Asked[] = [read, [small.urlOf(beyond), 1_000, 200]];
    expect(await faultsOf(asked, {}, short)).toEqual(["unreachable"]);
  });

  test("is no more of a host's traps than agreed", async () => {
    const asked: Asked[] = ["deep/", "deep/level/", "deep/level/level/"].map((path, n) => [
      new URL(path, root).href,
      1_000 * (n + 1),
      200,
    ]);
    expect(await faultsOf([read, ...asked], { trapPagesPerHostMax: 3 })).toEqual([]);
    expect(await faultsOf([read, ...asked], { trapPagesPerHostMax: 2 })).toEqual(["trap"]);
  });
});

describe("what a report shows of violations", () => {
  test("is ten of them, how many more there are, and none of those that are explained", async () => {
    const nothing = await run([]);
    expect(renderAudit(nothing)).toContain(`and ${nothing.pages.mustFetch - 10} more\n`);
    const explained = await auditOf([read, [page, 1_000, 200], [page, 9_000, 200]], {
      refetchesAllowed: 1,
    });
    expect(renderAudit(explained)).toContain(" 1 allowed, ");
    expect(renderAudit(explained)).not.toContain("requested again");
  });
});
