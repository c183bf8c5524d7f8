import { join } from "node:path";
import type { ConsoleLoggerOptions, WriteLine } from "../../src/adapters/system/console-logger.ts";

/**
 * What the composition root needs to build a peer. An absent field means that the subsystem's own default holds, so
 * that no default is written twice.
 */
export interface PeerConfig {
  /** Absolute path; see {@link dataLayout}. */
  readonly dataDir: string;
  /** Value of the User-Agent header, complete. */
  readonly userAgent: string;
  /** Version of this program. */
  readonly version: string;
  /** Name server to ask instead of the system's. */
  readonly dns?: ListenAddress;
  /** Whether private, loopback and link-local addresses may be fetched. */
  readonly allowPrivate: boolean;
  /** Threads that parse pages. */
  readonly parserThreads?: number;
  /** Requests open at once, over all hosts. */
  readonly openRequestsMax?: number;
  /** Size at which a WARC file is finished and the next one begun. */
  readonly warcBytesMax?: number;
  /** Longest decoded body kept. */
  readonly bodyBytesMax?: number;
  readonly log: ConsoleLoggerOptions;
  /** Where log lines go. @default standard error */
  readonly writeLog?: WriteLine;
}

/** An IP address or host name with a port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Where things stand below a data directory. */
export interface DataLayout {
  /** The database and the Bloom filter's snapshot. */
  readonly stateDir: string;
  /** Which requests are in flight. */
  readonly leasesFile: string;
  /** WARC files and their indexes. */
  readonly archiveDir: string;
  /** The last crawl's summary. */
  readonly summaryFile: string;
  /** What a one-shot crawl was told, for its continuation. */
  readonly settingsFile: string;
  /** Address of the running peer's API. */
  readonly apiFile: string;
}

/** The one table of names below a data directory. */
export function dataLayout(dataDir: string): DataLayout {
  return {
    stateDir: join(dataDir, "state"),
    leasesFile: join(dataDir, "leases"),
    archiveDir: join(dataDir, "archive"),
    summaryFile: join(dataDir, "summary.json"),
    settingsFile: join(dataDir, "settings.json"),
    apiFile: join(dataDir, "api.json"),
  };
}
