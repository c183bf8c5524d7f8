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

it.each([
  ["404", {}, "http://site.example/secret/page"],
  ["301", { location: "/rules" }, undefined],
])("takes a %s for what its head says, however its body ends", async (status, headers, more) => {
  const torn = {
    status: Number(status),
    headers,
    body: "<p>",
    failure: "connection-reset",
  } as const;
  const machine = new VirtualPeer((url) => {
    if (url.endsWith("/robots.txt")) return torn;
    if (url.endsWith("/rules")) return { body: "User-agent: *\nDisallow: /secret/\n" };
    return htmlPage("/open", "/secret/page");
  });
  await machine.crawl(["http://site.example/"]);
  const asked = [...machine.web.counts().keys()].filter((url) => !url.endsWith("/rules"));
  expect(asked).toEqual([
    "http://site.example/",
    "http://site.example/open",
    ...(more === undefined ? [] : [more]),
  ]);
});
