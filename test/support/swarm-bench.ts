import type { WaitDocument } from "../../src/adapters/http-api/job-routes.ts";
import type { MemberDocument, StatsDocument } from "../../src/adapters/http-api/peer-routes.ts";
import { statusUrlsMax, type UrlStatus } from "../../src/ports/peer-control.ts";
import type { Ended } from "./peer-process.ts";
import { ProcessBench, type RunningPeer, type SampleSite } from "./process-bench.ts";
import { until } from "./until.ts";

/** A member of a swarm as a process of its own, and what can be asked of it. */
export class SwarmPeer {
  readonly data: string;
  readonly id: string;
  /** Where others join by it; multiaddrs. */
  readonly addresses: readonly string[];
  readonly #running: RunningPeer;

  constructor(data: string, running: RunningPeer) {
    this.data = data;
    this.#running = running;
    const [line = ""] = running.process.stdout.split("\n", 1);
    const ready = JSON.parse(line) as { readonly peer: string; readonly addresses: string[] };
    this.id = ready.peer;
    this.addresses = ready.addresses;
  }

  /** Flags by which another peer joins by this one. */
  get joinFlags(): readonly string[] {
    return ["--join", ...this.addresses];
  }

  get isRunning(): boolean {
    return this.#running.process.isRunning;
  }

  get stderr(): string {
    return this.#running.process.stderr;
  }

  /** How the process ends, whoever ends it. */
  get ended(): Promise<Ended> {
    return this.#running.process.ended;
  }

  /** Sends a signal that does not end it. */
  signal(signal: "SIGCONT" | "SIGSTOP"): void {
    process.kill(this.#running.pid, signal);
  }

  end(signal: NodeJS.Signals): Promise<Ended> {
    return this.#running.process.end(signal);
  }

  async members(): Promise<readonly MemberDocument[]> {
    return (await this.#get<{ readonly members: readonly MemberDocument[] }>("/members")).members;
  }

  stats(): Promise<StatsDocument> {
    return this.#get("/stats");
  }

  /** The job at its end. */
  async jobEnd(job: string, withinMs = 60_000): Promise<WaitDocument> {
    const untilMs = performance.now() + withinMs;
    for (;;) {
      const leftMs = Math.ceil(Math.max(0, untilMs - performance.now()));
      // A wait ends after a minute, however long was asked for.
      const report = await this.#get<WaitDocument>(`/jobs/${job}/wait?timeoutMs=${leftMs}`);
      if (report.over) return report;
      if (performance.now() < untilMs) continue;
      throw new Error(`job ${job} is not over within ${withinMs} ms: ${JSON.stringify(report)}`);
    }
  }

  async status(urls: readonly string[], job: string): Promise<readonly UrlStatus[]> {
    const answers: UrlStatus[] = [];
    for (let at = 0; at < urls.length; at += statusUrlsMax) {
      const response = await fetch(`${this.#running.api}/v1/status`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ urls: urls.slice(at, at + statusUrlsMax), job }),
      });
      answers.push(...((await response.json()) as { readonly urls: readonly UrlStatus[] }).urls);
    }
    return answers;
  }

  /** Waits until this peer sees exactly these members on the ring, itself among them. */
  async sees(peers: readonly SwarmPeer[], withinMs?: number): Promise<void> {
    const wanted = peers.map(({ id }) => id).sort();
    await until(
      `${this.id} sees ${wanted.join(", ")}`,
      async () => {
        const here = (await this.members()).filter(({ state }) => state === "active");
        return JSON.stringify(here.map(({ id }) => id).sort()) === JSON.stringify(wanted);
      },
      withinMs,
    );
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.#running.api}/v1${path}`);
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

/** Swarms of real processes on loopback, all gone again after `clear()`. */
export class SwarmBench extends ProcessBench {
  /** Starts a member, and waits until it is ready; not until it has joined. */
  async member(
    site: SampleSite | undefined,
    words: readonly string[],
    data?: string,
  ): Promise<SwarmPeer> {
    const directory = data ?? (await this.directory());
    const flags = ["--membership", "local", ...(site?.flags ?? []), ...words];
    return new SwarmPeer(directory, await this.peer(directory, flags));
  }

  /** Starts a swarm of so many, and waits until each sees all. */
  async swarm(
    site: SampleSite | undefined,
    size: number,
    words: readonly string[] = [],
  ): Promise<[first: SwarmPeer, second: SwarmPeer, ...SwarmPeer[]]> {
    const first = await this.member(site, ["--listen", "127.0.0.1:0", ...words]);
    const second = await this.member(site, [...first.joinFlags, ...words]);
    const peers: [SwarmPeer, SwarmPeer, ...SwarmPeer[]] = [first, second];
    while (peers.length < size) {
      peers.push(await this.member(site, [...first.joinFlags, ...words]));
    }
    await Promise.all(peers.map((peer) => peer.sees(peers)));
    return peers;
  }

  /** A client command against a member, to its end. */
  ask(peer: SwarmPeer, words: readonly string[]): Promise<Ended> {
    return this.run([...words, "--data", peer.data]);
  }
}
