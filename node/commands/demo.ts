import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { audit } from "../../sim/auditor/auditor.ts";
import type { AuditReport } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { SampleDns } from "../../sim/sample-web/sample-dns.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { SampleServer } from "../../sim/sample-web/sample-server.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import type { WaitDocument } from "../../src/adapters/http-api/job-routes.ts";
import { CrawlError } from "../../src/core/errors.ts";
import type { Millis } from "../../src/core/units.ts";
import { defaultProgressDisplayOptions, ProgressDisplay } from "../dashboard/progress-display.ts";
import { ProgressWatch } from "../dashboard/progress-watch.ts";
import { DemoPeer } from "../demo-peer.ts";
import { numbersOf } from "../config/number-options.ts";
import { exitCodes, usageError } from "../error-line.ts";
import { StopRequest } from "../stop-request.ts";
import { counted, formatCount, formatDuration } from "../../src/core/text/human.ts";
import {
  colorWanted,
  newCommand,
  numberOption,
  printJson,
  settingsOf,
  wantsJson,
} from "./command-context.ts";
import type { CommandContext } from "./command-context.ts";

interface DemoOptions {
  readonly sites: number;
  readonly pages: number;
  readonly delayMs: number;
  readonly seed: number;
  /** Where the peers' data stays; absent for a folder that is removed again. */
  readonly out?: string;
}

const defaults = { sites: 12, pages: 600, delay: 100, seed: 1 };

/** What each number may be. Each site binds addresses of 127.0.0.0/8 of its own. */
const ranges = {
  sites: { min: 1, max: 1_000 },
  pages: { min: 1, max: 1_000_000 },
  delay: { min: 0, max: 60_000 },
  seed: { min: 0, max: 0xffff_ffff },
} as const;

/** Faults that would make a small host's circuit breaker open, and everybody wait for a minute. */
const quickShares = { failing: 0, unavailable: 0, reset: 0, throttled: 0 };

/** Peers at the start. */
const peersAtStart = 3;

/** Share of the requests after which one of them is killed. */
const killAtShare = 0.3;

/** How often a state that tells of itself by no event is looked at. */
const lookEveryMs: Millis = 20;

/** Longest time that members need to find together. */
const togetherMsMax: Millis = 60_000;

/** URLs asked for at once: the API's bound. */
const statusUrlsMax = 1_000;

const job = "demo";

/** `peer demo`: a whole web, a swarm through a crash and a join, and the proof from the server's own log. */
export function demoCommand(context: CommandContext): Command {
  const text = {
    name: "demo",
    summary:
      "crawl a built-in sample web by a swarm through a crash and a join, and prove that nothing was lost",
    examples: [
      ["peer demo", "600 pages of 12 sites on loopback addresses, three peers, one kill -9"],
      ["peer demo --pages 20000 --sites 100 --delay 0", "larger"],
    ],
  } as const;
  return newCommand(text, [])
    .addOption(numberOption("--sites <n>", "sites of the sample web", defaults.sites))
    .addOption(numberOption("--pages <n>", "pages of the sample web", defaults.pages))
    .addOption(
      numberOption("--delay <ms>", "shortest time between two requests to a host", defaults.delay),
    )
    .addOption(numberOption("--seed <n>", "another sample web", defaults.seed))
    .option(
      "--out <dir>",
      "keep the peers' data there, in a new or empty folder (default: removed at the end)",
    )
    .action((_options: unknown, command: Command) => demo(context, command));
}

/** What the demo has come to. */
interface Outcome {
  readonly report: WaitDocument;
  readonly audit: AuditReport;
  /** Pages whose state the peer that joined last told as done. */
  readonly told: number;
  /** What each peer has done, as far as those that run remember. */
  readonly shares: readonly string[];
}

async function demo(context: CommandContext, command: Command): Promise<void> {
  // It takes none from the environment; a variable that names one of its flags is not let pass in silence.
  await settingsOf(context, command, []);
  const options = demoOptionsOf(command.opts());
  if (options.out !== undefined) await mustBeUnused(options.out);
  const server = await SampleServer.start({
    ...defaultSampleWebOptions,
    shares: { ...defaultSampleWebOptions.shares, ...quickShares },
    // Under one name each, so that any peer can be asked for any page.
    sessionShare: 0,
    variantShare: 0,
    sites: options.sites,
    totalPages: options.pages,
    seed: options.seed,
  });
  const dns = await SampleDns.start(server.web);
  const out = options.out ?? (await mkdtemp(join(tmpdir(), "orbweaver-demo-")));
  const stop = new StopRequest(context.terminal);
  const swarm = new DemoSwarm(context, options, { server, dnsPort: dns.port, out });
  try {
    await context.terminal.stderr.write(introduction(server, options));
    const outcome = await Promise.race([swarm.run(), stop.asked()]);
    if (outcome === undefined) context.finish(stop.exitCode);
    else await conclude(context, command, outcome);
  } finally {
    await swarm.end();
    stop.dispose();
    await Promise.all([server.stop(), dns.stop()]);
    if (options.out === undefined) await rm(out, { recursive: true, force: true });
  }
}

/** Peers go on with what they find: of an earlier run, it would be in the figures of this one. */
async function mustBeUnused(out: string): Promise<void> {
  const names = await readdir(out).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`--out must name a new or empty folder; ${out} cannot be read (${reason})`);
  });
  if (names.length === 0) return;
  throw usageError(`--out must name a new or empty folder; ${out} is not empty`);
}

function introduction({ web }: SampleServer, { pages, sites, delayMs }: DemoOptions): string {
  const { hostCount } = web.names;
  return [
    `A sample web is served on this machine: ${counted(pages, "page")} of ${counted(sites, "site")} on ${counted(hostCount, "host")},`,
    "with redirects, errors, slow pages, duplicates and robots.txt rules.",
    `Three peers crawl it, ${delayMs} ms between two requests to a host; one is killed, a fourth joins.`,
    "",
    "",
  ].join("\n");
}

/** The peers of the demo, and what happens to them. */
class DemoSwarm {
  readonly #context: CommandContext;
  readonly #options: DemoOptions;
  readonly #server: SampleServer;
  readonly #dnsPort: number;
  readonly #out: string;
  readonly #startedAtMs: Millis;
  readonly #peers: DemoPeer[] = [];
  #display: ProgressDisplay | undefined;

  constructor(
    context: CommandContext,
    options: DemoOptions,
    place: { readonly server: SampleServer; readonly dnsPort: number; readonly out: string },
  ) {
    this.#context = context;
    this.#options = options;
    this.#server = place.server;
    this.#dnsPort = place.dnsPort;
    this.#out = place.out;
    this.#startedAtMs = context.terminal.clock.nowMs();
  }

  /** Three peers, a crawl, a kill and a join; to the job's end. */
  async run(): Promise<Outcome> {
    const { delayMs, pages } = this.#options;
    const first = await this.#start(undefined);
    const others: DemoPeer[] = [];
    while (others.length < peersAtStart - 1) others.push(await this.#start(first));
    const [second = first, third = first] = others;
    await this.#together([first, second, third]);
    this.#say("three peers have found together, each with its part of the ring");

    const seeds = this.#server.web.rootUrls();
    await first.client.inject(job, seeds, { scope: "any", delayMs });
    this.#say(
      `peer 1 was given ${counted(seeds.length, "URL")} to start from; peer 2 is asked when the job is over`,
    );
    const end = this.#jobEnd(second);
    this.#watch(second);

    await this.#until("the crawl runs", () => this.#server.hits.length >= pages * killAtShare);
    const killedAtMs = this.#context.terminal.clock.nowMs();
    await third.end("SIGKILL");
    const after = counted(this.#server.hits.length, "request");
    this.#say(`kill -9 of peer 3 after ${after}; its disk is not coming back`);
    const fourth = await this.#start(second);
    this.#say("peer 4 joins by peer 2");
    await this.#together([first, second, fourth]);
    this.#say("peer 4 has its part of the ring; peer 3 is known to be dead");

    const report = await end;
    await this.#display?.stop();
    this.#say(`peer 2 knows that the job is finished in the whole swarm`);
    const graph = new TrueGraph(this.#server.web, { seeds });
    const told = await this.#toldBy(fourth, graph);
    const shares = report.shares.map(
      ({ peer, counts }) => `${this.#nameOf(peer)}: ${formatCount(counts.fetched)}`,
    );
    return { report, told, shares, audit: await this.#audit(graph, killedAtMs) };
  }

  /** Ends all that still run; idempotent. */
  async end(): Promise<void> {
    await this.#display?.stop();
    await Promise.all(this.#peers.map((peer) => peer.end("SIGTERM")));
  }

  #nameOf(id: string): string {
    return this.#peers.find((peer) => peer.id === id)?.name ?? id;
  }

  async #start(member: DemoPeer | undefined): Promise<DemoPeer> {
    const name = `peer ${this.#peers.length + 1}`;
    const contact = "https://orbweaver.example/demo";
    const flags = ["--allow-private", "--dns", `127.0.0.1:${this.#dnsPort}`, "--contact", contact];
    const data = join(this.#out, name.replace(" ", "-"));
    const request = { name, data, flags, ...(member && { join: member.address }) };
    const peer = await DemoPeer.start(request, this.#context.terminal.clock);
    this.#peers.push(peer);
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
    const { signal } = new AbortController();
    for (;;) {
      const report = await client.waitForJob(job, signal);
      if (report.over) return report;
    }
  }

  /** Shows the swarm's progress as `peer` sees it. */
  #watch({ client }: DemoPeer): void {
    const { terminal } = this.#context;
    const { clock } = terminal;
    const watch = new ProgressWatch({ jobs: [] }, job, "the swarm crawls", clock.nowMs());
    this.#display = new ProgressDisplay(
      terminal.stderr,
      clock,
      async () => {
        const figures = await client.stats().catch(() => undefined);
        return figures ? watch.observe(figures, clock.nowMs()) : watch.last;
      },
      { ...defaultProgressDisplayOptions, color: colorWanted(terminal) },
    );
    this.#display.start();
  }

  #say(line: string): void {
    const { clock, stderr } = this.#context.terminal;
    const time = formatDuration(clock.nowMs() - this.#startedAtMs).padStart(8);
    const text = `${time}  ${line}\n`;
    if (this.#display === undefined) void stderr.write(text);
    else this.#display.print(text);
  }

  async #until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const { clock } = this.#context.terminal;
    const endAtMs = clock.nowMs() + togetherMsMax;
    while (!(await condition())) {
      if (clock.nowMs() >= endAtMs) throw new CrawlError("CHILD_FAILED", `${what}: not in time`);
      await clock.sleep(lookEveryMs);
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

  #audit(graph: TrueGraph, killedAtMs: Millis): Promise<AuditReport> {
    const { hits } = this.#server;
    return audit(hits, graph, {
      hostDelayMs: this.#options.delayMs,
      addressDelayMs: 0,
      // What was in work at the killed peer, of which no other one can know.
      interruptedAtMs: [killedAtMs],
      // Once by the heirs of the killed peer, once by the one that joined.
      robotsRefetchesAllowed: 2,
    });
  }
}

async function conclude(
  context: CommandContext,
  command: Command,
  { report, audit: audited, shares, told }: Outcome,
): Promise<void> {
  const { terminal } = context;
  const { counts, finished } = report;
  const passed = audited.passed && finished && told === audited.pages.mustFetch;
  if (wantsJson(command)) {
    await printJson(context, { passed, job: report, told, audit: audited });
  } else {
    await terminal.stdout.write(
      [
        `\nThe swarm says: ${counted(counts.fetched, "URL")} answered, ${counted(counts.pages, "page")} among them (${shares.join(", ")}).`,
        `Asked for ${counted(audited.pages.mustFetch, "reachable URL")}, peer 4, which joined last, says that ${formatCount(told)} are done.`,
        "The server's log, held against the true graph of the web, says:\n",
        renderAudit(audited),
        "",
      ].join("\n"),
    );
  }
  if (!passed) context.finish(exitCodes.failed);
}

function demoOptionsOf(given: Readonly<Record<string, unknown>>): DemoOptions {
  const { out } = given;
  const { sites, pages, delay, seed } = { ...defaults, ...numbersOf(given, ranges) };
  if (pages < sites) throw usageError(`--pages must be at least --sites (${sites}), got ${pages}`);
  return { sites, pages, delayMs: delay, seed, ...(typeof out === "string" && { out }) };
}
