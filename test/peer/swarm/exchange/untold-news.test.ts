import { expect, it } from "vitest";
import type { OutboxEntry } from "../../../../src/core/record/record.pb.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { UntoldNews } from "../../../../src/peer/swarm/exchange/untold-news.ts";

/** Those that are remembered, at most. */
const rememberedMax = 10_000;

it("remembers of the URLs that nobody was told of the latest alone", () => {
  const jobs = new JobRegistry();
  jobs.define("j");
  const news = new UntoldNews(jobs);
  const urls = Array.from({ length: rememberedMax + 2 }, (_, at): OutboxEntry => {
    return { url: `http://a.example/${at}`, job: "j", depth: 0, redirectChain: [] };
  });
  news.keep(
    urls,
    urls.map(() => "new"),
  );
  const told = news.tell(
    urls,
    urls.map(() => "known"),
  );
  expect(told.slice(0, 3)).toEqual(["known", "known", "new"]);
  expect(told.filter((result) => result === "new")).toHaveLength(rememberedMax);
});

it("calls new what was new when nobody was told, once, and nothing else", () => {
  const jobs = new JobRegistry();
  jobs.define("j");
  const news = new UntoldNews(jobs);
  const urls = ["new", "known", "elsewhere"].map((path): OutboxEntry => {
    return { url: `http://a.example/${path}`, job: "j", depth: 0, redirectChain: [] };
  });
  news.keep(urls, ["new", "known", "new"]);
  const elsewhere = { holder: undefined };
  expect(news.tell(urls, ["known", "known", elsewhere])).toEqual(["new", "known", elsewhere]);
  expect(news.tell(urls, ["known", "known", "known"])).toEqual(["known", "known", "new"]);
});
