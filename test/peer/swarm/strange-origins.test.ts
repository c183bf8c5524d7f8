import { describe, expect, it } from "vitest";
import { robotsKey } from "../../../src/core/record/host-keys.ts";
import { RobotsRecord } from "../../../src/core/record/record.pb.ts";
import type { OriginName, SiteName } from "../../../src/core/units.ts";
import { SwarmBench } from "./swarm-bench.ts";

const site = "found.example" as SiteName;

describe("a robots.txt whose origin is no name that a peer gives it", () => {
  it.each(["http://found.example/ ", `http://found.example/${"x".repeat(300)}`])(
    "keeps nobody from what is known of its host: %s",
    async (origin) => {
      const bench = new SwarmBench(2);
      await bench.run(async () => {
        await bench.begin();
        const holder = bench.holderOf(`http://${site}/`);
        const other = bench.peer(1 - holder);
        const key = robotsKey(site, origin as OriginName);
        const value = RobotsRecord.encode({
          origin,
          verdict: "allow-all",
          body: "",
          fetchedAtMs: 1,
          expiresAtMs: 2,
          httpStatus: 404,
          failuresInRow: 0,
        });
        await other.swarm?.calls.rows(bench.machine(holder).id, [{ key, value }]);
        const status = await other.host(site);
        expect(status).not.toHaveProperty("replica");
        expect(status).toMatchObject({ owner: bench.machine(holder).id, robots: [] });
      });
    },
  );
});
