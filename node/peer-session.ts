import { existsSync } from "node:fs";
import { access, constants, mkdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ConsoleLogger } from "../src/adapters/system/console-logger.ts";
import { SystemClock } from "../src/adapters/system/system-clock.ts";
import type { MetricsText } from "../src/adapters/http-api/http-api.ts";
import { CrawlError, errorCode } from "../src/core/errors.ts";
import type { PeerControl } from "../src/ports/peer-control.ts";
import type { ApiFile } from "./api-client.ts";
import { dataLayout, type ListenAddress, type PeerConfig } from "./config/peer-config.ts";
import { makingDirectory, systemReason } from "./system-reason.ts";
import { shellWord } from "./text/terminal-text.ts";
import { writeWhole } from "./whole-file.ts";

/** A peer as the composition root hands it out: built, not started. */
export interface RunnablePeer {
  readonly control: PeerControl;
  readonly metrics?: MetricsText;
  /** Rejects when a running peer breaks for good, for instance because the disk is full. */
  readonly broken: Promise<never>;
  /** Absent for a peer that crawls alone. */
  readonly swarm?: SwarmMembership;
  start(): Promise<void>;
  /** Waits for `atRest` when nothing is under way any more and all can still be asked; it never rejects. */
  stop(atRest?: () => Promise<void>): Promise<void>;
}

/** A running peer's place in its swarm. */
export interface SwarmMembership {
  /** Where the other members reach it, once it is started; multiaddrs. */
  readonly addresses: readonly string[];
  /** Passes on to the others what the peer holds; false where that could not be done in time. */
  leave(): Promise<boolean>;
}

export type ComposePeer = (
  config: PeerConfig,
  /** Whether somebody can ask for the metrics. */
  withMetrics: boolean,
) => Promise<RunnablePeer>;

export interface SessionRequest {
  readonly config: PeerConfig;
  readonly composePeer: ComposePeer;
  /** Where the HTTP API listens; absent for none. */
  readonly api?: ListenAddress;
  /** Somebody asked through the API that the peer stop; resolves as `HttpApiParts` says. */
  readonly leave: () => Promise<boolean | undefined>;
}

/** A running peer, with its API where one was asked for. */
export interface PeerSession {
  readonly control: PeerControl;
  readonly broken: Promise<never>;
  readonly swarm?: SwarmMembership;
  /** Address of the API. */
  readonly apiUrl?: string;
  /** Stops the API, then the peer, keeping everything; idempotent. `atRest` as in {@link RunnablePeer.stop}. */
  close(atRest?: () => Promise<void>): Promise<void>;
}

/** Something started that the session stops again. */
type Stop = (atRest?: () => Promise<void>) => Promise<void>;

/**
 * Starts a peer in its data directory, opens its API and writes the API's address into the directory. What was started
 * is stopped again when a later step fails.
 */
export async function openSession(request: SessionRequest): Promise<PeerSession> {
  const stops: Stop[] = [];
  // What cannot be stopped properly must not keep the rest running.
  const close: Stop = async (atRest) => {
    const stop = stops.pop();
    if (stop === undefined) return;
    try {
      await stop(atRest);
    } finally {
      await close(atRest);
    }
  };
  try {
    await prepareDataDir(request.config.dataDir);
    const peer = await request.composePeer(request.config, request.api !== undefined);
    stops.push((atRest) => peer.stop(atRest));
    await peer.start();
    const { broken, control, swarm } = peer;
    const session = { broken, control, close, ...(swarm && { swarm }) };
    if (request.api === undefined) {
      // One that was killed has left the file behind; it would send those who ask to nobody.
      await rm(dataLayout(request.config.dataDir).apiFile, { force: true });
      return session;
    }
    return { ...session, apiUrl: await openApi(request, request.api, peer, stops) };
  } catch (error) {
    await close();
    throw isLocked(error) ? lockedError(request.config, error) : error;
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof CrawlError && error.code === "DATA_DIR_LOCKED";
}

/** The database knows its own directory; the user knows the one that it is in. */
function lockedError({ dataDir }: PeerConfig, cause: unknown): CrawlError {
  const [holder, advice] = existsSync(dataLayout(dataDir).apiFile)
    ? ["another running peer", `stop that one (peer leave --data ${shellWord(dataDir)})`]
    : [
        "what takes no questions (a crawl without --api, or a peer that begins or ends)",
        "stop it with Ctrl-C where it runs",
      ];
  const message = `${dataDir} is in use by ${holder}; ${advice}, or name another directory`;
  return new CrawlError("DATA_DIR_LOCKED", message, { dataDir }, { cause });
}

async function openApi(
  { config, leave }: SessionRequest,
  { host, port }: ListenAddress,
  peer: RunnablePeer,
  stops: Stop[],
): Promise<string> {
  // Loaded only where it is wanted: a one-shot crawl starts sooner without it.
  const { HttpApi } = await import("../src/adapters/http-api/http-api.ts");
  const { defaultHttpApiOptions } = await import("../src/adapters/http-api/http-api-options.ts");
  const { swarmPages } = await import("./dashboard/swarm-pages.ts");
  const clock = new SystemClock();
  const api = new HttpApi(
    {
      control: peer.control,
      clock,
      logger: new ConsoleLogger(config.log, clock, config.writeLog),
      pages: swarmPages,
      version: config.version,
      ...(config.swarm && { swarm: config.swarm.name }),
      leave,
      stopForBug: (bug) =>
        queueMicrotask(() => {
          throw bug;
        }),
      ...(peer.metrics === undefined ? {} : { metrics: peer.metrics }),
    },
    { ...defaultHttpApiOptions, host, port },
  );
  stops.push(() => api.stop());
  await api.start();
  const { apiFile } = dataLayout(config.dataDir);
  const content: ApiFile = { pid: process.pid, peer: peer.control.peerId, url: api.url };
  await writeWhole(apiFile, `${JSON.stringify(content)}\n`, "the API's address");
  stops.push(() => rm(apiFile, { force: true }));
  return api.url;
}

async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await makeDirectory(dataDir);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new CrawlError(
      "DATA_DIR_UNUSABLE",
      `${dataDir} cannot be used as a directory for data (${systemReason(cause, makingDirectory)})`,
      { dataDir },
      { cause },
    );
  }
}

/**
 * Makes a directory and those above it. Step by step, because the call that makes all at once never returns
 * where a directory is there and refuses new entries as if it were not (/proc does).
 */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    await makeDirectory(parent);
    // Where it ends in "/." or "/..", it is there by now.
    await makeDirectory(path);
  }
}
