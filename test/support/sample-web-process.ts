import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SampleWeb } from "../../sim/sample-web/sample-web.ts";
import type { SampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";

const entry = fileURLToPath(new URL("../../dist/sample-web.js", import.meta.url));

/** A sample web that another process serves. */
export interface ServedWeb {
  readonly web: SampleWeb;
  readonly dnsPort: number;
  /** The log of hits; whole once the web has stopped. */
  readonly log: string;
  stop(): Promise<void>;
}

/**
 * Starts a sample web as a process of its own that ends with this one; `words` are its command line. A command that runs
 * it, `within`, must become it.
 */
export async function startSampleWebProcess(
  log: string,
  words: readonly string[],
  within: readonly string[] = [],
): Promise<ServedWeb> {
  const flags = ["--log", log, "--with-parent", "--json"];
  const [command = "", ...rest] = [...within, process.execPath, entry, ...words, ...flags];
  const child = spawn(command, rest, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const ready = JSON.parse(line) as {
    readonly port: number;
    readonly dnsPort: number;
    readonly options: SampleWebOptions;
  };
  return {
    web: new SampleWeb(ready.options, ready.port),
    dnsPort: ready.dnsPort,
    log,
    async stop() {
      child.kill("SIGTERM");
      await closed;
    },
  };
}
