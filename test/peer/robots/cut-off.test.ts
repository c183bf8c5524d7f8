import { expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { OriginName } from "../../../src/core/units.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { RobotsVisitor } from "../../../src/peer/robots/robots-visitor.ts";
import type { FetchOutcome } from "../../../src/ports/fetcher.ts";

type Parts = ConstructorParameters<typeof RobotsVisitor>[1];

it.each([
  ["lets an address rest after a robots.txt that was cut off", AbortSignal.abort(), true],
  ["lets no address rest that was not asked", new AbortController().signal, false],
])("%s", async (_, signal, rests) => {
  const ends: boolean[] = [];
  const frontier = {
    closeRequest: (_lease: Lease, end?: object): void => void ends.push(end !== undefined),
    putBack: () => undefined,
    setPace: () => undefined,
  };
  const keeper = { lookup: () => Promise.resolve(undefined) };
  const failure = { failure: "aborted", detail: "cut off", startedAtMs: 0, finishedAtMs: 0 };
  const visitor = new RobotsVisitor(
    {
      clock: new VirtualClock(),
      entropy: { random: () => 0 },
      fetcher: { fetch: () => Promise.resolve({ kind: "failure", ...failure } as FetchOutcome) },
    } as unknown as ConstructorParameters<typeof RobotsVisitor>[0],
    { frontier, keeper } as unknown as Parts,
    { ...defaultPeerOptions, productToken: "test" },
    signal,
  );
  const visit = { site: "site.example", host: "site.example", delayMs: 0 };
  const host = { askedOrigins: new Set(), visit };
  const lease = { host, address: "10.0.0.1" } as unknown as Lease;
  const judged = await visitor.judge(lease, "http://site.example" as OriginName, () => false);
  expect(judged).toEqual({ kind: "not-now" });
  expect(ends).toEqual([rests]);
});
