import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { Workbench } from "../../../src/core/frontier/workbench.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, IpAddress, SiteName } from "../../../src/core/units.ts";
import { AddressTurns } from "../../../src/peer/frontier/address-turns.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";

/** What happens meanwhile, after so long. */
interface Event {
  readonly afterMs: number;
  readonly what: "host-asked-for" | "needless" | "stopped";
}

/** What came of an errand that may begin `fromMs` from now on and no later than `untilMs`, after how long. */
async function begin(fromMs: number, untilMs: number, event?: Event) {
  let calls = 0;
  const [stop, needless] = [new AbortController(), new AbortController()];
  const clock = new VirtualClock();
  const workbench = new Workbench(defaultPolitenessOptions);
  const events = { signal: stop.signal, onDue: () => (calls += 1) };
  const turns = new AddressTurns(workbench, clock, defaultPolitenessOptions, events);
  const startMs = clock.nowMs();
  const times = { fromMs: startMs + fromMs, untilMs: startMs + untilMs };
  const place = { host: "a.test" as HostName, address: "127.0.0.1" as IpAddress, delayMs: 0 };
  const acts = {
    "host-asked-for": () => turns.take(),
    needless: () => needless.abort(),
    stopped: () => stop.abort(),
  };
  if (event) clock.call(event.afterMs, acts[event.what]);
  const visit = await clock.run(turns.begin({ ...place, ...times, signal: needless.signal }));
  const before = calls;
  if (visit) turns.end(visit, { finishedAtMs: clock.nowMs(), delayMs: 0 });
  const isTold = calls > before;
  return { visit, isTold, inLine: workbench.size, afterMs: clock.nowMs() - startMs };
}

describe("an errand", () => {
  it("begins when it may, though nobody asks for a host meanwhile, and soon", async () => {
    const { visit, isTold, afterMs } = await begin(1_200, 60_000);
    expect(visit?.openRequests).toBe(0);
    // Those behind it may go on.
    expect(isTold).toBe(true);
    expect(afterMs).toBeGreaterThanOrEqual(1_200);
    expect(afterMs).toBeLessThanOrEqual(1_700);
  });

  it("leaves the line when its turn does not come in time", async () => {
    const late = await begin(60_000, 10_000);
    expect(late).toEqual({ visit: undefined, isTold: false, inLine: 0, afterMs: 10_000 });
  });

  it("begins at once where hosts are asked for as its turn comes", async () => {
    const { visit, afterMs } = await begin(1_200, 60_000, {
      afterMs: 1_200,
      what: "host-asked-for",
    });
    expect(visit?.openRequests).toBe(0);
    expect(afterMs).toBe(1_200);
  });

  it.each(["needless", "stopped"] as const)(
    "leaves the line at once when it is %s",
    async (what) => {
      const over = await begin(60_000, 120_000, { afterMs: 10, what });
      expect(over).toEqual({ visit: undefined, isTold: false, inLine: 0, afterMs: 10 });
    },
  );
});

describe("the turns at an address", () => {
  const address = "127.0.0.1" as IpAddress;

  /** Two hosts with a delay that wait for the same address. */
  function inLine() {
    let calls = 0;
    const clock = new VirtualClock();
    const workbench = new Workbench(defaultPolitenessOptions);
    const events = { signal: new AbortController().signal, onDue: () => (calls += 1) };
    const turns = new AddressTurns(workbench, clock, defaultPolitenessOptions, events);
    for (const name of ["a.test", "b.test"]) {
      const gate = new HostGate(defaultPolitenessOptions);
      const host = {
        host: name as HostName,
        site: name as SiteName,
        gate,
        queue: new HostQueue(1),
      };
      const visit = new HostVisit({ ...host, connectionsMax: 1, delayMs: 1_000 });
      visit.address = address;
      workbench.place(visit, clock.nowMs());
    }
    return { clock, turns, told: () => calls };
  }

  it("go on at once where no request was made, and after a rest where one was", () => {
    for (const isMade of [false, true]) {
      const { clock, turns } = inLine();
      const first = turns.take();
      if (!first) throw new Error("a host is due");
      turns.close(first, isMade ? { finishedAtMs: clock.nowMs() } : undefined);
      expect(turns.take()?.visit.host).toBe(isMade ? undefined : "b.test");
    }
  });

  it("are told of when the address is lent, and not when it is lent no more", () => {
    const { clock, turns, told } = inLine();
    const nowMs = clock.nowMs();
    const loans = {
      spanOf: () => ({ fromMs: 0, untilMs: 0, watched: false }),
      wanted: () => undefined,
      ended: () => undefined,
    };
    expect(turns.borrowAddresses(loans)).toEqual([address]);
    expect([turns.take(), told()]).toEqual([undefined, 0]);
    turns.lendAddress(address, { fromMs: nowMs, untilMs: nowMs, watched: false });
    expect(told()).toBe(0);
    turns.lendAddress(address, { fromMs: nowMs, untilMs: nowMs + 1, watched: false });
    expect([told(), turns.take()?.visit.host]).toEqual([1, "a.test"]);
  });

  it("are told of when an errand stands in line, which may be due", async () => {
    const { clock, turns, told } = inLine();
    const nowMs = clock.nowMs();
    const { signal } = new AbortController();
    const place = { host: "c.test" as HostName, address, delayMs: 0, signal };
    const begun = turns.begin({ ...place, fromMs: nowMs, untilMs: nowMs });
    expect(told()).toBe(1);
    expect((await begun)?.host).toBeUndefined();
  });
});
