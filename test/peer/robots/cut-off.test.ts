import { expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import type { OriginName } from "../../../src/core/units.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { RobotsVisitor } from "../../../src/peer/robots/robots-visitor.ts";

type Parts = ConstructorParameters<typeof RobotsVisitor>[1];

/** Where a robots.txt leads to another one of its host, and that is cut off. */
const leadsOn = {
  kind: "response",
  status: 302,
  headers: ["location", "/rules"],
  startedAtMs: 0,
  finishedAtMs: 0,
};

it.each([
  ["lets an address rest after a robots.txt that was cut off", AbortSignal.abort(), [], true],
  ["lets an address rest that was asked before", new AbortController().signal, [leadsOn], true],
  ["lets no address rest that was not asked", new AbortController().signal, [], false],
])("%s", async (_, signal, before, rests) => {
  const answers = [...before];
  const ends: boolean[] = [];
  const frontier = {
    closeRequest: (_lease: Lease, end?: object): void => void ends.push(end !== undefined),
    putBack: () => undefined,
    setPace: () => undefined,
  };
  const keeper = { lookup: () => Promise.resolve(undefined) };
  const failure = { failure: "aborted", detail: "cut off", startedAtMs: 0, finishedAtMs: 0 };
  const clock = new VirtualClock();
  const visitor = new RobotsVisitor(
    {
      clock,
      entropy: { random: () => 0 },
      fetcher: { fetch: () => Promise.resolve(answers.shift() ?? { kind: "failure", ...failure }) },
    } as unknown as ConstructorParameters<typeof RobotsVisitor>[0],
    { frontier, keeper } as unknown as Parts,
    { ...defaultPeerOptions, productToken: "test" },
    signal,
  );
  const gate = new HostGate(defaultPeerOptions.politeness);
  const visit = { gate, site: "site.example", host: "site.example", delayMs: 0 };
  const host = { askedOrigins: new Set(), visit };
  const lease = { host, address: "10.0.0.1" } as unknown as Lease;
  const judged = await clock.run(
    visitor.judge(lease, "http://site.example" as OriginName, () => false),
  );
  expect(judged).toEqual({ kind: "not-now" });
  expect(ends).toEqual([rests]);
});
