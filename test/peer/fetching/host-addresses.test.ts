import { describe, expect, it } from "vitest";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

/** Each page of a host that lives leads to its next one, and to one of a host that is out of reach. */
const web: Pages = (url) => {
  const page = Number(/^http:\/\/live\.example\/(\d+)$/.exec(url)?.[1] ?? NaN);
  if (Number.isNaN(page)) return undefined;
  return htmlPage(`http://live.example/${page + 1}`, `http://lost.example/${page}`);
};

describe("a name that cannot be resolved", () => {
  it("is looked up when its host may be asked again, not as often as links to it are found", async () => {
    const machine = new VirtualPeer(web);
    machine.web.lostNames.add("lost.example");
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject(["http://live.example/0"], { delayMs: 1_000, scope: "any" });
        await machine.clock.sleep(60_000);
        expect(machine.web.counts().size).toBeGreaterThan(50);
        // Its robots.txt is waited for 2, 4, 8, 16 and 32 seconds.
        expect(machine.web.notFound.length).toBeLessThanOrEqual(6);
        machine.web.lostNames.clear();
        await machine.clock.sleep(120_000);
      })(),
    );
    expect([...machine.web.counts().keys()]).toContain("http://lost.example/0");
  });
});
