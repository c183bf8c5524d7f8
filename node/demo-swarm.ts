import { join } from "node:path";
import { inFlightMs } from "../sim/auditor/audit-rules.ts";
import { audit } from "../sim/auditor/auditor.ts";
import type { AuditReport } from "../sim/auditor/auditor.ts";
import type { SampleServer } from "../sim/sample-web/sample-server.ts";
import { TrueGraph } from "../sim/sample-web/true-graph.ts";
import type { WaitDocument } from "../src/adapters/http-api/job-routes.ts";
import { CrawlError } from "../src/core/errors.ts";
import { defaultPolitenessOptions } from "../src/core/politeness/politeness-options.ts";
import { counted, formatCount, formatDuration } from "../src/core/text/human.ts";
import type { Millis } from "../src/core/units.ts";
import { statusUrlsMax } from "../src/ports/peer-control.ts";
import { ProgressDisplay } from "./dashboard/progress-display.ts";
import { ProgressWatch } from "./dashboard/progress-watch.ts";
import { DemoProcess, type DemoPeer } from "./demo-peer.ts";
import type { Terminal } from "./terminal.ts";

export interface DemoOptions {
  readonly sites: number;
  readonly pages: number;
  readonly delayMs: number;
  readonly seed: number;
  /** Where the peers' data stays; absent for a folder that is removed again. */
  readonly out?: string;
}

/** Peers at the start. */
const peersAtStart = 3;

/** Share of the requests after which one of them is killed. */
const killAtShare = 0.3;

/** From a page's answer until its copy is told of, peers take turns at a busy processor: so many, each as long as a question waits. */
const turnsUntilCopied = 10;

/** How often a state that tells of itself by no event is looked at. */
const lookEveryMs: Millis = 20;

/** Longest time that members need to find together. */
const togetherMsMax: Millis = 60_000;

const job = "demo";

/** What the demo has come to. */
export interface DemoOutcome {
  readonly report: WaitDocument;
  readonly audit: AuditReport;
  /** Pages whose state the peer that joined last told as done. */
  readonly told: number;
  /** What each peer has done, as far as those that run remember. */
  readonly shares: readonly string[];
}

/** The end of the killed peer. */
interface Kill {
  readonly atMs: Millis;
  /** How long its last question took it: next to nothing, but where the machine is overloaded. */
  readonly answeredInMs: Millis;
}

/** The peers of the demo, and what happens to them. */
export class DemoSwarm {
  readonly #terminal: Terminal;
  readonly #options: DemoOptions;
  readonly #server: SampleServer;
  readonly #dnsPort: number;
  readonly #out: string;
  readonly #startedAtMs: Millis;
  /** All that were ever started, ready or not. */
  readonly #processes: DemoProcess[] = [];
  readonly #names = new Map<string, string>();
  /** Aborts when the swarm is ended, and all that waits for it. */
  readonly #ended = new AbortController();
  #display: ProgressDisplay | undefined;

  constructor(
    terminal: Terminal,
    options: DemoOptions,
    place: { readonly server: SampleServer; readonly dnsPort: number; readonly out: string },
  ) {
    this.#terminal = terminal;
    this.#options = options;
    this.#server = place.server;
    this.#dnsPort = place.dnsPort;
    this.#out = place.out;
    this.#startedAtMs = terminal.clock.nowMs();
  }

  /** Three peers, a crawl, a kill and a join; to the job's end. Rejects soon where the swarm is ended before. */
  async run(): Promise<DemoOutcome> {
    const { delayMs } = this.#options;
    const first = await this.#start(undefined);
    this.#say("peer 1 begins a swarm");
    const others: DemoPeer[] = [];
    while (others.length < peersAtStart - 1) {
      others.push(await this.#start(first));
      this.#say(`peer ${1 + others.length} joins by peer 1`);
    }
    const [second = first, third = first] = others;
    await this.#together([first, second, third]);
    this.#say("three peers have found together, each with its part of the ring");

    const seeds = this.#server.web.rootUrls();
    await first.client.inject(job, seeds, { scope: "any", delayMs });
    this.#say(
      `peer 1 begins with ${counted(seeds.length, "URL")}; peer 2 is asked when the job is over`,
    );
    this.#watch(second);
    const [report, { fourth, kill }] = await Promise.all([
      this.#jobEnd(second),
      this.#replaceThird(first, second, third),
    ]);
    await this.#display?.stop();
    this.#say(`peer 2 knows that the job is finished in the whole swarm`);
    const graph = new TrueGraph(this.#server.web, { seeds });
    const told = await this.#toldBy(fourth, graph);
    const shares = report.shares
      .map(({ peer, counts }) => `${this.#nameOf(peer)}: ${formatCount(counts.fetched)}`)
      .sort();
    return { report, told, shares, audit: await this.#audit(graph, kill) };
  }

  /** Ends all processes, those too that are not ready yet, and starts no more; idempotent. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#display?.stop();
    await Promise.all(this.#processes.map((each) => each.end("SIGTERM")));
  }

  /** Kills the third peer in the middle of the crawl, and has a fourth one join. */
  async #replaceThird(
    first: DemoPeer,
    second: DemoPeer,
    third: DemoPeer,
  ): Promise<{ readonly fourth: DemoPeer; readonly kill: Kill }> {
    const { hits } = this.#server;
    await this.#until("the crawl runs", () => hits.length >= this.#options.pages * killAtShare);
    const { clock } = this.#terminal;
    const askedAtMs = clock.nowMs();
    await third.client.stats(this.#ended.signal);
    const atMs = clock.nowMs();
    await third.process.end("SIGKILL");
    const after = counted(hits.length, "request");
    this.#say(`kill -9 of peer 3 after ${after}; its disk is not coming back`);
    const fourth = await this.#start(second);
    this.#say("peer 4 joins by peer 2");
    await this.#together([first, second, fourth]);
    this.#say("peer 4 has its part of the ring; peer 3 is known to be dead");
    return { fourth, kill: { atMs, answeredInMs: atMs - askedAtMs } };
  }

  #nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  async #start(member: DemoPeer | undefined): Promise<DemoPeer> {
    this.#ended.signal.throwIfAborted();
    const name = `peer ${this.#processes.length + 1}`;
    const contact = "https://orbweaver.example/demo";
    const flags = ["--allow-private", "--dns", `127.0.0.1:${this.#dnsPort}`, "--contact", contact];
    const data = join(this.#out, name.replace(" ", "-"));
    const { environment } = this.#terminal;
    const request = { name, data, flags, environment, ...(member && { join: member.address }) };
    const started = new DemoProcess(request);
    this.#processes.push(started);
    const peer = await started.ready(this.#terminal.clock);
    this.#names.set(peer.id, name);
    return peer;
  }

  /** Waits until each of them sees all of them, and nobody else, on the ring. */
  async #together(peers: readonly DemoPeer[]): Promise<void> {
    const wanted = peers.map(({ id }) => id).sort();
    await this.#until("the peers find together", async () => {
      const views = await Promise.all(peers.map(({ client }) => client.members()));
      return views.every((members) => {
        const active = members.filter(({ state }) => state === "active").map(({ id }) => id);
        return active.sort().join() === wanted.join();
      });
    });
  }

  async #jobEnd({ client }: DemoPeer): Promise<WaitDocument> {
    for (;;) {
      const report = await client.waitForJob(job, this.#ended.signal);
      if (report.over) return report;
    }
  }

  /** Shows the swarm's progress as `peer` sees it. */
  #watch({ client }: DemoPeer): void {
    this.#ended.signal.throwIfAborted();
    const { clock } = this.#terminal;
    const watch = new ProgressWatch({ jobs: [] }, job, "the swarm crawls", clock.nowMs());
    this.#display = new ProgressDisplay(this.#terminal, async () => {
      const figures = await client.stats(this.#ended.signal).catch(() => undefined);
      const view = figures ? watch.observe(figures, clock.nowMs()) : watch.last;
      // Counted as what is said is: among its lines, another clock would go back.
      return { ...view, elapsedMs: clock.nowMs() - this.#startedAtMs };
    });
    this.#display.start();
  }

  #say(line: string): void {
    if (this.#ended.signal.aborted) return;
    const { clock, stderr } = this.#terminal;
    const time = formatDuration(clock.nowMs() - this.#startedAtMs).padStart(8);
    const text = `${time}  ${line}\n`;
    if (this.#display === undefined) void stderr.write(text);
    else this.#display.print(text);
  }

  /** Rejects where it takes too long, and where the swarm is ended meanwhile. */
  async #until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const { clock } = this.#terminal;
    const endAtMs = clock.nowMs() + togetherMsMax;
    while (!(await condition())) {
      this.#ended.signal.throwIfAborted();
      if (clock.nowMs() >= endAtMs) throw new CrawlError("CHILD_FAILED", `${what}: not in time`);
      await clock.sleep(lookEveryMs, this.#ended.signal);
    }
  }

  /** How many of the pages that must be fetched one peer says are done. */
  async #toldBy({ client }: DemoPeer, graph: TrueGraph): Promise<number> {
    const urls = [...graph.ids("must")].map((id) => graph.web.urlOf(id));
    let told = 0;
    for (let at = 0; at < urls.length; at += statusUrlsMax) {
      const states = await client.status(urls.slice(at, at + statusUrlsMax), job);
      told += states.filter(({ state }) => state === "done").length;
    }
    return told;
  }

  #audit(graph: TrueGraph, kill: Kill): Promise<AuditReport> {
    const { hits } = this.#server;
    const { delayMs } = this.#options;
    return audit(hits, graph, {
      hostDelayMs: delayMs,
      // As the peers keep it: an address rests no longer than its hosts do.
      addressDelayMs: Math.min(delayMs, defaultPolitenessOptions.addressDelayMs),
      // What was in work at the killed peer, of which no other one can know.
      interruptedAtMs: [kill.atMs],
      inFlightMs: inFlightMs + turnsUntilCopied * kill.answeredInMs,
      // Once by the heirs of the killed peer, once by the one that joined.
      robotsRefetchesAllowed: 2,
    });
  }
}
