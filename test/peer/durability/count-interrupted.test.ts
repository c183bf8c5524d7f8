import { expect, it } from "vitest";
import { countInterrupted } from "../../../src/peer/durability/count-interrupted.ts";
import type { Journal } from "../../../src/peer/durability/journal.ts";
import type { LeaseLog } from "../../../src/peer/durability/lease-log.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { StoreOp } from "../../../src/ports/store.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { timelessStore } from "../../support/still-process.ts";

it("forgets the requests that a kill cut off when they are counted durably, and not before", async () => {
  const jobs = new JobRegistry();
  const job = jobs.define("j");
  const op: StoreOp = { type: "put", key: Uint8Array.of(1), value: Uint8Array.of(1) };
  const steps: string[] = [];
  const durable = Promise.withResolvers<undefined>();
  const leases = {
    start: () => Promise.resolve({ spaces: [job.space, job.space, 99], op }),
    forgetFound: () => void steps.push("forgotten"),
  } as unknown as LeaseLog;
  const append = (ops: readonly StoreOp[]): Promise<undefined> => {
    const { requests, duplicateFetches } = job.counter.counts();
    steps.push(`${requests} requests, ${duplicateFetches} again`);
    expect(ops).toEqual([op]);
    return durable.promise;
  };
  const journal = { append } as unknown as Journal;
  const ports = { logger: silentLogger, store: timelessStore() };
  const counted = countInterrupted(ports, { jobs, journal, leases });
  await new Promise(setImmediate);
  expect(steps).toEqual(["2 requests, 2 again"]);
  durable.resolve(undefined);
  await counted;
  expect(steps).toEqual(["2 requests, 2 again", "forgotten"]);
});
