import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { CrawlError } from "../src/core/errors.ts";
import type { Clock } from "../src/ports/clock.ts";
import { ApiClient } from "./api-client.ts";
import { hostAndPort } from "./config/value-readers.ts";

/** How a peer of the demo is started. */
export interface DemoPeerRequest {
  /** As people call it. */
  readonly name: string;
  readonly data: string;
  /** Address of a member to join by; absent for the first one. */
  readonly join?: string;
  /** Flags that all peers share. */
  readonly flags: readonly string[];
}

/** What a peer says of itself on its first line. */
interface ReadyLine {
  readonly peer: string;
  readonly api: string;
  readonly addresses: readonly string[];
}

/** A peer of the demo: a process of its own, asked through its API like any other. */
export class DemoPeer {
  readonly name: string;
  readonly id: string;
  readonly client: ApiClient;
  /** Where others join by it. */
  readonly address: string;
  readonly #child: ChildProcess;

  private constructor(name: string, child: ChildProcess, ready: ReadyLine, client: ApiClient) {
    this.name = name;
    this.id = ready.peer;
    this.client = client;
    this.address = ready.addresses[0] ?? "";
    this.#child = child;
  }

  /** Starts the process and waits until it is ready. Errors: `CHILD_FAILED`. */
  static async start(
    { name, data, join, flags }: DemoPeerRequest,
    clock: Clock,
  ): Promise<DemoPeer> {
    const main = fileURLToPath(new URL("peer.js", import.meta.url));
    const place = ["--data", data, "--api", "127.0.0.1:0", "--json", "--log-level", "error"];
    const swarm = ["--listen", "127.0.0.1:0", "--membership", "local"];
    if (join !== undefined) swarm.push("--join", join);
    const child = spawn(process.execPath, [main, "run", ...place, ...swarm, ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await firstLine(child.stdout);
    if (line === undefined) {
      child.kill("SIGKILL");
      throw new CrawlError("CHILD_FAILED", `${name} of the demo did not start`);
    }
    const ready = JSON.parse(line) as ReadyLine;
    const api = hostAndPort(1)(new URL(ready.api).host);
    const client = await ApiClient.find(api.ok ? { api: api.value } : {}, clock);
    return new DemoPeer(name, child, ready, client);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends the signal and waits until the process is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }
}

/** The first line of a stream; nothing where it ends before. */
async function firstLine(stream: Readable): Promise<string | undefined> {
  const lines = createInterface({ input: stream });
  for await (const line of lines) return line;
  return undefined;
}
