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
});
