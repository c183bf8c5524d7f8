import { expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { rowsMax } from "../../../src/core/messages/rows.ts";
import type { HostName, SiteName } from "../../../src/core/units.ts";
import { ActiveHosts } from "../../../src/peer/frontier/active-hosts.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import type { Store } from "../../../src/ports/store.ts";

function newHosts(clock: VirtualClock): ActiveHosts {
  const store = { getMany: () => Promise.resolve([undefined]) } as unknown as Store;
  const journal = { append: () => Promise.resolve(), flushed: () => Promise.resolve() };
  const closed = { delete: () => undefined };
  return new ActiveHosts(
    { clock, store },
    { closed, journal } as unknown as ConstructorParameters<typeof ActiveHosts>[1],
    defaultPeerOptions,
    () => undefined,
  );
}

it("heeds what was heard of a host between its row's reading and its place in memory", async () => {
  const clock = new VirtualClock();
  const hosts = newHosts(clock);
  const name = "a.example" as HostName;
  const host = (await hosts.loadAll(new Map([[name, "a.example" as SiteName]]))).get(name);
  const backoffUntilMs = clock.nowMs() + 60_000;
  const clocks = { nextFetchAtMs: backoffUntilMs, backoffUntilMs, crawlDelayMs: 8_000 };
  const heard = { host: name, failuresInRow: 0, breakerBuckets: [], jobs: [], ...clocks };
  await new Promise(setImmediate);
  expect(hosts.heed(heard, new Promise(() => undefined))).toBeUndefined();
  expect(host?.crawlDelayMs).toBeUndefined();
  if (host) expect(hosts.add(host)).toBe(true);
  expect(host?.crawlDelayMs).toBe(8_000);
  expect(host?.visit.gate.nextFetchAtMs).toBe(backoffUntilMs);
});

it("heeds that another member has found a host to fail too often, though none of its failures was the last", async () => {
  const clock = new VirtualClock();
  const hosts = newHosts(clock);
  const name = "a.example" as HostName;
  const host = (await hosts.loadAll(new Map([[name, "a.example" as SiteName]]))).get(name);
  const breakerUntilMs = clock.nowMs() + 40_000;
  const clocks = { nextFetchAtMs: breakerUntilMs, breakerUntilMs };
  const heard = { host: name, failuresInRow: 0, breakerBuckets: [], jobs: [], ...clocks };
  if (host) hosts.add(host);
  expect(hosts.heed(heard, Promise.resolve())).toBe(host);
  expect(host?.visit.gate.nextFetchAtMs).toBe(breakerUntilMs);
});

it("hears as many rows of one host as a message may have, as soon as of as many hosts", async () => {
  const clock = new VirtualClock();
  const hosts = newHosts(clock);
  const none = { failuresInRow: 0, breakerBuckets: [], jobs: [], nextFetchAtMs: 0 };
  for (let crawlDelayMs = 0; crawlDelayMs < rowsMax; crawlDelayMs += 1) {
    hosts.heed({ ...none, host: "a.example", crawlDelayMs }, Promise.resolve());
  }
  await clock.run(clock.sleep(1));
  expect(hosts.size).toBe(0);
});
