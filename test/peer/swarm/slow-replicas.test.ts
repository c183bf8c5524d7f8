import { describe, expect, it } from "vitest";
import { jobSpace, urlKey } from "../../../src/core/record/url-keys.ts";
import { ringPosition } from "../../../src/core/record/host-keys.ts";
import { queuedRecord } from "../../../src/core/record/url-state.ts";
import type { SiteName } from "../../../src/core/units.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Each sync takes as long as another. */
const diskTimes = { syncMedianMs: 10, syncTail: 0 };

/** A sync takes 3.5 s then, longer than an acknowledgement waits for it. */
const slowness = 350;

describe("a seed whose owner has to wait for a replica", () => {
  it.each([0, 1])("is told to be new once, when it is injected at member %i", async (index) => {
    const bench = new SwarmBench(2, { machine: { diskTimes } });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 60_000 });
      await bench.pass(2_000);
      const sites = Array.from({ length: 20 }, (_, n) => `http://site-${n}.invalid/`);
      const seeds = sites.filter((url) => bench.holderOf(url) === 0).slice(0, 3);
      bench.machine(1).disk.slowness = slowness;
      const report = await bench.peer(index).inject(job, seeds);
      expect(report).toMatchObject({ added: 3, known: 0 });
      expect(await bench.peer(index).inject(job, seeds)).toMatchObject({ added: 0, known: 3 });
    });
  });
});

describe("rows that are brought home to a holder", () => {
  it("come again while as many wait for its replica as may", async () => {
    const bench = new SwarmBench(2, { machine: { diskTimes } }, { queuedRowsMax: 100 });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 60_000 });
      await bench.pass(2_000);
      const site = ["a.test", "b.test", "c.test"].find(
        (name) => bench.holderOf(`http://${name}/`) === 0,
      );
      if (site === undefined) throw new Error("a site of the first member");
      bench.machine(1).disk.slowness = slowness;
      const rows = Array.from({ length: 300 }, (_, n) => ({
        key: urlKey(
          "url",
          ringPosition(site as SiteName),
          Uint32Array.of(n, 1, 2, 3),
          0,
          jobSpace(job),
        ),
        value: queuedRecord(0),
      }));
      const kinds: string[] = [];
      for (let from = 0; from < rows.length; from += 50) {
        const part = rows.slice(from, from + 50);
        const outcome = await bench.peer(1).swarm?.calls.homeRows(bench.machine(0).id, part);
        kinds.push(outcome?.kind ?? "none");
      }
      expect([kinds[0], kinds.at(-1)]).toEqual(["reply", "busy"]);
      expect(bench.peer(0).swarm?.replicator.queuedRows).toBeLessThanOrEqual(150);
    });
  });
});
