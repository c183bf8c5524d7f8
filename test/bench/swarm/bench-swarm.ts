import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import type { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { InjectReport } from "../../../src/ports/peer-control.ts";
import { contact, ProcessBench, type RunningPeer } from "../../support/process-bench.ts";
import { startSampleWebProcess } from "../../support/sample-web-process.ts";
import { SwarmPeer } from "../../support/swarm-bench.ts";
import { until } from "../../support/until.ts";
import { HitTail } from "./hit-tail.ts";

/** Ticks a second of the times in /proc, fixed for programs on Linux whatever the kernel's own. */
const ticksPerSecond = 100;

/** More than the time after which the server has written a hit to its log. */
const logDelayMs = 500;

/** Peers on a machine that has more of them than cores find one another late. */
const togetherWithinMs = 120_000;

/** A sample web in a process of its own: peers and server share no event loop, and the log has the server's own times. */
export interface BenchWeb {
  readonly web: SampleWeb;
  /** The hits since it was last read. */
  readonly hits: HitTail;
  /** Flags that let a peer crawl it. */
  readonly flags: readonly string[];
  /** Every hit from the beginning up to the call. */
  readonly allHits: () => Promise<readonly Hit[]>;
}

/** Shape of the sample web; one host a site, and all sites equal. */
export interface BenchWebShape {
  readonly sites: number;
  readonly pages: number;
  readonly knobs?: readonly string[];
}

/** A line of a peer's log. */
export interface LogEvent {
  readonly atMs: number;
  readonly event: string;
  readonly member?: string;
  readonly state?: string;
}

/** A member of a swarm that is measured. */
export class BenchPeer extends SwarmPeer {
  readonly api: string;
  readonly pid: number;
  /** Its User-Agent begins with it, so that the server's log tells who asked. */
  readonly name: string;
  #logAt = 0;

  constructor(name: string, data: string, running: RunningPeer) {
    super(data, running);
    this.name = name;
    this.api = running.api;
    this.pid = running.pid;
  }

  /** Lines of its log since the last call. */
  events(): LogEvent[] {
    const end = this.stderr.lastIndexOf("\n") + 1;
    const lines = this.stderr.slice(this.#logAt, end).split("\n").slice(0, -1);
    this.#logAt = end;
    return lines.flatMap((line) => {
      // What is no event was written by the runtime.
      if (!line.startsWith("{")) return [];
      const { at, ...event } = JSON.parse(line) as Omit<LogEvent, "atMs"> & { at: string };
      return [{ ...event, atMs: Date.parse(at) }];
    });
  }

  /** User and system time of all its threads so far. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, "utf8");
    // The name of the command, in brackets, may have spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** Value of a metric without labels; 0 before it was first counted. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`${this.api}/metrics`);
    return Number(new RegExp(`^\\w*${name} (\\S+)$`, "m").exec(await response.text())?.[1] ?? 0);
  }

  inject(job: string, urls: readonly string[], options?: Partial<JobOptions>) {
    const body = { job, urls, ...(options && { options }) };
    return this.post<InjectReport>("/inject", body);
  }

  get<T>(path: string): Promise<T> {
    return this.#call(path, {});
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    if (body === undefined) return this.#call(path, { method: "POST" });
    const headers = { "content-type": "application/json" };
    return this.#call(path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /** Ids of the members that hold the sites of these URLs, as far as this one knows. */
  async ownersOf(urls: readonly string[], job: string): Promise<string[]> {
    return (await this.status(urls, job)).map(({ owner }) => owner);
  }

  async #call<T>(path: string, request: RequestInit): Promise<T> {
    const response = await fetch(`${this.api}/v1${path}`, request);
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

/** Swarms of built peers before a sample web, all gone again after `clear()`. */
export class BenchSwarm extends ProcessBench {
  async sampleWeb({ sites, pages, knobs = [] }: BenchWebShape): Promise<BenchWeb> {
    const log = join(await this.directory(), "hits.ndjson");
    const shape = ["hostsPerSite=1", "pagesExponent=0", ...knobs].flatMap((knob) => [
      "--set",
      knob,
    ]);
    const size = ["--sites", String(sites), "--pages", String(pages)];
    const served = await startSampleWebProcess(log, [...["--preset", "plain"], ...size, ...shape]);
    this.atEnd(() => served.stop());
    const { web, dnsPort } = served;
    const flags = ["--allow-private", "--dns", `127.0.0.1:${dnsPort}`];
    const allHits = async (): Promise<readonly Hit[]> => {
      await sleep(logDelayMs);
      return new HitTail(log).read();
    };
    return { web, hits: new HitTail(log), flags, allHits };
  }

  /** Starts a peer, and waits until it is ready; not until it has joined. */
  async startPeer(name: string, words: readonly string[], data?: string): Promise<BenchPeer> {
    const directory = data ?? (await this.directory());
    const who = ["--user-agent", `${name}/1.0`, "--contact", contact, "--log-format", "json"];
    return new BenchPeer(name, directory, await this.peer(directory, [...who, ...words]));
  }

  /** Starts a swarm, and waits until each sees all. */
  async startSwarm(size: number, words: readonly string[]): Promise<BenchPeer[]> {
    const first = await this.startPeer("peer-1", ["--listen", "127.0.0.1:0", ...words]);
    const peers = [first];
    while (peers.length < size) {
      const name = `peer-${peers.length + 1}`;
      peers.push(await this.startPeer(name, [...first.joinFlags, ...words]));
    }
    await together(peers);
    return peers;
  }
}

/** Waits until each of these sees all of them, and no others, on the ring. */
export async function together(peers: readonly BenchPeer[]): Promise<void> {
  await Promise.all(peers.map((peer) => peer.sees(peers, togetherWithinMs)));
}

/** The peer that made a request. */
export function fetcherOf({ userAgent }: { readonly userAgent: string }): string {
  return userAgent.slice(0, userAgent.indexOf("/"));
}

/** Waits until every site of the web was asked for something; returns when each was first. */
export async function allSitesReached(
  { web, hits }: BenchWeb,
  withinMs: number,
): Promise<ReadonlyMap<string, number>> {
  const reached = new Map<string, number>();
  await until(
    "every site was asked for something",
    () => {
      for (const { host, arrivedAtMs } of hits.read()) {
        if (!reached.has(host)) reached.set(host, arrivedAtMs);
      }
      return reached.size >= web.options.sites;
    },
    withinMs,
  );
  return reached;
}
