import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a tool is asked to do. */
export interface ToolTask {
  readonly startUrl: string;
  readonly anyHost: boolean;
  /** Requests open at once. */
  readonly connections: number;
  /** Empty directory for what the tool writes. */
  readonly directory: string;
}

/** A crawler, or what stands for one. */
export interface BenchTool {
  readonly name: string;
  /** What it is and what it keeps. */
  readonly about: string;
  /** Its version; undefined where it is not installed. */
  readonly version: () => string | undefined;
  readonly command: (task: ToolTask) => readonly string[];
  readonly env?: (task: ToolTask) => Readonly<Record<string, string>>;
  /** Exit codes that mean the crawl came to its end. @default [0] */
  readonly exitCodes?: readonly number[];
}

const here = import.meta.dirname;
const peerMain = join(here, "../../dist/peer.js");
/** Debian's own, where python3-scrapy belongs to. */
const python = "/usr/bin/python3";
/** Wget's code for "some answers were errors". */
const wgetExitCodes = [0, 8];

export const ceilingName = "ceiling";
export const ownName = "orbweaver";

export const benchTools: readonly BenchTool[] = [
  {
    name: ownName,
    about: "this crawler; every page in a WARC file, every step durable",
    version: () =>
      existsSync(peerMain) ? firstLine([process.execPath, peerMain, "--version"]) : undefined,
    command: ({ startUrl, anyHost, connections, directory }) => [
      ...[process.execPath, peerMain, "crawl", startUrl, "--out", join(directory, "crawl")],
      ...["--allow-private", "--delay", "0", "--connections-per-host", String(connections)],
      ...["--scope", anyHost ? "any" : "host", "--json"],
      ...(anyHost ? ["--max-open", String(connections)] : []),
    ],
  },
  {
    name: ceilingName,
    about: "a bare loop in one Node thread: undici's dispatch, htmlparser2, a Set; keeps nothing",
    version: () => {
      const [undici, parser] = [packageVersion("undici"), packageVersion("htmlparser2")];
      return undici && parser && `undici ${undici}, htmlparser2 ${parser}`;
    },
    command: (task) => [process.execPath, join(here, "rivals/ceiling.mjs"), taskJson(task)],
  },
  {
    name: "crawlee",
    about: "Crawlee's CheerioCrawler, storage in memory; keeps nothing",
    version: () => packageVersion("@crawlee/cheerio"),
    command: (task) => [process.execPath, join(here, "rivals/crawlee.mjs"), taskJson(task)],
    env: ({ directory }) => ({
      NODE_ENV: "production",
      CRAWLEE_STORAGE_DIR: join(directory, "storage"),
    }),
  },
  {
    name: "scrapy",
    about: "Scrapy with its advice for broad crawls; keeps nothing",
    version: () => firstLine([python, "-m", "scrapy", "version"])?.replace("Scrapy ", ""),
    command: (task) => [python, join(here, "rivals/scrapy_spider.py"), taskJson(task)],
  },
  {
    name: "wget",
    about: "wget -r, one connection; pages as files",
    version: () => /[\d.]{3,}/.exec(firstLine(["wget", "--version"]) ?? "")?.[0],
    command: ({ startUrl, anyHost }) => [
      ...["wget", "-r", "-l", "inf", "-q", "--follow-tags=a,area,frame,iframe"],
      ...(anyHost ? ["-H"] : []),
      startUrl,
    ],
    exitCodes: wgetExitCodes,
  },
  {
    name: "wget2",
    about: "wget2 -r, threads; pages as files",
    version: () => /[\d.]{3,}/.exec(firstLine(["wget2", "--version"]) ?? "")?.[0],
    command: ({ startUrl, anyHost, connections }) => [
      ...["wget2", "-r", "-l", "inf", "-q", `--max-threads=${connections}`],
      "--ignore-tags=img,link,script,style",
      ...(anyHost ? ["-H"] : []),
      startUrl,
    ],
    exitCodes: wgetExitCodes,
  },
];

function taskJson({ startUrl, anyHost, connections }: ToolTask): string {
  return JSON.stringify({ start: startUrl, anyHost, connections });
}

function firstLine([command = "", ...rest]: readonly string[]): string | undefined {
  const { stdout, status } = spawnSync(command, rest, { encoding: "utf8" });
  return status === 0 ? stdout.split("\n", 1)[0] : undefined;
}

/** Version of a package of this folder's own package.json. */
function packageVersion(name: string): string | undefined {
  const file = join(here, "node_modules", name, "package.json");
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
