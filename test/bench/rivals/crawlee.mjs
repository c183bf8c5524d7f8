// Crawlee's CheerioCrawler as its guides say for speed: no session pool, nothing persisted, the concurrency fixed so
// that it does not climb slowly, and memory enough that the autoscaler never waits for it.
// Plain JavaScript outside of lint and type check, because its packages are installed by this folder's own package.json.
import { CheerioCrawler, Configuration, LogLevel, log } from "@crawlee/cheerio";

const { start, connections, anyHost } = JSON.parse(process.argv[2] ?? "{}");
log.setLevel(LogLevel.OFF);
const configuration = new Configuration({
  persistStorage: false,
  memoryMbytes: 4096,
});
let pages = 0;
const crawler = new CheerioCrawler(
  {
    minConcurrency: connections,
    maxConcurrency: connections,
    autoscaledPoolOptions: { desiredConcurrency: connections },
    useSessionPool: false,
    respectRobotsTxtFile: true,
    maxRequestRetries: 2,
    statisticsOptions: { logIntervalSecs: 3600 },
    async requestHandler({ request, $, enqueueLinks, crawler: self }) {
      pages += 1;
      await enqueueLinks({
        selector: "a[href], area[href]",
        strategy: anyHost ? "all" : "same-hostname",
      });
      // enqueueLinks reads href alone.
      const frames = $("frame[src], iframe[src]")
        .map((_, frame) => URL.parse($(frame).attr("src"), request.loadedUrl)?.href)
        .get();
      const home = new URL(start).host;
      const wanted = frames.filter((url) => anyHost || new URL(url).host === home);
      if (wanted.length > 0) await self.addRequests(wanted);
    },
    // A page that is missing is an outcome, not an error to print.
    failedRequestHandler() {},
  },
  configuration,
);
await crawler.run([start]);
console.log(JSON.stringify({ pages }));
// Its own timers would keep the process for some 20 s more, in which nothing happens.
process.exit(0);
