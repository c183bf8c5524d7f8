import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Visitor } from "../../../src/peer/fetching/visitor.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";
import { noPrior } from "../../support/no-prior.ts";
import { leaseOfGate, newBudget } from "./leases.ts";

const none = (): void => undefined;

/** What a visit does whose lease takes so long until it is noted. */
async function visitOf(notedInMs: number): Promise<string[]> {
  const clock = new VirtualClock();
  const done: string[] = [];
  const finish = (): Promise<void> => Promise.resolve(void done.push("finished"));
  const visitor = new Visitor(
    {
      clock,
      entropy: { random: () => 0 },
      fetcher: {
        fetch: () => {
          done.push("asked");
          const times = { startedAtMs: clock.nowMs(), finishedAtMs: clock.nowMs() };
          return Promise.resolve({ kind: "failure", failure: "tls-error", detail: "", ...times });
        },
        stop: () => Promise.resolve(),
      },
      logger: { debug: none, info: none, warn: none, error: none },
      metrics: noMetrics,
    },
    {
      budget: newBudget(),
      frontier: {
        closeRequest: () => void done.push("closed"),
        putBack: () => void done.push("put back"),
        setPace: none,
      },
      robots: { judge: () => Promise.resolve({ kind: "allowed" }) },
      leases: {
        add: () => 0,
        noted: () => clock.sleep(notedInMs),
        remove: () => void done.push("note removed"),
      },
      finisher: { finish, finishResponse: finish },
      outages: { hear: () => Promise.resolve(false) },
      prior: noPrior,
      swarm: undefined,
    },
    defaultPeerOptions,
    new AbortController().signal,
  );
  await clock.run(visitor.visit(leaseOfGate()));
  return done;
}

describe("a visit whose lease waits for a disk that hangs", () => {
  it("gives its URL back unasked when it has waited for so long that its turn may be another's", async () => {
    expect(await visitOf(10_001)).toEqual(["note removed", "closed", "put back"]);
  });

  it("asks until then", async () => {
    expect(await visitOf(10_000)).toEqual(["asked", "closed", "finished"]);
  });
});
