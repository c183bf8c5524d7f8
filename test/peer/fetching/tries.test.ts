import { describe, expect, it } from "vitest";
import { htmlPage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

describe("the tries of a URL", () => {
  it("are made on a new connection after the first, whatever other URLs do", async () => {
    const machine = new VirtualPeer((url, asked) => {
      if (url.endsWith("/1")) return asked < 2 ? { failure: "connection-stale" } : htmlPage();
      return url.endsWith("/robots.txt") ? undefined : htmlPage();
    });
    await machine.crawl([1, 2, 3].map((n) => `http://site.example/${n}`));
    const asked = machine.web.requests.map(({ url, needsNewConnection }) => [
      new URL(url).pathname,
      needsNewConnection,
    ]);
    expect(asked.toSorted()).toEqual([
      ["/1", false],
      ["/1", true],
      ["/1", true],
      ["/2", false],
      ["/3", false],
      ["/robots.txt", false],
    ]);
  });

  it.each([
    ["content-length-mismatch", 2],
    ["connection-reset", 3],
  ] as const)("keep what comes of a body that ends with %s in the last", async (failure, tries) => {
    const machine = new VirtualPeer((url) => {
      if (url.endsWith("/cut")) return { ...htmlPage("/linked"), failure };
      return url.endsWith("/robots.txt") ? undefined : htmlPage();
    });
    const peer = await machine.crawl(["http://site.example/cut"]);
    expect(Object.fromEntries(machine.web.counts())).toEqual({
      "http://site.example/cut": tries,
      "http://site.example/linked": 1,
    });
    const [status] = await peer.status(["http://site.example/cut"]);
    expect(status).toMatchObject({ state: "done", httpStatus: 200, attempts: tries });
    expect(machine.archived()).toContain("http://site.example/cut");
  });
});
