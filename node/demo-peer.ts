import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { CrawlError } from "../src/core/errors.ts";
import type { Clock } from "../src/ports/clock.ts";
import { ApiClient } from "./api-client.ts";
import { untilInputEndsFlag } from "./commands/run.ts";
import { withoutSettings } from "./config/resolve-settings.ts";
import { hostAndPort } from "./config/value-readers.ts";
import type { Terminal } from "./terminal.ts";

/** How a peer of the demo is started. */
export interface DemoPeerRequest {
  /** As people call it. */
  readonly name: string;
  readonly data: string;
  /** Address of a member to join by; absent for the first one. */
  readonly join?: string;
  /** Flags that all peers share. */
  readonly flags: readonly string[];
  /** Its environment, but for the settings there: they are those of a peer that is no part of the demo. */
  readonly environment: Terminal["environment"];
}

/** What a peer says of itself on its first line. */
interface ReadyLine {
  readonly peer: string;
  readonly api: string;
  readonly addresses: readonly string[];
}

/** A peer of the demo that is ready, asked through its API like any other. */
export interface DemoPeer {
  readonly process: DemoProcess;
  readonly id: string;
  readonly client: ApiClient;
  /** Where others join by it. */
  readonly address: string;
}

/**
 * The process of a peer of the demo. It runs from its construction on, and is a peer when it is {@link ready}. It stops by
 * itself when this process is gone, however that ended: its standard input is a pipe from here.
 */
export class DemoProcess {
  readonly name: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  constructor({ name, data, join, flags, environment }: DemoPeerRequest) {
    this.name = name;
    const main = fileURLToPath(new URL("peer.js", import.meta.url));
    const place = ["--data", data, "--api", "127.0.0.1:0", "--json", "--log-level", "error"];
    const swarm = ["--listen", "127.0.0.1:0", "--membership", "local"];
    if (join !== undefined) swarm.push("--join", join);
    const words = ["run", ...place, ...swarm, ...flags, untilInputEndsFlag];
    this.#child = spawn(process.execPath, [main, ...words], {
      stdio: ["pipe", "pipe", "inherit"],
      env: withoutSettings(environment),
    });
  }

  /** The peer, when it has said where it is. Errors: `CHILD_FAILED`, also where it was ended before. */
  async ready(clock: Clock): Promise<DemoPeer> {
    const line = await firstLine(this.#child.stdout);
    if (line === undefined) {
      throw new CrawlError("CHILD_FAILED", `${this.name} of the demo did not start`);
    }
    const ready = JSON.parse(line) as ReadyLine;
    const api = hostAndPort(1, "127.0.0.1:7780")(new URL(ready.api).host);
    const client = await ApiClient.find(api.ok ? { api: api.value } : {}, clock);
    return { process: this, id: ready.peer, client, address: ready.addresses[0] ?? "" };
  }

  /** Sends the signal, where it still runs, and waits until the process is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
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
