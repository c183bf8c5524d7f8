import { expect, it } from "vitest";
import { htmlPage } from "../../support/table-web.ts";
import type { TablePage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

it("is asked for again where a robots.txt breaks off after other failures", async () => {
  const failures: TablePage[] = [
    { status: 500 },
    { failure: "connection-reset" },
    { body: "User-agent: *\n", truncation: "disconnect" },
    { body: "User-agent: *\n", truncation: "disconnect" },
  ];
  const machine = new VirtualPeer((url, asked) => {
    if (!url.endsWith("/robots.txt")) return htmlPage("/open", "/secret/page");
    return failures[asked] ?? { body: "User-agent: *\nDisallow: /secret/\n" };
  });
  await machine.crawl(["http://site.example/"]);
  expect([...machine.web.counts().keys()]).toEqual([
    "http://site.example/",
    "http://site.example/open",
  ]);
});
