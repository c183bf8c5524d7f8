import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { errorCode } from "../../src/core/errors.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { SampleDns } from "../../sim/sample-web/sample-dns.ts";
import {
  defaultSampleWebOptions,
  type SampleWebOptions,
} from "../../sim/sample-web/sample-web-options.ts";
import { withFittingAddresses } from "../../sim/sample-web/fitting-addresses.ts";
import { SampleServer } from "../../sim/sample-web/sample-server.ts";
import { DemoSwarm, type DemoOptions, type DemoOutcome } from "../demo-swarm.ts";
import { numbersOf } from "../config/number-options.ts";
import { exitCodes, usageError } from "../error-line.ts";
import { readingFile, systemReason } from "../system-reason.ts";
import { StopRequest } from "../stop-request.ts";
import { counted, formatCount } from "../../src/core/text/human.ts";
import { newCommand, numberOption, printJson, settingsOf, wantsJson } from "./command-context.ts";
import type { CommandContext } from "./command-context.ts";

const defaults = { sites: 12, pages: 600, delay: 100, seed: 1 };

/** What each number may be. Each site binds addresses of 127.0.0.0/8 of its own, where the machine has them. */
const ranges = {
  sites: { min: 1, max: 1_000 },
  pages: { min: 1, max: 1_000_000 },
  delay: { min: 0, max: 60_000 },
  seed: { min: 0, max: 0xffff_ffff },
} as const;

/** Faults that would make a small host's circuit breaker open, and everybody wait for a minute. */
const quickShares = { failing: 0, unavailable: 0, reset: 0, throttled: 0 };

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

async function demo(context: CommandContext, command: Command): Promise<void> {
  // Neither it nor its peers take any from the environment; a variable of no setting, as ORBWEAVER_PAGES is, is told.
  await settingsOf(context, command, []);
  const options = demoOptionsOf(command.opts());
  if (options.out !== undefined) await mustBeUnused(options.out);
  const stop = new StopRequest(context.terminal);
  try {
    const out = options.out ?? (await mkdtemp(join(tmpdir(), "orbweaver-demo-")));
    try {
      const outcome = await crawlSampleWeb(context, options, out, stop);
      if (outcome === undefined) context.finish(stop.exitCode);
      else await conclude(context, command, outcome);
    } finally {
      if (options.out === undefined) await rm(out, { recursive: true, force: true });
    }
  } finally {
    stop.dispose();
  }
}

/** What came of it, when the web is served no more and all peers have ended; nothing where a stop was asked for. */
async function crawlSampleWeb(
  context: CommandContext,
  options: DemoOptions,
  out: string,
  stop: StopRequest,
): Promise<DemoOutcome | undefined> {
  const server = await SampleServer.start(await webOptionsOf(options));
  try {
    const dns = await SampleDns.start(server.web);
    try {
      await context.terminal.stderr.write(introduction(server, options));
      const swarm = new DemoSwarm(context.terminal, options, { server, dnsPort: dns.port, out });
      return await untilStopped(swarm, stop);
    } finally {
      await dns.stop();
    }
  } finally {
    await server.stop();
  }
}

function webOptionsOf({ sites, pages, seed }: DemoOptions): Promise<SampleWebOptions> {
  return withFittingAddresses({
    ...defaultSampleWebOptions,
    shares: { ...defaultSampleWebOptions.shares, ...quickShares },
    // Under one name each, so that any peer can be asked for any page.
    sessionShare: 0,
    variantShare: 0,
    sites,
    totalPages: pages,
    seed,
  });
}

/** Runs the swarm to the end of its story, or until a stop is asked for, and leaves nothing of it running. */
async function untilStopped(swarm: DemoSwarm, stop: StopRequest): Promise<DemoOutcome | undefined> {
  const running = swarm.run();
  await Promise.race([running.catch(() => undefined), stop.asked()]);
  await swarm.end();
  const [ended] = await Promise.allSettled([running]);
  // Ctrl-C reaches the peers as well: what failed because they ended is no failure.
  if (stop.signal.aborted) return undefined;
  if (ended.status === "rejected") throw ended.reason;
  return ended.value;
}

/** Peers go on with what they find: of an earlier run, it would be in the figures of this one. */
async function mustBeUnused(out: string): Promise<void> {
  // As an unset variable leaves it: joined with a name, it would be the current folder, whatever that holds.
  if (out === "") throw usageError('--out must name a new or empty folder, got ""');
  const names = await readdir(out).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return [];
    const reason = systemReason(error, readingFile);
    throw usageError(`--out must name a new or empty folder; ${out} cannot be read (${reason})`);
  });
  if (names.length === 0) return;
  throw usageError(`--out must name a new or empty folder; ${out} is not empty`);
}

const sharedAddress = [
  "This machine has no loopback address but 127.0.0.1: all hosts share it, and",
  "with it its delay, so that the crawl takes several times as long.",
];

function introduction({ web }: SampleServer, { pages, sites, delayMs }: DemoOptions): string {
  const { hostCount } = web.names;
  const isShared = web.options.addressing === "one";
  return [
    `A sample web is served on this machine: ${counted(pages, "page")} of ${counted(sites, "site")} on ${counted(hostCount, "host")},`,
    "with redirects, errors, slow pages, duplicates and robots.txt rules.",
    `Three peers crawl it, ${delayMs} ms between two requests to a host; one is`,
    "killed, a fourth joins.",
    ...(isShared ? sharedAddress : []),
    "",
    "",
  ].join("\n");
}

async function conclude(
  context: CommandContext,
  command: Command,
  { report, audit: audited, shares, told }: DemoOutcome,
): Promise<void> {
  const { terminal } = context;
  const { counts, finished } = report;
  const passed = audited.passed && finished && told === audited.pages.mustFetch;
  if (wantsJson(command)) {
    await printJson(context, { passed, job: report, told, audit: audited });
  } else {
    await terminal.stdout.write(
      [
        `\nThe swarm says: ${counted(counts.fetched, "URL")} answered, ${counted(counts.pages, "page")} among them`,
        `(${shares.join(", ")});`,
        "what peer 3 had counted, and no other had heard of, is lost with its disk.",
        `Its URLs are not: asked for ${counted(audited.pages.mustFetch, "reachable URL")}, peer 4, which joined last,`,
        `says that ${formatCount(told)} are done.`,
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
