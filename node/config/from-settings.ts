import {
  defaultConsoleLoggerOptions,
  type LogLevel,
  type WriteLine,
} from "../../src/adapters/system/console-logger.ts";
import type { JobOptions } from "../../src/core/jobs/job-definition.ts";
import { usageError } from "../error-line.ts";
import type { PeerConfig, SwarmConfig } from "./peer-config.ts";
import {
  jobSettingNames,
  swarmNameDefault,
  swarmSettingNames,
  type SettingValues,
} from "./settings.ts";
import { userAgentOf } from "./user-agent.ts";

/** Only the entries that have a value: what is absent keeps its default. */
function given<T extends object>(entries: {
  readonly [K in keyof T]: T[K] | undefined;
}): Partial<T> {
  return Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

/** What the options of a job are called where they are set. */
const jobOptionNames = {
  scope: "scope",
  depth: "depthMax",
  "max-pages": "pagesMax",
  delay: "delayMs",
  "connections-per-host": "connectionsPerHost",
  include: "include",
  exclude: "exclude",
  priority: "priority",
  "normalize-query": "normalizeQuery",
  "other-content": "otherContent",
  sitemaps: "sitemaps",
} as const satisfies Readonly<Record<(typeof jobSettingNames)[number], keyof JobOptions>>;

/** The part of a job's options that was set. */
export function jobOptionsOf(values: SettingValues): Partial<JobOptions> {
  return Object.fromEntries(
    jobSettingNames
      .filter((name) => values[name] !== undefined)
      .map((name) => [jobOptionNames[name], values[name]]),
  );
}

/** The setting by which an option of a job is set; the option's own name where there is none. */
export function settingOf(option: keyof JobOptions): string {
  return jobSettingNames.find((name) => jobOptionNames[name] === option) ?? option;
}

/** What a command adds to the settings. */
export interface PeerConfigContext {
  readonly dataDir: string;
  readonly version: string;
  /** Level of the log where none is set: a crawl with a progress display logs less. */
  readonly logLevel?: LogLevel;
  readonly writeLog?: WriteLine;
}

/** What the composition root is given. */
export function peerConfigOf(values: SettingValues, context: PeerConfigContext): PeerConfig {
  return {
    dataDir: context.dataDir,
    version: context.version,
    userAgent: userAgentOf(
      context.version,
      given({ userAgent: values["user-agent"], contact: values.contact }),
    ),
    allowPrivate: values["allow-private"] ?? false,
    log: {
      level: values["log-level"] ?? context.logLevel ?? defaultConsoleLoggerOptions.level,
      format: values["log-format"] ?? defaultConsoleLoggerOptions.format,
    },
    ...given({
      dns: values.dns,
      parserThreads: values["parser-threads"],
      openRequestsMax: values["max-open"],
      warcBytesMax: values["warc-size"],
      bodyBytesMax: values["body-max"],
      swarm: swarmConfigOf(values),
      writeLog: context.writeLog,
    }),
  };
}

/**
 * The peer's place in a swarm; nothing for a peer that neither joins one nor listens for others. Settings that only mean
 * something in a swarm are then a mistake: a peer whose swarm key is silently ignored is not what anybody asked for.
 */
function swarmConfigOf(values: SettingValues): SwarmConfig | undefined {
  if (values.join === undefined && values.listen === undefined) {
    const idle = swarmSettingNames.filter((name) => values[name] !== undefined);
    if (idle.length === 0) return undefined;
    const flags = idle.map((name) => `--${name}`).join(", ");
    throw usageError(`${flags}: only in a swarm; join one with --join, or begin one with --listen`);
  }
  return {
    name: values.swarm ?? swarmNameDefault,
    ...given({
      join: values.join,
      listen: values.listen,
      announce: values.announce,
      keyFile: values["swarm-key"],
      weight: values.weight,
      replicas: values.replicas,
      membership: values.membership,
      minority: values.minority,
      localDiscovery: values["local-discovery"],
    }),
  };
}
