import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { CanonicalUrl } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import type { Exchange } from "../../../../src/peer/swarm/exchange/exchange.ts";
import { injectSeeds } from "../../../../src/peer/swarm/exchange/inject-seeds.ts";
import type { Parcel } from "../../../../src/peer/swarm/exchange/parcel.ts";

const urls = ["http://a.example/", "http://b.example/"] as CanonicalUrl[];
const timeoutMs = 30_000;

/** Seeds on their way; the test says what becomes of them. */
function newInjection() {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const sent: Parcel[] = [];
  const withdrawn: Uint8Array[] = [];
  const exchange = {
    send: (parcel: Parcel) => sent.push(parcel),
    withdraw: (rowKey: Uint8Array) => withdrawn.push(rowKey),
  } as unknown as Exchange;
  const job = new JobRegistry().define("j");
  const injected = injectSeeds({ clock, exchange }, job, urls, timeoutMs, stop.signal);
  return { clock, stop, sent, withdrawn, injected };
}

it("seeds are counted when all have been acknowledged", async () => {
  const { sent, injected, stop, clock } = newInjection();
  sent.forEach((parcel, at) => parcel.waiters[0]?.(at === 0));
  expect(await injected).toBe(1);
  expect(clock.sleepers).toBe(0);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

it("seeds that are not acknowledged are taken back when the time is over", async () => {
  const { clock, sent, withdrawn, injected } = newInjection();
  const startMs = clock.nowMs();
  await expect(clock.run(injected)).rejects.toMatchObject({ code: "SWARM_BUSY" });
  expect(clock.nowMs() - startMs).toBe(timeoutMs);
  expect(withdrawn).toEqual(sent.map(({ rowKey }) => rowKey));
});

it("seeds that are not acknowledged are taken back when the peer stops, and nothing goes on", async () => {
  const { clock, stop, sent, withdrawn, injected } = newInjection();
  stop.abort();
  await expect(injected).rejects.toMatchObject({ code: "SWARM_BUSY" });
  expect(withdrawn).toEqual(sent.map(({ rowKey }) => rowKey));
  expect(clock.sleepers).toBe(0);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});
