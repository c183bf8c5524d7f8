import { LearnedDelay } from "../../../src/core/politeness/learned-delay.ts";
import { BodyBudget } from "../../../src/peer/fetching/body-budget.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";

const none = (): void => undefined;

/** Its host takes note of how requests go. */
export function leaseOfGate(): Lease {
  const host = { visit: { gate: { record: none }, delayMs: 0 }, learnedDelay: new LearnedDelay() };
  return { ...lease(), host } as unknown as Lease;
}

export function newBudget(): BodyBudget {
  const { bodies, limits } = defaultPeerOptions;
  return new BodyBudget(bodies, limits.bodyBytesMax, none);
}

/** Of the host nothing is asked before the request. */
export function lease(): Lease {
  const entry = { url: "http://a.example/", depth: 0, attempts: 0, unseen: 0, redirectChain: [] };
  const url = { key: new Uint8Array(0), job: "j", entry: { ...entry, discoveredAtMs: 0 } };
  const job = new JobRegistry().define("j");
  return { host: {}, address: "10.0.0.1", job, url } as unknown as Lease;
}
