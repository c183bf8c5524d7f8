import { describe, expect, it } from "vitest";
import { htmlPage } from "../support/table-web.ts";
import { VirtualPeer } from "../support/virtual-peer.ts";

describe("robots.txt, as a peer asks for it", () => {
  it.each(["length", "time", "disconnect"] as const)(
    "says nothing with the line at which a body was cut (%s)",
    async (truncation) => {
      const body = "User-agent: *\nDisallow: /secret/\nDisallow: /";
      const machine = new VirtualPeer((url) =>
        url.endsWith("/robots.txt") ? { body, truncation } : htmlPage("/open", "/secret/page"),
      );
      await machine.crawl(["http://site.example/"]);
      expect([...machine.web.counts().keys()]).toEqual([
        "http://site.example/",
        "http://site.example/open",
      ]);
    },
  );

  it.each([429, 503])(
    "is asked for again no sooner than a %i's Retry-After says",
    async (status) => {
      const machine = new VirtualPeer((url, asked) => {
        if (!url.endsWith("/robots.txt")) return htmlPage();
        return asked < 2 ? { status, headers: { "retry-after": "120" } } : { status: 404 };
      });
      await machine.crawl(["http://site.example/"]);
      const [first, ...later] = machine.web.hits.map(({ startedAtMs }) => startedAtMs);
      const rests = later.map((atMs, index) => atMs - (later[index - 1] ?? first ?? 0));
      expect(rests).toEqual([120_020, 120_020, 1_020]);
    },
  );
});
