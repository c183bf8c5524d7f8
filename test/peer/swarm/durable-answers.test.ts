import { expect, it } from "vitest";
import type { Row } from "../../../src/core/messages/rows.ts";
import { lastKeyOf } from "../../../src/core/record/key-ranges.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { storeWith } from "./store-with.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const url = "http://found.example/" as CanonicalUrl;
const done = UrlRecord.encode({ ...urlState.fresh, state: urlState.done, url, attempts: 1 });
const row = { key: urlRow(url, new JobRegistry().define(job)).key, value: done };

const behind = new Uint8Array(0);
const span = { arcs: ArcSet.whole, tag: "url", after: behind, last: lastKeyOf("url") } as const;
const asked = { ...span, limit: 9, known: new Uint8Array(0) };

/** The rows that the first member tells the second one of when it is asked for those that it has. */
async function pull(bench: SwarmBench): Promise<readonly Row[] | undefined> {
  const reply = await bench.peer(1).swarm?.calls.pull(bench.machine(0).id, asked);
  return reply?.rows;
}

it("a member is told of a row when it is on the disk, though it can be read before", async () => {
  const synced = Promise.withResolvers<undefined>();
  let isSlow = false;
  const bench = new SwarmBench(2, {}, {}, (ports) => {
    const write: typeof ports.store.write = async (...batch) => {
      await ports.store.write(...batch);
      if (isSlow) await synced.promise;
    };
    return { ...ports, store: storeWith(ports.store, { write }) };
  });
  await bench.run(async () => {
    await bench.begin();
    isSlow = true;
    const taken = bench.peer(0).swarm?.keeper.take([row], 0, "superseded");
    await bench.pass(1_000);
    expect(bench.machine(0).disk.has(row.key)).toBe(true);
    expect(await pull(bench)).toBe(undefined);
    synced.resolve(undefined);
    await taken;
    expect(await pull(bench)).toEqual([row]);
  });
});
