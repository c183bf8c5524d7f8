/**
 * How much memory a peer takes with a long queue: `node test/bench/queue-memory.ts [URLS]` (default 1,000,000).
 *
 * A sample web with far more links than can be fetched meanwhile fills the queue of a `peer crawl`; when so many URLs are
 * queued, the kernel's figures of the process are printed and the crawl is stopped. Needs a build, and Linux's /proc.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { numberOr, scriptArguments } from "./flags.ts";

const root = join(import.meta.dirname, "../..");
const wanted = scriptArguments("node test/bench/queue-memory.ts [URLS]", (words) =>
  numberOr(1_000_000, "URLS", words),
);
const sites = 1_000;
const pollMs = 250;

interface Stats {
  readonly queued: number;
  readonly activeHosts: number;
  readonly jobs: readonly { readonly counts: { readonly pages: number } }[];
}

const knobs = ["branching=400", "linksPerPage=450", "crossSiteShare=0.3", "bytesPerPage=4096"];
const web = spawn(
  process.execPath,
  [
    join(root, "dist/sample-web.js"),
    ...["--preset", "plain", "--json", "--with-parent"],
    ...["--sites", String(sites), "--pages", String(wanted * 3)],
    ...knobs.flatMap((knob) => ["--set", knob]),
  ],
  { stdio: ["pipe", "pipe", "inherit"] },
);
const directory = await mkdtemp(join(tmpdir(), "orbweaver-memory-"));
try {
  const [line] = (await once(createInterface({ input: web.stdout }), "line")) as [string];
  const ready = JSON.parse(line) as { readonly firstRoot: string; readonly dnsPort: number };
  await measure(ready.firstRoot, ready.dnsPort);
} finally {
  web.stdin.end();
  await rm(directory, { recursive: true, force: true });
}

async function measure(seed: string, dnsPort: number): Promise<void> {
  const peer = spawn(
    process.execPath,
    [
      ...[join(root, "dist/peer.js"), "crawl", seed, "--out", directory, "--json"],
      ...["--scope", "any", "--delay", "0", "--allow-private"],
      ...["--dns", `127.0.0.1:${dnsPort}`, "--api", "127.0.0.1:0"],
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  const ended = once(peer, "exit");
  let stats: Stats | undefined;
  while (peer.exitCode === null && (stats?.queued ?? 0) < wanted) {
    await sleep(pollMs);
    stats = await readStats();
  }
  const status = await readFile(`/proc/${peer.pid}/status`, "utf8");
  peer.kill("SIGTERM");
  await ended;
  const kib = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  const { queued = 0, activeHosts = 0, jobs = [] } = stats ?? {};
  const report = {
    queued,
    activeHosts,
    pages: jobs[0]?.counts.pages ?? 0,
    residentMiB: Math.round(kib("VmRSS") / 1_024),
    anonymousMiB: Math.round(kib("RssAnon") / 1_024),
    mappedFilesMiB: Math.round(kib("RssFile") / 1_024),
    peakMiB: Math.round(kib("VmHWM") / 1_024),
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

async function readStats(): Promise<Stats | undefined> {
  try {
    const { url } = JSON.parse(await readFile(join(directory, "api.json"), "utf8")) as {
      readonly url: string;
    };
    const response = await fetch(`${url}/v1/stats`);
    return response.ok ? ((await response.json()) as Stats) : undefined;
  } catch {
    // The peer is not up yet, or on its way down; the loop's own condition ends the wait.
    return undefined;
  }
}
