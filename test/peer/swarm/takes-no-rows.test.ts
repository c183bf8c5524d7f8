import { expect, it } from "vitest";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { defaultSwarmOptions, type SwarmOptions } from "../../../src/peer/swarm/swarm-options.ts";
import type { Overlay } from "../../../src/ports/overlay.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** A swarm whose last member takes no row of a copy while it is told so, and is a good member otherwise. */
class Refusal {
  isOn = false;
  readonly bench: SwarmBench;

  constructor(size: number, options: Partial<SwarmOptions> = {}) {
    const stream = { ...defaultSwarmOptions.stream, patienceMs: 10_000, putOffRetryMs: 2_000 };
    let peers = 0;
    this.bench = new SwarmBench(size, {}, { stream, ...options }, (ports) => {
      peers += 1;
      const { overlay } = ports;
      return overlay && peers === size ? { ...ports, overlay: this.#refusing(overlay) } : ports;
    });
  }

  #refusing(overlay: Overlay): Overlay {
    return overlayWith(overlay, {
      serve: (kind, handler) =>
        overlay.serve(kind, async (from, payload) =>
          this.isOn && kind === messageKinds.rows
            ? { kind: "busy", retryAfterMs: 200 }
            : handler(from, payload),
        ),
    });
  }
}

it("a member that takes no rows keeps nobody from crawling, and has everything when it takes them again", async () => {
  const refusal = new Refusal(3, { queuedRowsMax: 20 });
  const { bench } = refusal;
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 1_000 });
    refusal.isOn = true;
    await bench.pass(3 * 60_000);
    expect(bench.urls).toHaveLength(240);
    let isOver = false;
    const finished = bench.finished(1).then(() => (isOver = true));
    await bench.pass(60_000);
    // Of what the one has written there is no copy.
    expect(isOver).toBe(false);
    refusal.isOn = false;
    await finished;
    bench.machine(0).kill();
    await bench.pass(30_000);
    await bench.finished(1);
  });
  expect(bench.hits).toHaveLength(240);
});

it("a member that takes no rows keeps nobody from crawling though as many links as may wait lead to its sites", async () => {
  const { exchange } = defaultSwarmOptions;
  const lane = { ...exchange.lane, patienceMs: 10_000, putOffRetryMs: 2_000 };
  const refusal = new Refusal(3, { exchange: { ...exchange, lane, pendingMax: 10 } });
  const { bench } = refusal;
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 1_000 });
    refusal.isOn = true;
    await bench.pass(5 * 60_000);
    expect(bench.urls).toHaveLength(240);
    expect(bench.peers.map(({ swarm }) => swarm?.exchange.full)).toEqual([false, false, false]);
    refusal.isOn = false;
    await bench.finished(1);
  });
  expect(bench.hits).toHaveLength(240);
});

it("a member that takes no rows keeps no URL from its owner whose copies are others' to keep", async () => {
  const { exchange } = defaultSwarmOptions;
  const lane = { ...exchange.lane, batchMax: 5, messagesMax: 1 };
  const refusal = new Refusal(3, { exchange: { ...exchange, lane } });
  const { bench } = refusal;
  const urls = Array.from({ length: 60 }, (_, n) => `http://site-${n}.invalid/`);
  const states = await bench.run(async () => {
    await bench.begin();
    await bench.inject(0);
    refusal.isOn = true;
    // Of some of them there are no copies.
    await expect(bench.peer(0).inject(job, urls)).rejects.toThrow("not acknowledged");
    return bench.peer(0).status(urls);
  });
  expect(states.filter(({ state }) => state === "unknown")).toEqual([]);
});
