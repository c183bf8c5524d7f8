import { expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { hostKey } from "../../../src/core/record/host-keys.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, SiteName } from "../../../src/core/units.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import { WaitingHosts } from "../../../src/peer/frontier/waiting-hosts.ts";

const none = (): Promise<never> => Promise.reject(new Error("the database is not asked"));
const parts = {
  host: "a.example" as HostName,
  site: "a.example" as SiteName,
  gate: new HostGate(defaultPolitenessOptions, undefined),
  queue: new HostQueue(8),
  connectionsMax: 1,
  delayMs: 0,
};

it("writes and deletes the row of a waiting host once, and anew when the other was done", () => {
  const waiting = new WaitingHosts(
    {
      store: { range: none },
      journal: { flushed: none },
    },
    { room: () => 1, isWanted: () => true, mayHaveMore: () => false, activate: none },
    (error) => {
      throw error;
    },
  );
  const host = new Host(new HostVisit(parts), undefined);
  const kinds = [
    waiting.keep(host),
    waiting.keep(host),
    waiting.forget(host),
    waiting.forget(host),
    waiting.keep(host),
  ];
  expect(kinds.map((ops) => ops.map(({ type }) => type))).toEqual([
    ["put"],
    [],
    ["del"],
    [],
    ["put"],
  ]);
});

/** Hosts that wait on disk, and as much room for them as is set. */
class WaitingBench {
  readonly taken: HostName[][] = [];
  room = 0;
  readonly waiting: WaitingHosts;
  readonly rows: { readonly key: Uint8Array; readonly value: Uint8Array }[];

  /** `onFlush` is called when the journal is flushed, before which the database shows no host. */
  constructor(
    names: readonly HostName[],
    isWanted: (name: HostName) => boolean = () => true,
    onFlush: () => void = () => undefined,
    onFailure: (error: unknown) => void = (error) => {
      throw error;
    },
  ) {
    let isFlushed = false;
    this.rows = names
      .map((name) => {
        const visit = new HostVisit({ ...parts, host: name, site: name as string as SiteName });
        const { keys } = new Host(visit, undefined);
        return { key: hostKey("waiting", keys), value: new TextEncoder().encode(name) };
      })
      .sort((one, other) => Buffer.compare(one.key, other.key));
    this.waiting = new WaitingHosts(
      {
        store: {
          range: ({ gte }, limit) => {
            const rows = this.rows.filter(({ key }) => Buffer.compare(key, gte) >= 0);
            return Promise.resolve(isFlushed ? rows.slice(0, limit) : []);
          },
        },
        journal: {
          flushed: async () => {
            onFlush();
            await Promise.resolve();
            isFlushed = true;
          },
        },
      },
      {
        room: () => this.room,
        isWanted,
        mayHaveMore: () => false,
        activate: (hosts) => {
          this.taken.push([...hosts]);
          this.room -= hosts.length;
          return Promise.resolve();
        },
      },
      onFailure,
    );
  }
}

const first = "a.example" as HostName;
const all = [first, "b.example" as HostName, "c.example" as HostName];

/** More than a pass or two take. */
const stepsMax = 100;

it("takes as many hosts as there is room for, and goes on behind them", async () => {
  const bench = new WaitingBench(all);
  bench.room = 2;
  await bench.waiting.look();
  bench.room = 1;
  await bench.waiting.look();
  expect(bench.taken.map(({ length }) => length)).toEqual([2, 1]);
  expect(bench.taken.flat().toSorted()).toEqual(all);
  expect(bench.waiting.mayWait).toBe(false);
});

it("takes a host in for which there is room just when a pass has seen that there is none", async () => {
  const bench = new WaitingBench([first]);
  void bench.waiting.look();
  bench.room = 1;
  await bench.waiting.look();
  expect(bench.taken).toEqual([[first]]);
});

it("takes a host in of which it hears in whatever step of a pass", async () => {
  for (let step = 0; step < stepsMax; step += 1) {
    const bench = new WaitingBench(all);
    bench.room = 10;
    void bench.waiting.look();
    for (let at = 0; at < stepsMax * 2; at += 1) {
      if (at === step) bench.waiting.lookAgain();
      await Promise.resolve();
    }
    expect(bench.taken, `after step ${step}`).toHaveLength(2);
    expect(bench.waiting.mayWait, `after step ${step}`).toBe(false);
  }
});

it("goes on behind a page of hosts of which none is wanted", async () => {
  const many = Array.from({ length: 600 }, (_, n) => `h${n}.example` as HostName);
  const seen: HostName[] = [];
  const bench = new WaitingBench(many, (name) => {
    seen.push(name);
    return seen.length === many.length;
  });
  bench.room = 1;
  await bench.waiting.look();
  expect(bench.taken.flat()).toEqual([seen.at(-1)]);
});

it("hands a host on for which there was room when it began to look, lest it is passed over", async () => {
  const bench = new WaitingBench(all, undefined, () => (bench.room = 0));
  bench.room = 1;
  await bench.waiting.look();
  expect(bench.taken.map(({ length }) => length)).toEqual([1]);
  expect(bench.waiting.mayWait).toBe(true);
});

it("keeps the row of a host that may have more than is known", () => {
  const waiting = new WaitingHosts(
    { store: { range: none }, journal: { flushed: none } },
    { room: () => 1, isWanted: () => true, mayHaveMore: () => true, activate: none },
    (error) => {
      throw error;
    },
  );
  const host = new Host(new HostVisit(parts), undefined);
  waiting.keep(host);
  expect(waiting.forget(host)).toEqual([]);
  expect(host.waitingRow).toBe("written");
});

it("does not take a damaged name for that of another host, whose queue nobody would find", async () => {
  const failures: unknown[] = [];
  const bench = new WaitingBench([first], undefined, undefined, (error) => failures.push(error));
  bench.room = 1;
  for (const { value } of bench.rows) value[0] = 0x7c;
  await bench.waiting.look();
  expect(failures).toMatchObject([{ code: "STORE_CORRUPT" }]);
  expect(bench.taken).toEqual([]);
});
