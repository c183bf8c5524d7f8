import { expect, it } from "vitest";
import { decodeClaim } from "../../../src/core/messages/claim.ts";
import type { Claim } from "../../../src/core/messages/claim.ts";
import type { Overlay } from "../../../src/ports/overlay.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** What a peer is given, but what is spread to it is lost on the way where `isLost` says so. */
function deafTo(ports: PeerPorts, isLost: (claim: Claim) => boolean): PeerPorts {
  const { overlay } = ports;
  if (!overlay) return ports;
  const onClaim: Overlay["onClaim"] = (handler) =>
    overlay.onClaim((from, payload) => {
      const claim = decodeClaim(payload, Infinity);
      if (claim && !isLost(claim)) handler(from, payload);
    });
  return { ...ports, overlay: overlayWith(overlay, { onClaim }) };
}

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
    if (ports.overlay?.self !== bench.world.machines[3]?.id) return ports;
    return deafTo(ports, (claim) => "pageCounts" in claim || "pastPageCounts" in claim);
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

it("a member that hears of a greater number of pages when it is reached already fetches nothing more", async () => {
  const bench = new SwarmBench(2, {}, {}, (ports) => {
    if (ports.overlay?.self !== bench.world.machines[1]?.id) return ports;
    return deafTo(ports, (claim) => "jobDefinition" in claim);
  });
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { pagesMax: 40 });
    await Promise.all([bench.finished(0), bench.finished(1)]);
    await bench.peer(0).inject(job, [], { pagesMax: 80 });
    await bench.finished(0);
    expect(bench.peer(1).job(job).definition.options.pagesMax).toBe(40);
    const before = bench.hits.length;
    await bench.pass(10_000);
    expect(bench.peer(1).job(job).definition.options.pagesMax).toBe(80);
    expect(bench.hits.length).toBe(before);
  });
});
