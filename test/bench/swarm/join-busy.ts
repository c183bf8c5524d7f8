/**
 * How soon a peer that joins one at full speed takes its part of the crawl, and what the crawl loses meanwhile.
 *
 *   node test/bench/swarm/join-busy.ts [--pages 40000] [--sites 200] [--after 8] [--json]
 *
 * One peer crawls without a delay; after so many seconds a second one is started, which has to be sent a copy of half of what
 * is known before it may begin. Requests are counted in the server's log, by their user agent.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import { until } from "../../support/until.ts";
import { runBenchmark, say } from "./bench-run.ts";
import { fetcherOf } from "./bench-swarm.ts";

const job = "join-busy";
const [first, second] = ["peer-1", "peer-2"];
const startedWithinMs = 60_000;
const joinsWithinMs = 300_000;
/** So long both are watched when both crawl. */
const watchMs = 5_000;

const flags = { pages: 40_000, sites: 200, after: 8 };

await runBenchmark({
  name: "join-busy",
  flags,
  run: async (bench, { pages, sites, after }) => {
    const web = await bench.sampleWeb({ sites, pages });
    const hits: Hit[] = [];
    const read = (): boolean => hits.push(...web.hits.read()) > 0;
    const one = await bench.startPeer(first, ["--listen", "127.0.0.1:0", ...web.flags]);
    await one.inject(job, web.web.rootUrls(), { scope: "any", delayMs: 0 });
    await until("the crawl has begun", read, startedWithinMs);
    await sleep(after * 1_000);
    const startedAtMs = Date.now();
    await bench.startPeer(second, [...one.joinFlags, ...web.flags]);
    say(`${second} is ready after ${Date.now() - startedAtMs} ms`);
    const ofSecond = (): Hit | undefined => hits.find((hit) => fetcherOf(hit) === second);
    const joined = (): boolean => read() && ofSecond() !== undefined;
    await until(`${second} has fetched something`, joined, joinsWithinMs);
    const joinedAtMs = ofSecond()?.arrivedAtMs ?? NaN;
    await sleep(watchMs);
    read();
    const rate = (fromMs: number, toMs: number): number => {
      const within = hits.filter((hit) => hit.arrivedAtMs >= fromMs && hit.arrivedAtMs < toMs);
      return (1_000 * within.length) / (toMs - fromMs);
    };
    const beganAtMs = hits[0]?.arrivedAtMs ?? NaN;
    const before = hits.filter(({ arrivedAtMs }) => arrivedAtMs < startedAtMs).length;
    return {
      about: `${pages} pages of ${sites} sites, no delay; ${second} is started after ${before} requests`,
      figures: [
        { name: "start to first request", value: (joinedAtMs - startedAtMs) / 1_000, unit: "s" },
        { name: "alone", value: rate(beganAtMs, startedAtMs), unit: "requests/s" },
        { name: "while it joins", value: rate(startedAtMs, joinedAtMs), unit: "requests/s" },
        { name: "both", value: rate(joinedAtMs, joinedAtMs + watchMs), unit: "requests/s" },
      ],
    };
  },
});
