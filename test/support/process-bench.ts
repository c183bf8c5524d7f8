import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SampleDns } from "../../sim/sample-web/sample-dns.ts";
import { SampleServer } from "../../sim/sample-web/sample-server.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import type { SampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import type { SampleWeb } from "../../sim/sample-web/sample-web.ts";
import type { CrawlSummary } from "../../node/crawl-summary.ts";
import { PeerProcess } from "./peer-process.ts";
import type { Ended, PeerProcessOptions } from "./peer-process.ts";
import { until } from "./until.ts";

/** The crawl's promises to servers, as every test makes them. */
export const contact = "https://orbweaver.example/tests";

/** A served sample web with its name server. */
export interface SampleSite {
  readonly web: SampleWeb;
  readonly server: SampleServer;
  readonly seeds: readonly string[];
  /** Flags that let a peer crawl it. */
  readonly flags: readonly string[];
}

/** A peer that runs until it is told to stop. */
export interface RunningPeer {
  readonly process: PeerProcess;
  readonly api: string;
  readonly pid: number;
}

/**
 * Sample webs, directories and processes of one test, all gone again after `clear()`.
 *
 * Kinds of pages that fail are few in the web by default: a host with more than a tenth of failures rests for a minute.
 */
export class ProcessBench {
  readonly #ends: (() => Promise<unknown>)[] = [];

  async site(options: Partial<SampleWebOptions> = {}): Promise<SampleSite> {
    const server = await SampleServer.start({ ...defaultSampleWebOptions, ...options });
    this.#ends.push(() => server.stop());
    const dns = await SampleDns.start(server.web);
    this.#ends.push(() => dns.stop());
    const seeds = server.web.rootUrls();
    const flags = ["--allow-private", "--contact", contact, "--dns", `127.0.0.1:${dns.port}`];
    return { web: server.web, server, seeds, flags };
  }

  async directory(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "orbweaver-test-"));
    this.#ends.push(() => rm(path, { recursive: true, force: true, maxRetries: 3 }));
    return path;
  }

  start(words: readonly string[], options?: PeerProcessOptions): PeerProcess {
    const started = new PeerProcess(words, options);
    this.#ends.push(() => started.end("SIGKILL"));
    return started;
  }

  run(words: readonly string[], options?: PeerProcessOptions): Promise<Ended> {
    return this.start(words, options).ended;
  }

  /** Starts `peer run` on a port that the system picks, and waits until it is ready. */
  peer(
    data: string,
    words: readonly string[] = [],
    options?: PeerProcessOptions,
  ): Promise<RunningPeer> {
    const run = ["run", "--data", data, "--api", "127.0.0.1:0", "--json"];
    return this.ready(this.start([...run, ...words], options));
  }

  /** Waits until a `peer run --json` says where it listens. */
  async ready(started: PeerProcess): Promise<RunningPeer> {
    await until("the peer is ready", () => {
      if (!started.isRunning) throw new Error(`the peer ended: ${started.stderr}`);
      return started.stdout.includes("\n");
    });
    const ready = JSON.parse(started.stdout.split("\n", 1)[0] ?? "") as {
      readonly api: string;
      readonly pid: number;
    };
    return { process: started, api: ready.api, pid: ready.pid };
  }

  /** Has `end` called by {@link clear}, before what was made earlier ends. */
  atEnd(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  /** Ends what was started, newest first. */
  async clear(): Promise<void> {
    for (let end = this.#ends.pop(); end; end = this.#ends.pop()) await end();
  }
}

/** Command line of a crawl of a whole sample web. */
export function crawlWords(
  { seeds, flags }: SampleSite,
  out: string,
  delayMs: number,
  more: readonly string[] = [],
): string[] {
  const job = ["--scope", "any", "--delay", String(delayMs), "--out", out];
  return ["crawl", ...seeds, ...flags, ...job, "--json", ...more];
}

/** The document that `peer crawl --json` printed. */
export function summaryOf({ code, stdout, stderr }: Ended): CrawlSummary {
  if (stdout === "") throw new Error(`no summary, exit code ${String(code)}: ${stderr}`);
  return JSON.parse(stdout) as CrawlSummary;
}
