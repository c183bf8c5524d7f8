import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { Visitor } from "../../../src/peer/fetching/visitor.ts";
import type { FetchOutcome, FetchRequest } from "../../../src/ports/fetcher.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";
import { noPrior } from "../../support/no-prior.ts";
import { leaseOfGate, newBudget } from "./leases.ts";

const none = (): void => undefined;
const signal = new AbortController().signal;

describe("a visit with a long body", () => {
  const at = { startedAtMs: 0, finishedAtMs: 0 };
  const failed: FetchOutcome = { kind: "failure", failure: "bad-encoding", detail: "", ...at };
  const aborted: FetchOutcome = { ...failed, failure: "aborted" };
  const body = new Uint8Array();
  const answered: FetchOutcome = {
    kind: "response",
    ...{ status: 200, httpVersion: "1.1", statusText: "OK", headers: [], requestHeaders: [] },
    ...{ encodedBody: body, body, bodyRead: true, headAtMs: 0, ...at },
  };

  it.each([
    ["is settled", answered, () => Promise.resolve()],
    ["cannot be settled", answered, () => Promise.reject(new Error("disk full"))],
    ["has failed", failed, () => Promise.resolve()],
    ["is given up", aborted, () => Promise.resolve()],
  ])("gives its bytes back when it %s, and not before", async (_, outcome, conclude) => {
    const budget = newBudget();
    const seen: number[] = [];
    const look = (): void => void seen.push(budget.bytes);
    const finish = (): Promise<void> => {
      look();
      return conclude();
    };
    const fetch = ({ account }: FetchRequest): Promise<FetchOutcome> => {
      account?.take(1_000_000);
      return Promise.resolve(outcome);
    };
    const visitor = new Visitor(
      {
        clock: new VirtualClock(),
        entropy: { random: () => 0 },
        fetcher: { fetch, stop: () => Promise.resolve() },
        logger: { debug: none, info: none, warn: none, error: none },
        metrics: noMetrics,
      },
      {
        budget,
        frontier: { closeRequest: none, putBack: look, setPace: none },
        robots: { judge: () => Promise.resolve({ kind: "allowed" }) },
        leases: { add: () => 0, noted: () => Promise.resolve(), remove: none },
        finisher: { finish, finishResponse: finish },
        outages: { hear: () => Promise.resolve(false) },
        prior: noPrior,
        swarm: undefined,
      },
      defaultPeerOptions,
      signal,
    );
    await Promise.allSettled([visitor.visit(leaseOfGate())]);
    expect(seen).toEqual([1_000_000]);
    expect(budget.bytes).toBe(0);
  });
});
