import { expect, it } from "vitest";
import { decodeClaim } from "../../../src/core/messages/claim.ts";
import type { Overlay } from "../../../src/ports/overlay.ts";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import { SwarmBench } from "./swarm-bench.ts";

it("a number of pages that a job is given later counts those of members that have left before", async () => {
  const bench = new SwarmBench(4);
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 1_000 });
    await bench.pass(4_000);
    for (const index of [2, 3]) {
      await bench.peer(index).leave();
      await bench.machine(index).stop();
    }
    await bench.settled();
    const before = bench.hits.length;
    expect(before).toBeLessThan(150);
    await bench.inject(0, { delayMs: 1_000, pagesMax: before });
    await bench.finished(0);
    await bench.finished(1);
    const [job] = (await bench.peer(1).swarmStats()).jobs;
    expect(job?.counts.pages).toBe(bench.hits.length);
    // Of each host what was fetched before all had heard.
    expect(bench.hits.length).toBeLessThanOrEqual(before + 24);
  });
});

it("a member that joins a job which has reached its number of pages fetches nothing of it, also where no count was spread to it", async () => {
  const bench = new SwarmBench(3, {}, {}, (ports) => {
    const { overlay } = ports;
    if (!overlay || overlay.self !== bench.world.machines[3]?.id) return ports;
    // What is spread is lost on the way to the newcomer.
    const onClaim: Overlay["onClaim"] = (handler) =>
      overlay.onClaim((from, payload) => {
        const claim = decodeClaim(payload, Infinity);
        if (claim && !("pageCounts" in claim) && !("pastPageCounts" in claim))
          handler(from, payload);
      });
    return { ...ports, overlay: overlayWith(overlay, { onClaim }) };
  });
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 1_000, pagesMax: 40 });
    await bench.finished(0);
    // The count of one that is gone is passed on.
    await bench.peer(2).leave();
    await bench.machine(2).stop();
    await bench.settled();
    const before = bench.hits.length;
    const newcomer = bench.world.addMachine();
    await newcomer.start();
    await bench.settled();
    await bench.pass(4_000);
    expect(newcomer.peer.swarm?.territory.held.isEmpty).toBe(false);
    expect(bench.hits.length).toBe(before);
    await bench.finished(3);
  });
});
