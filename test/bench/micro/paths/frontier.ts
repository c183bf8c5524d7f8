import { HostQueue } from "../../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../../src/core/frontier/host-visit.ts";
import { QueuedRow } from "../../../../src/core/frontier/queued-row.ts";
import { Workbench } from "../../../../src/core/frontier/workbench.ts";
import { invariant } from "../../../../src/core/errors.ts";
import { HostGate, type FetchVerdict } from "../../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../../src/core/politeness/politeness-options.ts";
import { hostAddress } from "../../../../src/core/record/host-keys.ts";
import { queueKey } from "../../../../src/core/record/queue-keys.ts";
import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import type { HostName, IpAddress, JobId, SiteName } from "../../../../src/core/units.ts";
import type { Load, MicroBenchmark } from "../micro-benchmark.ts";
import { sampleUrls } from "../sample-pages.ts";
import { sampleBundles, sampleUrlKey } from "../sample-rows.ts";

const hosts = 10_000;
const hostsPerAddress = 3;
const openRequests = 64;
const requestsPerPass = 20_000;
const delayMs = 1_000;
const gates = 1_000;
const requestsPerGate = 20;
const headUrls = 64;

/** An answer after 80 ms; one of 25 requests fails, which is too few for the breaker. */
function verdictAt(nowMs: number, request: number): FetchVerdict {
  const kind = request % 25 === 24 ? "failed" : "ok";
  return { kind, startedAtMs: nowMs, headAtMs: nowMs + 50, finishedAtMs: nowMs + 80 };
}

function visitOf(n: number): HostVisit {
  const visit = new HostVisit({
    host: `www.site-${n}.example` as HostName,
    site: `site-${n}.example` as SiteName,
    gate: new HostGate(defaultPolitenessOptions),
    queue: new HostQueue(8),
    connectionsMax: 1,
    delayMs,
  });
  const address = Math.floor(n / hostsPerAddress);
  visit.address = `10.0.${address >>> 8}.${address & 0xff}` as IpAddress;
  return visit;
}

/** A crawl at its rate: the host that is due is taken, and the request that has been open for longest ends. */
function startWorkbench(): Load {
  const workbench = new Workbench(defaultPolitenessOptions);
  for (let n = 0; n < hosts; n += 1) workbench.place(visitOf(n), n % delayMs);
  let nowMs = delayMs;
  let request = 0;
  const open: { readonly visit: HostVisit; readonly address: IpAddress }[] = [];
  const end = ({ visit, address }: (typeof open)[number]): void => {
    const verdict = verdictAt(nowMs, request);
    visit.gate.record(verdict, visit.delayMs);
    const { finishedAtMs } = verdict;
    workbench.release(visit, { address, finishedAtMs, headAtMs: nowMs + 50, delayMs });
    workbench.place(visit, nowMs);
  };
  return {
    operations: requestsPerPass,
    pass: () => {
      const last = request + requestsPerPass;
      while (request < last) {
        const visit = workbench.take(nowMs);
        if (visit === undefined) {
          nowMs = Math.max(nowMs + 1, workbench.nextDueAtMs() ?? 0);
        } else {
          open.push({ visit, address: workbench.openedAt(visit) });
          request += 1;
        }
        const [oldest] = open;
        if (oldest === undefined || (visit !== undefined && open.length < openRequests)) continue;
        open.shift();
        end(oldest);
      }
      return nowMs;
    },
  };
}

/** Requests to hosts, each with what is saved of its gate afterwards. */
function startGate(): Load {
  const all = Array.from({ length: gates }, () => new HostGate(defaultPolitenessOptions));
  let nowMs = 0;
  let request = 0;
  return {
    operations: gates * requestsPerGate,
    pass: () => {
      let held = 0;
      for (let round = 0; round < requestsPerGate; round += 1) {
        nowMs += delayMs * 5;
        for (const gate of all) {
          request += 1;
          if (gate.hold(nowMs) !== undefined) held += 1;
          gate.record(verdictAt(nowMs, request), delayMs, 0.5);
          held += gate.snapshot().failuresInRow;
        }
      }
      return held;
    },
  };
}

/** URLs from their arrival at a host's queue to the durable end of their lease. */
function startQueue(): Load {
  const job = "bench" as JobId;
  const keys = hostAddress("site.example" as SiteName, "www.site.example" as HostName);
  const urls = sampleBundles(sampleUrls(headUrls * 20)).flatMap((bundle, n) => {
    const key = queueKey(keys, 1, 4, n, [sampleUrlKey(bundle.urls[0] ?? "", n)]);
    return QueuedRow.urlsOf({ key, value: QueueBundle.encode(bundle), job });
  });
  return {
    operations: urls.length,
    pass: () => {
      const queue = new HostQueue(headUrls);
      for (let first = 0; first < urls.length; first += headUrls) {
        for (const url of urls.slice(first, first + headUrls)) queue.add(url);
        for (let taken = 0; taken < headUrls; taken += 1) {
          const url = queue.take(() => true);
          invariant(url !== undefined, "what was added can be taken");
          queue.settle(url);
          queue.committed(url);
        }
      }
    },
  };
}

export const benchmarks: readonly MicroBenchmark[] = [
  { name: "frontier/workbench", operation: "request", start: startWorkbench },
  { name: "frontier/queue", operation: "URL", start: startQueue },
  { name: "frontier/gate", operation: "request", start: startGate },
];
