import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { QueuedUrl } from "../../../src/core/frontier/queued-row.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { PutOffUrls } from "../../../src/peer/frontier/put-off-urls.ts";

const perHostMax = 256;
const ofAllMax = 8_192;

/** A host with so many queued URLs, and those of them that have been put back. */
function newHost(
  liveCount = 0,
  isUnread = false,
): { readonly host: Host; readonly back: QueuedUrl[] } {
  const back: QueuedUrl[] = [];
  const queue = { liveCount, putBack: (url: QueuedUrl) => void back.push(url) };
  return { host: { isUnread, visit: { queue } } as unknown as Host, back };
}

const newUrl = (weight = 1): QueuedUrl => ({ id: "url", weight }) as QueuedUrl;

/** With the hosts of which one has come back, in this order. */
function newPutOff() {
  const [clock, stop, returned] = [new VirtualClock(), new AbortController(), [] as Host[]];
  const onBack = (host: Host): void => void returned.push(host);
  return { clock, stop, returned, putOff: new PutOffUrls(clock, { signal: stop.signal, onBack }) };
}

describe("URLs that are put off", () => {
  it("come back each in its time, and their host is looked after then", async () => {
    const { clock, putOff, returned } = newPutOff();
    const { host, back } = newHost(2);
    const [late, soon] = [newUrl(), newUrl()];
    const startMs = clock.nowMs();
    expect([putOff.backAtMs(host), putOff.areAllOf(host)]).toEqual([Infinity, false]);
    putOff.add(host, late, startMs + 2_000);
    expect([putOff.backAtMs(host), putOff.areAllOf(host)]).toEqual([startMs + 2_000, false]);
    putOff.add(host, soon, startMs + 1_000);
    expect([putOff.backAtMs(host), putOff.areAllOf(host)]).toEqual([startMs + 1_000, true]);
    await clock.run(clock.sleep(1_500));
    expect(back).toEqual([soon]);
    expect(back[0]).toBe(soon);
    expect([returned, putOff.countOf(host), putOff.backAtMs(host)]).toEqual([
      [host],
      1,
      startMs + 2_000,
    ]);
    await clock.run(clock.sleep(1_000));
    expect(back[1]).toBe(late);
    expect([returned.length, putOff.countOf(host), putOff.backAtMs(host)]).toEqual([
      2,
      0,
      Infinity,
    ]);
  });

  it("are not all of a host that has others, in memory or, for all that is known, on disk", () => {
    const { clock, putOff } = newPutOff();
    const [more, unread] = [newHost(2).host, newHost(1, true).host];
    for (const host of [more, unread]) putOff.add(host, newUrl(), clock.nowMs() + 1_000);
    expect([putOff.areAllOf(more), putOff.areAllOf(unread)]).toEqual([false, false]);
    expect(putOff.areAllOf(newHost(0).host)).toBe(false);
  });

  it("are called back at once, and those of others are not", async () => {
    const { clock, putOff, returned } = newPutOff();
    const [one, other] = [newHost(), newHost()];
    for (const { host } of [one, one, other]) putOff.add(host, newUrl(), clock.nowMs() + 1_000);
    putOff.recall(one.host);
    putOff.recall(one.host);
    expect([one.back.length, other.back.length, putOff.countOf(one.host)]).toEqual([2, 0, 0]);
    await clock.run(clock.sleep(2_000));
    expect([one.back.length, other.back.length, returned.length]).toEqual([2, 1, 1]);
  });

  it("are so many of a host and so many of all at most, and there is room again for each that is back", async () => {
    const { clock, putOff } = newPutOff();
    const untilMs = clock.nowMs() + 1_000;
    const hosts = Array.from({ length: ofAllMax / perHostMax }, () => newHost().host);
    const [first, second] = hosts as [Host, Host];
    const other = newHost().host;
    for (const host of hosts) {
      const backAtMs = host === second ? untilMs : untilMs + 5_000;
      for (let count = 1; count < perHostMax; count += 1) putOff.add(host, newUrl(), backAtMs);
      expect(putOff.mayAdd(host)).toBe(true);
      putOff.add(host, newUrl(), backAtMs);
    }
    expect([putOff.mayAdd(first), putOff.mayAdd(other)]).toEqual([false, false]);
    putOff.recall(first);
    expect([putOff.mayAdd(first), putOff.mayAdd(other)]).toEqual([true, true]);
    for (let count = 0; count < perHostMax; count += 1) putOff.add(other, newUrl(), untilMs);
    expect(putOff.mayAdd(first)).toBe(false);
    await clock.run(clock.sleep(2_000));
    for (let count = 1; count < 2 * perHostMax; count += 1) {
      putOff.add(count % 2 === 0 ? first : second, newUrl(), untilMs + 5_000);
    }
    expect(putOff.mayAdd(first)).toBe(true);
    putOff.add(first, newUrl(), untilMs + 5_000);
    expect(putOff.mayAdd(newHost().host)).toBe(false);
  });

  it("are fewer where they are long, as they are for the sake of memory", async () => {
    const { clock, putOff } = newPutOff();
    const untilMs = clock.nowMs() + 1_000;
    const hosts = Array.from({ length: 8 }, () => newHost().host);
    const weight = ofAllMax / hosts.length / 128;
    for (const host of hosts) {
      expect(putOff.mayAdd(host)).toBe(true);
      const backAtMs = host === hosts[0] ? untilMs + 5_000 : untilMs;
      for (let count = 0; count < 128; count += 1) putOff.add(host, newUrl(weight), backAtMs);
    }
    const other = newHost().host;
    expect(hosts.map((host) => putOff.mayAdd(host))).not.toContain(true);
    expect(putOff.mayAdd(other)).toBe(false);
    await clock.run(clock.sleep(2_000));
    for (let count = 0; count < 7 * 128; count += 1) {
      expect(putOff.mayAdd(hosts[1 + (count % 7)] as Host)).toBe(true);
      putOff.add(hosts[1 + (count % 7)] as Host, newUrl(weight), untilMs + 5_000);
    }
    expect(putOff.mayAdd(other)).toBe(false);
    putOff.recall(hosts[0] as Host);
    expect(putOff.mayAdd(other)).toBe(true);
  });

  it("stay where they are when the peer stops, and no timer goes on", () => {
    const { clock, stop, putOff } = newPutOff();
    const { host, back } = newHost();
    putOff.add(host, newUrl(), clock.nowMs() + 1_000);
    stop.abort();
    expect([clock.sleepers, back, putOff.countOf(host)]).toEqual([0, [], 0]);
  });
});
