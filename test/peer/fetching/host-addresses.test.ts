import { describe, expect, it } from "vitest";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
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

describe("names whose look-ups fail slowly", () => {
  const openRequestsMax = 8;

  /** Pages that hosts that live give in a minute, beside so many hosts that do not. */
  async function pagesBeside(lost: number): Promise<number> {
    const dispatcher = { ...defaultPeerOptions.dispatcher, openRequestsMax };
    const machine = new VirtualPeer(() => htmlPage(), { dispatcher });
    const resolve = machine.web.resolve.bind(machine.web);
    machine.web.resolve = async (host) => {
      if (machine.web.lostNames.has(host)) await machine.clock.sleep(10_000);
      return resolve(host);
    };
    const names = Array.from({ length: lost }, (_, number) => `lost-${number}.example`);
    for (const name of names) machine.web.lostNames.add(name);
    const live = Array.from({ length: 200 }, (_, n) => `http://live-${n % 4}.example/${n}`);
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject([...names.map((name) => `http://${name}/`), ...live]);
        await machine.clock.sleep(45_000);
      })(),
    );
    expect(machine.web.notFound.length).toBeGreaterThanOrEqual(lost);
    return machine.web.counts().size;
  }

  it("keep no other request from being made, however many they are", async () => {
    const alone = await pagesBeside(0);
    expect(alone).toBeGreaterThan(100);
    expect(await pagesBeside(openRequestsMax * 4)).toBe(alone);
  });
});
