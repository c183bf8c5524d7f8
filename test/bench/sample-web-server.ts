import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Hit } from "../../sim/sample-web/hit-log.ts";
import type { ServerHit, SiteServer } from "./site-server.ts";

const main = join(import.meta.dirname, "../../dist/sample-web.js");

/** Serves the sample web, without its faults and on addresses instead of names, as a process of its own. */
export async function serveSampleWeb(
  web: { readonly sites: number; readonly pages: number },
  directory: string,
): Promise<SiteServer> {
  await mkdir(directory, { recursive: true });
  const log = join(directory, "hits.ndjson");
  const options = ["--preset", "plain", "--addresses", "--no-dns", "--json", "--with-parent"];
  const size = ["--sites", String(web.sites), "--pages", String(web.pages)];
  const child = spawn(process.execPath, [main, ...options, ...size, "--log", log], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([
    once(lines, "line").then(([line]) => String(line)),
    once(child, "exit").then(() => undefined),
  ]);
  if (first === undefined) throw new Error("the sample web does not start");
  const { firstRoot, port } = JSON.parse(first) as { firstRoot: string; port: number };
  let stopped: Promise<readonly ServerHit[]> | undefined;
  const end = async (): Promise<readonly ServerHit[]> => {
    child.stdin.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    return (await readFile(log, "utf8").catch(() => "")).split("\n").filter(Boolean).map(hitOf);
  };
  const start = new URL(firstRoot);
  start.port = String(port);
  return {
    startUrl: start.href,
    anyHost: true,
    software: "the sample web's own server",
    stop: () => (stopped ??= end()),
  };
}

function hitOf(line: string): ServerHit {
  const { finishedAtMs, host, method, path, status } = JSON.parse(line) as Hit;
  return { finishedAtMs, host, method, path, status };
}
