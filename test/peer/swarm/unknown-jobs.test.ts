import { describe, expect, it } from "vitest";
import { jobSpace, urlKey } from "../../../src/core/record/url-keys.ts";
import { outboxKey } from "../../../src/core/record/outbox-key.ts";
import { ringPosition } from "../../../src/core/record/host-keys.ts";
import { OutboxEntry } from "../../../src/core/record/record.pb.ts";
import type { JobId, SiteName } from "../../../src/core/units.ts";
import { defaultSwarmOptions } from "../../../src/peer/swarm/swarm-options.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const unknown = "unknown" as JobId;

describe("URLs of a job that nobody here knows, on their way to their owners", () => {
  it("wait, and keep nobody from the jobs that are known", async () => {
    const bench = new SwarmBench(
      2,
      {},
      { exchange: { ...defaultSwarmOptions.exchange, pendingMax: 100 } },
    );
    await bench.run(async () => {
      await bench.begin();
      const position = ringPosition("elsewhere.example" as SiteName);
      const holder = bench.holderOf("http://elsewhere.example/");
      const entry = { url: "http://elsewhere.example/", depth: 0, redirectChain: [], job: unknown };
      const value = OutboxEntry.encode(entry);
      const rows = Array.from({ length: 150 }, (_, n) => ({
        key: outboxKey(
          position,
          urlKey("url", position, Uint32Array.of(n, 1, 2, 3), 0, jobSpace(unknown)),
        ),
        value,
      }));
      const { exchange } = bench.peer(holder).swarm ?? {};
      await bench.peer(1 - holder).swarm?.calls.rows(bench.machine(holder).id, rows);
      expect(exchange).toMatchObject({ pending: 150, full: false });
      await bench.inject(0);
      await bench.finished(1);
      expect(bench.peer(0).job(job)).toMatchObject({ finished: true });
      expect(exchange?.pendingOf(jobSpace(unknown))).toBe(150);
    });
  });
});
