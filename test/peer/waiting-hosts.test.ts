import { expect, it } from "vitest";
import { HostQueue } from "../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../src/core/politeness/politeness-options.ts";
import type { HostName, SiteName } from "../../src/core/units.ts";
import { Host } from "../../src/peer/host.ts";
import { WaitingHosts } from "../../src/peer/waiting-hosts.ts";

const none = (): Promise<never> => Promise.reject(new Error("the database is not asked"));
const parts = {
  host: "a.example" as HostName,
  site: "a.example" as SiteName,
  gate: new HostGate(defaultPolitenessOptions, undefined),
  queue: new HostQueue(8),
  connectionsMax: 1,
  delayMs: 0,
};

it("writes the row of a waiting host once, and anew when it has been deleted", () => {
  const waiting = new WaitingHosts(
    {
      store: { range: none },
      journal: { flushed: none },
    },
    { hasRoom: () => true, isCrawled: () => true, activate: none },
    (error) => {
      throw error;
    },
  );
  const host = new Host(new HostVisit(parts), undefined);
  const kinds = [
    waiting.keep(host),
    waiting.keep(host),
    [waiting.forget(host)],
    waiting.keep(host),
  ];
  expect(kinds.map((ops) => ops.map(({ type }) => type))).toEqual([["put"], [], ["del"], ["put"]]);
});
