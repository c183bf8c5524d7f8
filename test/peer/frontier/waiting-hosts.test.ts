import { expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { hostKey } from "../../../src/core/record/keys.ts";
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
    { room: () => 1, isCrawled: () => true, activate: none },
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

it("takes as many hosts as there is room for, and goes on behind them", async () => {
  const names = ["a", "b", "c", "d", "e"].map((letter) => `${letter}.example` as HostName);
  const rows = names
    .map(
      (name) =>
        new Host(
          new HostVisit({ ...parts, host: name, site: name as string as SiteName }),
          undefined,
        ),
    )
    .map(({ keys, visit }) => ({
      key: hostKey("waiting", keys),
      value: new TextEncoder().encode(visit.host),
    }))
    .sort((one, other) => Buffer.compare(one.key, other.key));
  const taken: string[][] = [];
  let room = 2;
  const waiting = new WaitingHosts(
    {
      store: {
        range: ({ gte }) =>
          Promise.resolve(rows.filter(({ key }) => Buffer.compare(key, gte) >= 0)),
      },
      journal: { flushed: () => Promise.resolve() },
    },
    {
      room: () => room,
      isCrawled: () => true,
      activate: (hosts) => {
        taken.push([...hosts]);
        room -= hosts.length;
        return Promise.resolve();
      },
    },
    (error) => {
      throw error;
    },
  );
  await waiting.look();
  room = 3;
  await waiting.look();
  expect(taken.map(({ length }) => length)).toEqual([2, 3]);
  expect(taken.flat().toSorted()).toEqual(names);
  expect(waiting.mayWait).toBe(false);
});
