import { expect, it } from "vitest";
import { jobSpace, urlKey } from "../../../src/core/record/url-keys.ts";
import { ringPosition } from "../../../src/core/record/host-keys.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import type { Row } from "../../../src/core/messages/rows.ts";
import { slowLookUps } from "./store-with.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** What another member that fetched the URL has of it. */
function doneRow(url: CanonicalUrl): Row {
  const site = siteOfHost(hostOf(url));
  const key = urlKey("url", ringPosition(site), fingerprintOf(dedupeKey(url)), 0, jobSpace(job));
  const done = { state: urlState.done, url, httpStatus: 200, fetchedAtMs: 5, attempts: 1 };
  return { key, value: UrlRecord.encode({ ...urlState.fresh, ...done, capturedBy: "x" }) };
}

const readMs = 5;

it("a URL's end that comes from another member while it is admitted here stays its end", async () => {
  const bench = new SwarmBench(2, {}, {}, slowLookUps(readMs));
  const regressed: string[] = [];
  await bench.run(async () => {
    await bench.begin();
    await bench.peer(0).inject(job, [], {});
    await bench.peer(0).changeJob(job, "pause");
    await bench.pass(1_000);
    // Nobody knows from outside when the look-up is under way.
    for (let ms = 0; ms <= 40; ms += 1) {
      const url = `http://found-${ms}.example/elsewhere` as CanonicalUrl;
      const holder = bench.holderOf(url);
      const sender = bench.peer(1 - holder).swarm;
      const sent = sender?.calls.rows(bench.machine(holder).id, [doneRow(url)]);
      await bench.pass(ms);
      await bench.peer(holder).inject(job, [url]);
      expect((await sent)?.kind).toBe("reply");
      await bench.pass(500);
      const [status] = await bench.peer(holder).status([url], job);
      if (status?.state !== "done") regressed.push(`${ms} ms: ${status?.state}`);
    }
    await bench.peer(0).changeJob(job, "resume");
    await bench.finished(0);
    expect(bench.hits.filter(({ url }) => url.includes("//found-"))).toEqual([]);
  });
  expect(regressed).toEqual([]);
});
