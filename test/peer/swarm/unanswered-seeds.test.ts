import { expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Two members, of which the second does not answer who brings it URLs until then. */
function benchWithDeaf(): { bench: SwarmBench; deaf: { untilMs: number } } {
  const deaf = { untilMs: 0 };
  const adapt = (ports: PeerPorts): PeerPorts => {
    const { clock, overlay } = ports;
    if (overlay?.self !== "peer-1") return ports;
    const serve = overlay.serve.bind(overlay);
    overlay.serve = (kind, handler) => {
      serve(kind, async (from, payload) => {
        const isDeaf = kind === messageKinds.forward && clock.nowMs() < deaf.untilMs;
        return isDeaf ? new Promise(() => undefined) : handler(from, payload);
      });
    };
    return ports;
  };
  return { bench: new SwarmBench(0, {}, {}, adapt), deaf };
}

it("a limit that is raised counts at once, though an owner of the seeds that come with it does not answer", async () => {
  const { bench, deaf } = benchWithDeaf();
  for (let index = 0; index < 2; index += 1) bench.world.addMachine();
  await bench.run(async () => {
    await bench.begin();
    const roots = bench.world.sampleWeb.rootUrls();
    const [own, others] = [0, 1].map((at) => roots.filter((url) => bench.holderOf(url) === at));
    const options = { ...defaultJobOptions, delayMs: 100, pagesMax: 5 };
    await bench.peer(0).inject(job, own ?? [], options);
    await bench.finished(0);
    deaf.untilMs = Infinity;
    const raised = bench.peer(0).inject(job, others ?? [], { pagesMax: 1_000 });
    await expect(raised).rejects.toMatchObject({ code: "SWARM_BUSY" });
    await bench.pass(60_000);
    expect(bench.peer(0).job(job)).toMatchObject({ finished: true, counts: { queued: 0 } });
    expect(bench.hits.length).toBeGreaterThan(100);
  });
});

it("what a peer has done before all seeds are in is neither told nor timed twice", async () => {
  const told: unknown[] = [];
  const { bench, deaf } = benchWithDeaf();
  for (let index = 0; index < 2; index += 1) {
    bench.world.addMachine({
      onLog: ({ peer, event }) => {
        if (event === "job-finished-here" && peer === "peer-0") told.push(event);
      },
    });
  }
  await bench.run(async () => {
    await bench.begin();
    const roots = bench.world.sampleWeb.rootUrls();
    const seeds = [0, 1].flatMap((at) => roots.find((url) => bench.holderOf(url) === at) ?? []);
    deaf.untilMs = bench.world.clock.nowMs() + 12_000;
    await bench.peer(0).inject(job, seeds, { ...defaultJobOptions, scope: "page" });
    await bench.finished(0);
    await bench.pass(10_000);
    expect(bench.urls).toHaveLength(2);
    expect(bench.peer(0).job(job).counts.activeMs).toBeLessThan(5_000);
    expect(told).toHaveLength(1);
  });
});
