import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerHit, SiteServer } from "./site-server.ts";

const nginx = "/usr/sbin/nginx";
const startTimeoutMs = 5_000;
const pollEveryMs = 20;

/** Version of the installed nginx; undefined where there is none. */
export function nginxVersion(): string | undefined {
  if (!existsSync(nginx)) return undefined;
  const { stderr } = spawnSync(nginx, ["-v"], { encoding: "utf8" });
  return /nginx\/[\d.]+/.exec(stderr)?.[0].replace("/", " ");
}

/** Serves a folder by an nginx of its own, with nothing outside of `directory`. */
export async function serveFolder(
  folder: { readonly root: string; readonly startPath: string; readonly address: string },
  directory: string,
): Promise<SiteServer> {
  await mkdir(directory, { recursive: true });
  const port = await freePort(folder.address);
  const log = join(directory, "hits.ndjson");
  const errors = join(directory, "error.log");
  const file = join(directory, "nginx.conf");
  await writeFile(file, configuration({ ...folder, port, directory, log, errors }));
  const child = spawn(nginx, ["-e", errors, "-c", file], { stdio: "ignore" });
  let stopped: Promise<readonly ServerHit[]> | undefined;
  const stop = (): Promise<readonly ServerHit[]> => (stopped ??= stopAndRead(child, log));
  try {
    await untilListening(folder.address, port, child);
  } catch (error) {
    await stop();
    const said = await readFile(errors, "utf8").catch(() => "");
    throw new Error(`nginx does not start: ${said.trim()}`, { cause: error });
  }
  return {
    startUrl: `http://${folder.address}:${port}${folder.startPath}`,
    anyHost: false,
    software: nginxVersion() ?? "nginx",
    stop,
  };
}

/** The log is written at once, so that it is whole when nginx ends; missing files are for the access log alone. */
function configuration(site: {
  readonly root: string;
  readonly address: string;
  readonly port: number;
  readonly directory: string;
  readonly log: string;
  readonly errors: string;
}): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `  ${kind}_temp_path ${join(site.directory, kind)};`,
  );
  return `daemon off;
worker_processes 1;
pid ${join(site.directory, "nginx.pid")};
error_log ${site.errors};
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  log_format hits escape=json
    '{"at":$msec,"host":"$host","method":"$request_method","path":"$request_uri","status":$status}';
  access_log ${site.log} hits;
  log_not_found off;
  sendfile on;
  tcp_nopush on;
${temporary.join("\n")}
  server {
    listen ${site.address}:${site.port};
    root ${site.root};
    index index.html;
    absolute_redirect on;
  }
}
`;
}

async function freePort(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, "listening");
  const bound = server.address();
  server.close();
  await once(server, "close");
  if (bound === null || typeof bound === "string") throw new Error("no port was bound");
  return bound.port;
}

async function untilListening(address: string, port: number, child: ChildProcess): Promise<void> {
  const deadlineMs = Date.now() + startTimeoutMs;
  while (Date.now() < deadlineMs && child.exitCode === null) {
    const socket = connect(port, address);
    try {
      await once(socket, "connect");
      return;
    } catch {
      await sleep(pollEveryMs);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`nothing listens on ${address}:${port}`);
}

async function stopAndRead(child: ChildProcess, log: string): Promise<readonly ServerHit[]> {
  if (child.exitCode === null && child.signalCode === null && child.kill("SIGTERM")) {
    await once(child, "exit");
  }
  const lines = (await readFile(log, "utf8").catch(() => "")).split("\n").filter(Boolean);
  return lines.map((line) => {
    const hit = JSON.parse(line) as Omit<ServerHit, "finishedAtMs"> & { readonly at: number };
    const { at, host, method, path, status } = hit;
    return { finishedAtMs: at * 1_000, host, method, path, status };
  });
}
