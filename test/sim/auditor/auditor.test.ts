import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import {
  auditChecks,
  type AuditCheckName,
  type AuditRules,
} from "../../../sim/auditor/audit-rules.ts";
import { audit } from "../../../sim/auditor/auditor.ts";
import { readHitLog } from "../../../sim/auditor/hit-log-reader.ts";
import { renderAudit } from "../../../sim/auditor/render-audit.ts";
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import { TrueGraph } from "../../../sim/sample-web/true-graph.ts";
import {
  afterLastMs,
  busy,
  clean,
  delayMs,
  durationMs,
  failures,
  graph,
  hit,
  last,
  pageWith,
  replace,
  run,
  startAtMs,
  web,
} from "./clean-log.ts";

describe("a crawl without a fault", () => {
  test("passes every check, in whatever order its hits were logged", async () => {
    const report = await run([...clean].reverse());
    expect(failures(report)).toEqual([]);
    expect(report).toMatchObject({ passed: true, requests: clean.length });
    expect(report.pages.fetched).toBe(graph.counts().must);
    expect(report.pages.retries).toBeGreaterThan(0);
    expect(report.robotsRequests).toBe(report.hosts);
  });

  test("used all of the rate that was allowed, apart from waits it was told to make", async () => {
    const { hostPace } = await run(clean);
    expect(hostPace.shortestGapMs).toBe(delayMs);
    expect(hostPace.tightestSlackMs).toBe(0);
    expect(hostPace.rateUsed).toBeGreaterThan(0.75);
    expect(hostPace.rateUsed).toBeLessThanOrEqual(1);
    const half = clean.map((each) => {
      const arrivedAtMs = startAtMs + 2 * (each.arrivedAtMs - startAtMs);
      return { ...each, arrivedAtMs, finishedAtMs: arrivedAtMs + durationMs };
    });
    const slower = await run(half);
    expect(slower.hostPace.rateUsed).toBeCloseTo((hostPace.rateUsed ?? 0) / 2, 6);
  });

  test("may refetch what was in flight at a crash, as often as that explains", async () => {
    const again = { ...last, arrivedAtMs: afterLastMs, finishedAtMs: afterLastMs + 1 };
    expect(failures(await run([...clean, again], { refetchesAllowed: 1 }))).toEqual([]);
    expect(failures(await run([...clean, again]))).toEqual(["duplicate"]);
  });

  test("may refetch what a peer had just been told when it was killed, and nothing older", async () => {
    const again = { ...last, arrivedAtMs: afterLastMs, finishedAtMs: afterLastMs + 1 };
    const killedAfter = (ms: number, rules = {}) =>
      run([...clean, again], { interruptedAtMs: [last.finishedAtMs + ms], ...rules });
    expect(failures(await killedAfter(2_500))).toEqual([]);
    expect(failures(await killedAfter(2_501))).toEqual(["duplicate"]);
    expect(failures(await killedAfter(3_000, { inFlightMs: 3_000 }))).toEqual([]);
    const sent = last.arrivedAtMs - last.finishedAtMs - 500;
    expect(failures(await killedAfter(sent))).toEqual([]);
    expect(failures(await killedAfter(sent - 1))).toEqual(["duplicate"]);
  });

  test("may not refetch a page twice because of one kill, nor before it", async () => {
    const killedAtMs = last.finishedAtMs + 2_000;
    const again = (atMs: number) => ({ ...last, arrivedAtMs: atMs, finishedAtMs: atMs + 1 });
    const rules = { interruptedAtMs: [killedAtMs] };
    const early = await run([...clean, again(killedAtMs - 1)], rules);
    expect(failures(early)).toEqual(["duplicate"]);
    const twice = [again(killedAtMs + 5_000), again(killedAtMs + 10_000)];
    expect(failures(await run([...clean, ...twice], rules))).toEqual(["duplicate"]);
  });

  test("may fetch again what the server did not finish", async () => {
    const again = { ...last, arrivedAtMs: afterLastMs, finishedAtMs: afterLastMs + 1 };
    const report = await run([...replace(last, { complete: false }), again]);
    expect(failures(report)).toEqual([]);
    expect(report.pages.unfinished).toBe(1);
  });
});

describe("the auditor finds", () => {
  const late = (url: string, status = 200): Hit => hit(url, afterLastMs, status);
  const second = { ...last, arrivedAtMs: afterLastMs, finishedAtMs: afterLastMs + 1 };
  const throttled = busy.find((each) => each.status === 429);
  const retry = busy[busy.indexOf(throttled ?? last) + 1];
  const early = (ms: number): Partial<Hit> => ({
    arrivedAtMs: last.arrivedAtMs - ms,
    finishedAtMs: last.finishedAtMs - ms,
  });
  const retries = Array.from({ length: 12 }, (_, number) => ({
    ...hit(web.urlOf(clean.length), afterLastMs + 2_000 * number, 503),
    path: retry?.path ?? "",
    host: last.host,
    address: last.address,
  }));

  const cases: readonly [AuditCheckName, string, () => Hit[], Partial<AuditRules>?][] = [
    ["lost", "a page that was never asked for", () => clean.filter((each) => each !== last)],
    [
      "lost",
      "a page that was sent away and not asked for again",
      () => clean.filter((each) => each !== retry),
    ],
    ["lost", "a page whose answer was cut off", () => replace(last, { complete: false })],
    ["duplicate", "a page asked for again", () => [...clean, second]],
    [
      "duplicate",
      "a page asked for again under a session id",
      () => [...clean, late(`${web.rootUrl(0)}?PHPSESSID=12`)],
    ],
    [
      "duplicate",
      "a page of a trap asked for again",
      () => {
        const [site = 0] = graph.trapSites();
        const url = new URL("/calendar/2026/07/", web.rootUrl(site)).href;
        return [...clean, late(url), hit(url, afterLastMs + 5_000, 200)];
      },
    ],
    ["attempts", "too many attempts", () => [...clean, ...retries], { refetchesAllowed: 1 }],
    ["disallowed", "a page that robots.txt disallows", () => [...clean, late(pageWith("robots"))]],
    ["nofollow", "a nofollow link", () => [...clean, late(pageWith("nofollow"))]],
    ["unreachable", "an orphan", () => [...clean, late(pageWith("unreachable"))]],
    [
      "unknown-url",
      "a URL that no page names",
      () => [...clean, late(`${web.rootUrl(0)}made/up.html`, 404)],
    ],
    [
      "trap",
      "a crawl lost in a trap",
      () => {
        const [site = 0] = graph.trapSites();
        const root = web.rootUrl(site).slice(0, -1);
        return [
          ...clean,
          late(`${root}/deep/`),
          hit(`${root}/deep/level/`, afterLastMs + 5_000, 200),
        ];
      },
      { trapPagesPerHostMax: 1 },
    ],
    ["host-gap", "a gap that is too short", () => replace(last, early(1.1))],
    [
      "host-overlap",
      "two requests at once",
      () => replace(last, early(97)),
      { hostDelayMs: 0, openPerAddressMax: 0 },
    ],
    [
      "robots-not-read",
      "a page fetched before robots.txt was there",
      () => replace(busy[0], { finishedAtMs: (busy[1]?.arrivedAtMs ?? 0) + 1 }),
      { openPerHostMax: 0, openPerAddressMax: 0 },
    ],
    [
      "robots-refetch",
      "a robots.txt read again",
      () => [...clean, late("http://www.site-0000.example/robots.txt")],
    ],
    [
      "retry-after",
      "a request before the Retry-After is over",
      () => replace(retry, { arrivedAtMs: (retry?.arrivedAtMs ?? 0) - 1.1 }),
    ],
    ["wrong-address", "a host asked elsewhere", () => replace(last, { address: "127.9.9.9" })],
    ["method", "another method", () => replace(last, { method: "HEAD" })],
    ["user-agent", "a request without a name", () => replace(last, { userAgent: "" })],
    ["user-agent", "a name without a contact", () => replace(last, { userAgent: "orbweaver/0.1" })],
  ];

  test.each(cases)("%s: %s", async (name, _, hits, rules = {}) => {
    const report = await run(hits(), rules);
    expect(failures(report)).toEqual([name]);
    expect(report.passed).toBe(false);
    const found = report.checks.find((check) => check.name === name);
    expect(found?.violations).toBeGreaterThan(0);
    expect(found?.examples[0]?.url).toMatch(/^http:\/\//);
    const text = renderAudit(report);
    expect(text).toContain(`FAIL ${name}`);
    expect(text).toContain(found?.examples[0]?.url);
    expect(text.split("\n").at(-1)).toMatch(/^FAILED: /);
  });

  test("out-of-scope: a page of another site", async () => {
    const narrow = new TrueGraph(web, { seeds: [web.rootUrl(0)], scope: "site" });
    const inside = clean.filter((each) => each.host.endsWith("site-0000.example"));
    const rules = { hostDelayMs: delayMs };
    expect(failures(await audit(inside, narrow, rules))).toEqual([]);
    const [outside = 0] = narrow.ids("scope");
    const { hostname } = new URL(web.urlOf(outside));
    const robots = hit(`http://${hostname}/robots.txt`, startAtMs, 200);
    const beyond = [...inside, robots, late(web.urlOf(outside))];
    expect(failures(await audit(beyond, narrow, rules))).toEqual(["out-of-scope"]);
  });

  test("address-gap and address-overlap: hosts of one address asked too close together", async () => {
    const shared = new SampleWeb({ ...web.options, hostsPerAddress: 2 }, 80);
    const narrow = new TrueGraph(shared, { seeds: [shared.rootUrl(0)] });
    const [first, other] = ["www", "docs"].map(
      (label) => `http://${label}.site-0000.example/robots.txt`,
    );
    const at = (url = "", atMs: number): Hit => ({ ...hit(url, atMs, 200), address: "127.1.0.1" });
    const failuresOf = async (gapMs: number): Promise<AuditCheckName[]> => {
      const hits = [at(first, startAtMs), at(other, startAtMs + gapMs)];
      return failures(await audit(hits, narrow, { addressDelayMs: 50 }));
    };
    expect(await failuresOf(49.5)).toEqual(["lost"]);
    expect(await failuresOf(48.9)).toEqual(["lost", "address-gap"]);
    expect(await failuresOf(3)).toEqual(["lost", "address-gap", "address-overlap"]);
  });
});

describe("the limits of the checks", () => {
  test("a gap may be short by the tolerance and no more", async () => {
    for (const [shortMs, expected] of [
      [0.9, []],
      [1.1, ["host-gap"]],
    ] as const) {
      const arrivedAtMs = last.arrivedAtMs - shortMs;
      expect(failures(await run(replace(last, { arrivedAtMs })))).toEqual(expected);
    }
    const exact = replace(last, { arrivedAtMs: last.arrivedAtMs - 0.1 });
    expect(failures(await run(exact, { toleranceMs: 0 }))).toEqual(["host-gap"]);
    await expect(run(clean, { toleranceMs: 5 })).rejects.toThrow(RangeError);
  });

  test("a Crawl-delay counts where it is longer than the delay", async () => {
    const hosts = new Set(clean.map((each) => each.host));
    const delayed = [...hosts].filter((name) => {
      const host = web.names.findHost(name);
      return host !== undefined && web.robotsOf(host).crawlDelaySeconds !== undefined;
    });
    expect(delayed.length).toBeGreaterThan(0);
    expect(delayed.length).toBeLessThan(hosts.size);
    const slow = clean.filter((each) => each.host === delayed[0]);
    const end = slow.at(-1);
    const arrivedAtMs = (end?.arrivedAtMs ?? 0) - 50;
    expect(failures(await run(replace(end, { arrivedAtMs })))).toEqual(["host-gap"]);
    expect(failures(await run(replace(end, { arrivedAtMs }), { crawlDelayMaxMs: 200 }))).toEqual(
      [],
    );
  });

  test("requests for robots.txt are paced too", async () => {
    const arrivedAtMs = (busy[1]?.arrivedAtMs ?? 0) - 50;
    const robots = replace(busy[0], { arrivedAtMs, finishedAtMs: arrivedAtMs + 1 });
    expect(failures(await run(robots))).toEqual(["host-gap"]);
  });

  test("an empty log has lost everything", async () => {
    const report = await run([]);
    expect(failures(report)).toEqual(["lost"]);
    expect(report.checks[0]?.violations).toBe(graph.counts().must);
    expect(report.checks[0]?.examples).toHaveLength(10);
  });
});

describe("the report", () => {
  test("ends with its verdict, and shows every check", async () => {
    const report = await run(clean, { addressDelayMs: 1 });
    const lines = renderAudit(report).split("\n");
    const must = graph.counts().must;
    expect(lines.at(-1)).toBe(
      `PASSED: ${must} of ${must} reachable pages fetched, 18 of 19 checks hold`,
    );
    expect(lines.filter((line) => line.startsWith("ok "))).toHaveLength(18);
  });

  test("has its columns in line, and room in 80 of a terminal's, whatever is allowed", async () => {
    const again = { ...last, arrivedAtMs: afterLastMs, finishedAtMs: afterLastMs + 1 };
    const report = await run([...clean, again], { refetchesAllowed: 1_234, addressDelayMs: 1 });
    expect(report.passed).toBe(true);
    const lines = renderAudit(report).split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const at = lines[0]?.indexOf("proves that");
    for (const [name, proven] of Object.entries(auditChecks)) {
      expect(lines.find((line) => line.includes(` ${name} `))?.indexOf(proven)).toBe(at);
    }
    expect(lines).toContainEqual(expect.stringMatching(/^ +1,234 allowed, /));
  });

  test("marks a check that had nothing to look at, and counts it apart", async () => {
    const report = await run(clean);
    const idle = ["nofollow", "trap"];
    const checks = report.checks.map((check) => ({
      ...check,
      checked: idle.includes(check.name) ? 0 : 1,
    }));
    const lines = renderAudit({ ...report, checks, hosts: 1 }).split("\n");
    expect(
      lines.filter((line) => line.startsWith("- ")).map((line) => line.split(/ +/)[1]),
    ).toEqual(idle);
    expect(lines.at(-2)).toBe("nothing to look at: nofollow, trap");
    expect(lines.at(-1)).toMatch(/, 17 of 19 checks hold$/);
    const pace = lines.findIndex((line) => line.startsWith("per host"));
    expect(lines[pace + 1]).toMatch(/ busy of 1 host\)$/);
  });

  test("does not call a pace kept that was left free", async () => {
    const idleOf = async (rules: Partial<AuditRules>): Promise<AuditCheckName[]> => {
      const { checks } = await run(clean, rules);
      return checks.flatMap(({ checked, name }) => (checked === 0 ? [name] : []));
    };
    const [alone, ...others] = await idleOf({ addressDelayMs: 1 });
    expect(others).toEqual([]);
    expect(await idleOf({ hostDelayMs: 0, crawlDelayMaxMs: 0, addressDelayMs: 0 })).toEqual([
      alone,
      "host-gap",
      "address-gap",
    ]);
    expect(await idleOf({ addressDelayMs: 1, openPerHostMax: 0, openPerAddressMax: 0 })).toEqual([
      alone,
      "host-overlap",
      "address-overlap",
    ]);
  });
});

describe("a log file", () => {
  const directories: string[] = [];
  afterAll(async () => {
    for (const path of directories) await rm(path, { recursive: true });
  });

  async function fileWith(text: string): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "auditor-"));
    directories.push(path);
    await writeFile(join(path, "hits.ndjson"), text);
    return join(path, "hits.ndjson");
  }

  const text = clean.map((each) => `${JSON.stringify(each)}\n`).join("");

  test("gives the same report as its hits", async () => {
    const report = await audit(readHitLog(await fileWith(text)), graph, { hostDelayMs: delayMs });
    expect(report).toEqual(await run(clean));
  });

  test("may end in the middle of a line", async () => {
    const report = await audit(readHitLog(await fileWith(`${text}{"arrivedAtMs": 1`)), graph);
    expect(report.requests).toBe(clean.length);
  });

  test.each(["nonsense", "{}", '{"arrivedAtMs":"1"}', JSON.stringify({ ...clean[0], client: 1 })])(
    "with a damaged line (%s) is refused",
    async (line) => {
      const file = await fileWith(`${line}\n${text}`);
      await expect(audit(readHitLog(file), graph)).rejects.toThrow("line 1: not a hit");
    },
  );
});
