import { describe, expect, it } from "vitest";
import { AddressEntry } from "../../../src/core/frontier/address-entry.ts";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, IpAddress, SiteName } from "../../../src/core/units.ts";

const address = "192.0.2.1" as IpAddress;

/** An address that is lent from 1,000 to 3,000, and a host that is due there at 2,000. */
function lentEntry(delayMs = 1_000): AddressEntry {
  const entry = new AddressEntry(address, { fromMs: 1_000, untilMs: 3_000, watched: false });
  const visit = new HostVisit({
    host: "a.test" as HostName,
    site: "a.test" as SiteName,
    gate: new HostGate(defaultPolitenessOptions),
    queue: new HostQueue(1),
    connectionsMax: 1,
    delayMs,
  });
  entry.place(visit, 2_000);
  return entry;
}

describe("a lent address", () => {
  it("tells of the ends of requests that outlast its span, and of all where others wait", () => {
    const entry = lentEntry();
    expect([entry.isWatched(2_999), entry.isWatched(3_000)]).toEqual([false, true]);
    entry.lend({ fromMs: 1_000, untilMs: 3_000, watched: true });
    expect(entry.isWatched(1_000)).toBe(true);
  });

  it("is held back where its first host is due in the span, but no request may start before its end", () => {
    const entry = lentEntry();
    expect([entry.isHeldBack, entry.dueAtMs()]).toEqual([false, 2_000]);
    entry.lend({ fromMs: 3_000, untilMs: 3_000, watched: false });
    expect([entry.isHeldBack, entry.dueAtMs()]).toEqual([true, undefined]);
  });

  it("holds back no host without a delay", () => {
    const entry = lentEntry(0);
    entry.lend({ fromMs: 3_000, untilMs: 3_000, watched: false });
    expect([entry.isHeldBack, entry.dueAtMs()]).toEqual([false, 2_000]);
  });

  it("rests, by what it tells, from the start of a request that is still open", () => {
    const entry = lentEntry();
    entry.opened(2_250);
    expect(entry.use).toMatchObject({ busy: true, clockAtMs: 2_250 });
    entry.closed(2_100);
    expect(entry.use).toMatchObject({ busy: false, clockAtMs: 2_100 });
  });
});
