import { expect, it } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import { htmlPage, type TablePage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const seed = "http://site.example/";
const etag = '"v1"';
const { body = "" } = htmlPage("/linked");

const pages: Readonly<Record<string, TablePage>> = {
  [seed]: htmlPage("/doc.txt", "/doc"),
  "http://site.example/doc.txt": { headers: { "content-type": "text/plain" }, body },
  "http://site.example/doc": { headers: { "content-type": "text/html" }, body },
  "http://site.example/linked": htmlPage(),
};

it("takes an unchanged page for what its own head says, though its content is archived under another's", async () => {
  const machine = new VirtualPeer((url, asked) => {
    const page = pages[url];
    if (page && asked > 0) return { status: 304, headers: { etag } };
    return page && { ...page, headers: { ...page.headers, etag } };
  });
  await machine.crawl([seed]);
  const again = "again" as JobId;
  await machine.clock.run(
    (async () => {
      await machine.peer.inject(again, [seed]);
      await machine.peer.jobFinished(again, new AbortController().signal);
    })(),
  );
  expect(machine.peer.job(again).counts).toMatchObject({ pages: 3, statuses: { "3xx": 4 } });
  const { headers } = await machine.peer.content("http://site.example/doc", again);
  expect(headers).toContain("text/html");
});
