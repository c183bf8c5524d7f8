import { expect, it } from "vitest";
import { retag } from "../../../src/core/record/url-keys.ts";
import { ExclusionRecord, UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import type { Row } from "../../../src/core/messages/rows.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { slowLookUps } from "./store-with.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const named = new JobRegistry().define(job);

/** What another member that fetched the URL has of it. */
function doneRow(url: CanonicalUrl): Row {
  const done = { state: urlState.done, url, httpStatus: 200, fetchedAtMs: 5, attempts: 1 };
  const value = UrlRecord.encode({ ...urlState.fresh, ...done, capturedBy: "x" });
  return { key: urlRow(url, named).key, value };
}

/** What another member that kept the URL out has of it, and counts. */
function exclusionRow(url: CanonicalUrl): Row {
  const key = retag(urlRow(url, named).key, "exclusion");
  return { key, value: ExclusionRecord.encode({ url, reason: "scope" }) };
}

const readMs = 50;

interface Case {
  readonly comes: string;
  readonly row: (url: CanonicalUrl) => Row;
  /** What this peer makes of the URL, and whether it kept it out before. */
  readonly judged: "let in" | "kept out";
  readonly wasKeptOut: boolean;
}

it.each<Case>([
  { comes: "record", row: doneRow, judged: "kept out", wasKeptOut: false },
  { comes: "record", row: doneRow, judged: "let in", wasKeptOut: true },
  { comes: "exclusion", row: exclusionRow, judged: "let in", wasKeptOut: false },
])(
  "a URL whose $comes comes from another member while it is $judged here does not count as skipped",
  async ({ row, judged, wasKeptOut }) => {
    const bench = new SwarmBench(2, {}, {}, slowLookUps(readMs));
    const kept: string[] = [];
    const tries = 41;
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [], {});
      await bench.peer(0).changeJob(job, "pause");
      await bench.pass(1_000);
      // Nobody knows from outside when the look-up is under way.
      for (let at = 0; at < tries; at += 1) {
        const url = `http://found-${at}.example/` as CanonicalUrl;
        const holder = bench.holderOf(url);
        const { id, disk } = bench.machine(holder);
        const calls = bench.peer(1 - holder).swarm?.calls;
        const entry = { url, job, depth: 1, redirectChain: [] };
        const out = { ...entry, excluded: "scope" };
        // The latter are looked at together, when the first is done, and one of them is of a host that is read.
        const keepOut = () =>
          calls?.forward(id, [
            { ...entry, url: `http://first.found-${at}.example/` },
            { ...entry, url: `http://second.found-${at}.example/`, depth: 2 },
            { ...out, url: `${url}other` },
            out,
          ]);
        if (wasKeptOut) await keepOut();
        await bench.pass(500);
        const sent = calls?.rows(id, [row(url)]);
        await bench.pass(at);
        await (judged === "let in" ? bench.peer(holder).inject(job, [url]) : keepOut());
        expect((await sent)?.kind).toBe("reply");
        await bench.pass(500);
        if (disk.has(exclusionRow(url).key)) kept.push(url);
      }
      const [stats] = (await bench.peer(0).swarmStats()).jobs;
      // The other URL of each try is.
      const others = wasKeptOut || judged === "kept out" ? tries : 0;
      expect(stats?.counts.skipped.scope ?? 0).toBe(others);
    });
    expect(kept).toEqual([]);
  },
);
