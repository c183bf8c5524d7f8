import { defaultHttpApiOptions } from "../../src/adapters/http-api/http-api-options.ts";
import { isGarbled } from "../../src/adapters/http-api/url-lines.ts";
import {
  defaultConsoleLoggerOptions,
  logFormats,
  logLevels,
} from "../../src/adapters/system/console-logger.ts";
import { defaultWarcArchiveOptions } from "../../src/adapters/warc/archive-options.ts";
import {
  parserThreadsDefaultMax,
  parserThreadsMax,
} from "../../src/adapters/parser-pool/parser-pool-options.ts";
import { ringWeightMax, ringWeightMin } from "../../src/core/ring/member-tokens.ts";
import { defaultJobOptions } from "../../src/core/jobs/job-definition.ts";
import type { Millis } from "../../src/core/units.ts";
import { defaultDispatcherOptions } from "../../src/peer/fetching/dispatcher.ts";
import { defaultFetchLimits } from "../../src/ports/fetcher.ts";
import type { MinorityPolicy } from "../../src/peer/swarm/ownership/minority-watch.ts";
import { defaultClusterOptions } from "../../src/peer/swarm/cluster-options.ts";
import { keptBytesLargest } from "../../src/ports/archive.ts";
import { answerMsMaxDefault } from "../api-client.ts";
import { isSoundContact, isSoundUserAgent } from "./user-agent.ts";
import {
  addressAndPort,
  byteCount,
  byteCountExamples,
  byteCountText,
  decimalNumber,
  hostAndPort,
  jobName,
  jobOption,
  listOf,
  listOrBare,
  numberOrAsIs,
  onOrOff,
  oneOf,
  peerAddress,
  text,
  wholeNumber,
  wordsOrAsIs,
  type ValueReader,
} from "./value-readers.ts";

/** One thing that can be set, by the same name everywhere: `--max-pages`, `ORBWEAVER_MAX_PAGES`, `"max-pages"`. */
export interface Setting<T> {
  readonly read: ValueReader<T>;
  /** Placeholder of the flag's value; absent for a switch. A trailing `...` takes several words. */
  readonly argument?: string;
  /** Whether the flag may come several times. */
  readonly repeats?: true;
  /** Whether the flag switches off: `--no-NAME`. */
  readonly negated?: true;
  readonly help: string;
  /** As help shows it; read from the options that it belongs to. */
  readonly defaultText?: string;
}

const asIs = (raw: unknown): unknown => raw;
const path = text("a path", (value) => value !== "" && !value.includes("\0"));
const url = text("an http or https URL", isHttpUrl);

/** Seeds that one command line, file or environment may name; files of more are for `inject`. */
const seedsMax = 10_000;

/** Addresses that one command line may name. */
const addressesMax = 64;

/** What a question and its answer may take on their way. */
const onTheWayMsMax: Millis = 10_000;

/**
 * Who waits for longer would see a peer that is only slow close the connection, on which nothing moves meanwhile, and take it for
 * one that is gone; a question for a job's end stays open before that time begins.
 */
const timeoutSecondsMax =
  (defaultHttpApiOptions.silenceMsMax - defaultHttpApiOptions.waitMsMax - onTheWayMsMax) / 1_000;

/** Copies beyond these are paid for by every page, and no swarm loses so many members at a time. */
const replicasMax = 8;

/** Name of a swarm that has none. */
export const swarmNameDefault = "orbweaver";

/** How patient a swarm is with a member that is silent; see the presets of `MembershipOptions`. */
export const membershipPresets = ["local", "lan", "wan"] as const;
export const minorityPolicies = ["crawl", "pause"] as const satisfies readonly MinorityPolicy[];

export type MembershipPreset = (typeof membershipPresets)[number];

/** Every setting of a peer and of a job. */
export const settings = {
  config: { read: path, argument: "<file>", help: "read settings from a JSON file" },
  data: { read: path, argument: "<dir>", help: "the peer's data directory" },
  out: { read: path, argument: "<dir>", help: "where the crawl is kept" },
  seed: {
    read: listOf(url, seedsMax),
    argument: "<url...>",
    help: "inject these URLs at the start",
  },
  job: {
    read: jobName,
    argument: "<id>",
    help: "the job's name",
  },
  scope: {
    read: jobOption("scope", asIs),
    argument: "<scope>",
    help: "how far to follow links: page, host, site, any",
    defaultText: defaultJobOptions.scope,
  },
  depth: {
    read: jobOption("depthMax", numberOrAsIs),
    argument: "<n>",
    help: "links from a seed, at most; 0 is the seeds alone",
    defaultText: String(defaultJobOptions.depthMax),
  },
  "max-pages": {
    read: jobOption("pagesMax", numberOrAsIs),
    argument: "<n>",
    help: "stop after this many pages, in a swarm up to a second's more; 0 is no limit",
    defaultText: String(defaultJobOptions.pagesMax),
  },
  delay: {
    read: jobOption("delayMs", numberOrAsIs),
    argument: "<ms>",
    help: "shortest time between two requests to a host",
    defaultText: String(defaultJobOptions.delayMs),
  },
  "connections-per-host": {
    read: jobOption("connectionsPerHost", numberOrAsIs),
    argument: "<n>",
    help: "requests open at once to one host",
    defaultText: String(defaultJobOptions.connectionsPerHost),
  },
  include: {
    read: jobOption("include", wordsOrAsIs),
    argument: "<regex>",
    repeats: true,
    help: "follow only URLs that match (may be repeated)",
  },
  exclude: {
    read: jobOption("exclude", wordsOrAsIs),
    argument: "<regex>",
    repeats: true,
    help: "do not follow URLs that match (may be repeated)",
  },
  priority: {
    read: jobOption("priority", numberOrAsIs),
    argument: "<0-9>",
    help: "among jobs of a host, 9 goes first: each step has twice the turns",
    defaultText: String(defaultJobOptions.priority),
  },
  "normalize-query": {
    read: onOrOff,
    negated: true,
    help: "treat URLs that differ in session ids, tracking or order of parameters as different",
  },
  "other-content": {
    read: jobOption("otherContent", asIs),
    argument: "<what>",
    help: "what to do with what is not HTML: archive, skip",
    defaultText: defaultJobOptions.otherContent,
  },
  sitemaps: {
    read: onOrOff,
    help: "follow the sitemaps that robots.txt names as well",
  },
  dns: {
    read: addressAndPort("127.0.0.1:53"),
    argument: "<ip:port>",
    help: "name server to ask instead of the system's, by its IP address",
  },
  "allow-private": {
    read: onOrOff,
    help: "let the crawl reach private, loopback and link-local addresses",
  },
  "user-agent": {
    read: text(
      "a product token with an optional version, such as examplebot/1.0; imitations of browsers are refused",
      isSoundUserAgent,
    ),
    argument: "<text>",
    help: "name in the User-Agent header instead of orbweaver/VERSION",
  },
  contact: {
    read: text("a URL or a mail address", isSoundContact),
    argument: "<url|mail>",
    help: "page or mail address that the User-Agent header names",
  },
  api: {
    read: hostAndPort(0, "127.0.0.1:7780"),
    argument: "<host:port>",
    help: "address of the local HTTP API",
    defaultText: `${defaultHttpApiOptions.host}:${defaultHttpApiOptions.port}`,
  },
  timeout: {
    read: wholeNumber({ min: 1, max: timeoutSecondsMax }, "of seconds "),
    argument: "<seconds>",
    help: `longest time that the peer may take for an answer, ${timeoutSecondsMax} at most`,
    defaultText: String(answerMsMaxDefault / 1_000),
  },
  join: {
    read: listOrBare(peerAddress(1), addressesMax),
    argument: "[addr...]",
    help: "join the swarm that these members belong to; without an address the one joined before, else one on the local network",
  },
  listen: {
    read: listOf(peerAddress(0), addressesMax),
    argument: "<addr>",
    repeats: true,
    help: "where other peers reach this one; without --join it begins a swarm (may be repeated)",
    defaultText: "with --join a free port, without it none",
  },
  announce: {
    read: listOf(peerAddress(1), addressesMax),
    argument: "<addr>",
    repeats: true,
    help: "address to tell others instead of those listened to (may be repeated)",
  },
  swarm: {
    read: text("small letters, digits and dashes, 64 at most", (name) =>
      /^[a-z0-9-]{1,64}$/.test(name),
    ),
    argument: "<name>",
    help: "name of the swarm; peers of another one are refused",
    defaultText: swarmNameDefault,
  },
  "swarm-key": {
    read: path,
    argument: "<file>",
    help: "key that closes the swarm to all who do not have it; see peer key new",
  },
  weight: {
    read: decimalNumber({ min: ringWeightMin, max: ringWeightMax }),
    argument: "<n>",
    help: "share of the work, compared with a usual peer",
    defaultText: "1",
  },
  replicas: {
    read: wholeNumber({ min: 1, max: replicasMax }),
    argument: "<n>",
    help: "members that hold everything of a site; the same at all peers of a swarm",
    defaultText: String(defaultClusterOptions.replicas),
  },
  membership: {
    read: oneOf(membershipPresets),
    argument: "<preset>",
    help: `how soon a silent member is dead: ${membershipPresets.join(", ")}`,
    defaultText: "lan",
  },
  minority: {
    read: oneOf(minorityPolicies),
    argument: "<policy>",
    help: "while cut off from most members: crawl on, or pause",
    defaultText: "crawl",
  },
  "local-discovery": {
    read: onOrOff,
    help: "find, and be found by, peers of the local network (multicast DNS)",
  },
  "parser-threads": {
    read: wholeNumber({ min: 1, max: parserThreadsMax }),
    argument: "<n>",
    help: `threads that parse pages, at most ${parserThreadsMax}`,
    defaultText: `processors less one, at most ${parserThreadsDefaultMax}`,
  },
  "max-open": {
    read: wholeNumber({ min: 1, max: 65_536 }),
    argument: "<n>",
    help: "requests open at once, over all hosts; fewer while the process does not keep up, or may open few files",
    defaultText: String(defaultDispatcherOptions.openRequestsMax),
  },
  "body-max": {
    read: byteCount({ min: 1_024, max: keptBytesLargest }),
    argument: "<size>",
    help: `longest body kept, such as ${byteCountExamples}; what is longer is cut and marked`,
    defaultText: byteCountText(defaultFetchLimits.bodyBytesMax),
  },
  "warc-size": {
    read: byteCount({ min: 1_024 ** 2, max: 1_024 ** 4 }),
    argument: "<size>",
    help: `size at which a WARC file is finished, such as ${byteCountExamples}`,
    defaultText: byteCountText(defaultWarcArchiveOptions.fileBytesMax),
  },
  "log-level": {
    read: oneOf(logLevels),
    argument: "<level>",
    help: `log from this level on: ${logLevels.join(", ")}`,
    defaultText: defaultConsoleLoggerOptions.level,
  },
  "log-format": {
    read: oneOf(logFormats),
    argument: "<format>",
    help: `how log lines look: ${logFormats.join(", ")}`,
    defaultText: defaultConsoleLoggerOptions.format,
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

export type SettingName = keyof typeof settings;

/** What was set, each value read and sound. */
export type SettingValues = {
  readonly [N in SettingName]?: (typeof settings)[N] extends Setting<infer T> ? T : never;
};

/** Settings of the crawl itself: what `inject` can send to a running peer. */
export const jobSettingNames = [
  "scope",
  "depth",
  "max-pages",
  "delay",
  "connections-per-host",
  "include",
  "exclude",
  "priority",
  "normalize-query",
  "other-content",
  "sitemaps",
] as const satisfies readonly SettingName[];

/** Settings of the process that crawls. */
export const peerSettingNames = [
  "dns",
  "allow-private",
  "user-agent",
  "contact",
  "parser-threads",
  "max-open",
  "body-max",
  "warc-size",
  "log-level",
  "log-format",
  "config",
] as const satisfies readonly SettingName[];

/** Settings of a peer's place in a swarm. */
export const swarmSettingNames = [
  "join",
  "listen",
  "announce",
  "swarm",
  "swarm-key",
  "weight",
  "replicas",
  "membership",
  "minority",
  "local-discovery",
] as const satisfies readonly SettingName[];

/** Whether `input` is an absolute http(s) URL, and had no bytes that are not UTF-8. */
export function isHttpUrl(input: string): boolean {
  const parsed = isGarbled(input) ? null : URL.parse(input);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.hostname !== "";
}
