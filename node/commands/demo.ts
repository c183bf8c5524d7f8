import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { audit } from "../../sim/auditor/auditor.ts";
import type { AuditReport } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { SampleDns } from "../../sim/sample-web/sample-dns.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { SampleServer } from "../../sim/sample-web/sample-server.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import { CrawlError } from "../../src/core/errors.ts";
import type { CrawlSummary } from "../crawl-summary.ts";
import { exitCodes, usageError } from "../error-line.ts";
import { counted, formatCount } from "../text/human.ts";
import { newCommand, printJson, wantsJson } from "./command-context.ts";
import type { CommandContext } from "./command-context.ts";

interface DemoOptions {
  readonly sites: number;
  readonly pages: number;
  readonly delayMs: number;
  readonly seed: number;
  readonly kills: number;
  /** Where the crawl stays; absent for a folder that is removed again. */
  readonly out?: string;
}

/** Addresses of 127.0.0.0/8 that one run binds, at most. */
const sitesMax = 1_000;
const pagesMax = 1_000_000;
const killsMax = 100;

/** Faults that would make a small host's circuit breaker open, and everybody wait for a minute. */
const quickShares = { failing: 0, unavailable: 0, reset: 0, throttled: 0 };

/** How often the hits are counted while a kill is waited for. */
const watchMs = 20;

/** `peer demo`: a whole web, a crawl with a crash in the middle, and the proof from the server's own log. */
export function demoCommand(context: CommandContext): Command {
  const text = {
    name: "demo",
    summary: "crawl a built-in sample web through a crash and prove that nothing was lost",
    examples: [
      ["peer demo", "600 pages of 12 sites on loopback addresses, one kill -9 in the middle"],
      ["peer demo --pages 20000 --sites 100 --kills 20 --delay 0", "larger, and rougher"],
    ],
  } as const;
  return newCommand(text, [])
    .option("--sites <n>", "sites of the sample web", "12")
    .option("--pages <n>", "pages of the sample web", "600")
    .option("--delay <ms>", "shortest time between two requests to a host", "100")
    .option("--kills <n>", "how often the peer is killed on the way", "1")
    .option("--seed <n>", "another sample web", "1")
    .option("--out <dir>", "keep the crawl there (default: removed at the end)")
    .action((_options: unknown, command: Command) => demo(context, command));
}

async function demo(context: CommandContext, command: Command): Promise<void> {
  const options = demoOptionsOf(command.opts());
  const server = await SampleServer.start({
    ...defaultSampleWebOptions,
    shares: { ...defaultSampleWebOptions.shares, ...quickShares },
    sites: options.sites,
    totalPages: options.pages,
    seed: options.seed,
  });
  const dns = await SampleDns.start(server.web);
  const out = options.out ?? (await mkdtemp(join(tmpdir(), "orbweaver-demo-")));
  try {
    const seeds = server.web.rootUrls();
    const say = (line: string): Promise<void> => context.terminal.stderr.write(`${line}\n`);
    await say(introduction(server, options));
    const crawl = new CrawlProcess(seeds, out, dns.port, options.delayMs);
    for (let kill = 1; kill <= options.kills; kill += 1) {
      const hits = Math.ceil((options.pages * kill) / (options.kills + 1));
      await killAt(context, crawl, server, hits);
      await say(`kill -9 after ${counted(server.hits.length, "request")}; starting it again`);
    }
    const summary = await crawl.finish();
    const report = await audit(server.hits, new TrueGraph(server.web, { seeds }), {
      hostDelayMs: options.delayMs,
      addressDelayMs: 0,
      refetchesAllowed: summary.duplicateFetches,
      robotsRefetchesAllowed: options.kills,
    });
    await conclude(context, command, summary, report);
  } finally {
    await Promise.all([server.stop(), dns.stop()]);
    if (options.out === undefined) await rm(out, { recursive: true, force: true });
  }
}

function introduction({ web }: SampleServer, { pages, sites, delayMs }: DemoOptions): string {
  const { hostCount } = web.names;
  return [
    `A sample web is served on this machine: ${counted(pages, "page")} of ${counted(sites, "site")} on ${counted(hostCount, "host")},`,
    "with redirects, errors, slow pages, duplicates and robots.txt rules.",
    `One peer crawls it, ${delayMs} ms between two requests to a host.`,
    "",
  ].join("\n");
}

async function conclude(
  context: CommandContext,
  command: Command,
  summary: CrawlSummary,
  report: AuditReport,
): Promise<void> {
  const { terminal } = context;
  if (wantsJson(command)) {
    await printJson(context, { passed: report.passed, summary, audit: report });
  } else {
    const { pages, fetched, duplicateFetches, pagesPerSecond } = summary;
    await terminal.stdout.write(
      [
        `\nThe peer says: ${counted(pages, "page")} among ${counted(fetched, "answer")}, ${formatCount(pagesPerSecond)} pages/s, ${counted(duplicateFetches, "request")} made again after the crash.`,
        "The server's log, held against the true graph of the web, says:\n",
        renderAudit(report),
        "",
      ].join("\n"),
    );
  }
  if (!report.passed) context.finish(exitCodes.failed);
}

/** Starts the crawl, and ends it as a crash would when the server has seen that many requests. */
async function killAt(
  { terminal }: CommandContext,
  crawl: CrawlProcess,
  server: SampleServer,
  hits: number,
): Promise<void> {
  const child = crawl.start();
  while (server.hits.length < hits && child.exitCode === null) {
    await terminal.clock.sleep(watchMs);
  }
  await crawl.kill();
}

/** `peer crawl` as a process of its own, again and again on the same directory. */
class CrawlProcess {
  readonly #arguments: readonly string[];
  #child: ChildProcess | undefined;
  #output = "";

  constructor(seeds: readonly string[], out: string, dnsPort: number, delayMs: number) {
    const main = fileURLToPath(new URL("../main.js", import.meta.url));
    const contact = "https://orbweaver.example/demo";
    this.#arguments = [
      ...[main, "crawl", ...seeds, "--out", out, "--scope", "any", "--allow-private", "--json"],
      ...["--dns", `127.0.0.1:${dnsPort}`, "--delay", String(delayMs), "--contact", contact],
    ];
  }

  start(): ChildProcess {
    const child = spawn(process.execPath, this.#arguments, {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    this.#output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
    return child;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null) return;
    const ended = endOf(child);
    child.kill("SIGKILL");
    await ended;
  }

  /** Runs to the end and returns what it printed. Errors: `CHILD_FAILED`. */
  async finish(): Promise<CrawlSummary> {
    const child = this.start();
    const code = await endOf(child);
    if (code !== 0) {
      throw new CrawlError("CHILD_FAILED", `the demo's crawl ended with exit code ${String(code)}`);
    }
    return JSON.parse(this.#output) as CrawlSummary;
  }
}

/** Exit code of a process, when its output is complete; null when a signal ended it. */
function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

function demoOptionsOf(given: Readonly<Record<string, unknown>>): DemoOptions {
  const { out } = given;
  return {
    sites: wholeNumber(given, "sites", 1, sitesMax),
    pages: wholeNumber(given, "pages", 1, pagesMax),
    delayMs: wholeNumber(given, "delay", 0, 60_000),
    seed: wholeNumber(given, "seed", 0, 0xffff_ffff),
    kills: wholeNumber(given, "kills", 0, killsMax),
    ...(typeof out === "string" && { out }),
  };
}

function wholeNumber(
  given: Readonly<Record<string, unknown>>,
  name: string,
  min: number,
  max: number,
): number {
  const text = String(given[name]);
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw usageError(`--${name} must be a whole number from ${min} to ${max}, got "${text}"`);
}
