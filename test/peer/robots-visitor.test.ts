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
});
