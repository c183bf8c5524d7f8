import { join } from "node:path";
import type { MembershipPreset } from "./settings.ts";
import type { MinorityPolicy } from "../../src/peer/swarm/ownership/minority-watch.ts";
import type { ConsoleLoggerOptions, WriteLine } from "../../src/adapters/system/console-logger.ts";

/**
 * What the composition root needs to build a peer. An absent field means that the subsystem's own default holds, so
 * that no default is written twice.
 */
export interface PeerConfig {
  /** As the user named it; see {@link dataLayout}. */
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
  /** The peer's place in a swarm; absent where it crawls alone. */
  readonly swarm?: SwarmConfig;
  readonly log: ConsoleLoggerOptions;
  /** Where log lines go. @default standard error */
  readonly writeLog?: WriteLine;
}

/** What a peer is told of the swarm that it takes part in. Addresses are multiaddrs or `HOST:PORT`. */
export interface SwarmConfig {
  /** Peers of a swarm of another name are refused. */
  readonly name: string;
  /**
   * Members to join by. Empty: those remembered, else whoever is on the local network. Absent: begin a swarm, or go back to
   * the one remembered where one of its members answers.
   */
  readonly join?: readonly string[];
  /** @default the port of the last run or a free one; on loopback alone where only loopback addresses are joined */
  readonly listen?: readonly string[];
  /** @default those listened to */
  readonly announce?: readonly string[];
  /** File of the key that closes the swarm. @default none: whoever reaches a member may join */
  readonly keyFile?: string;
  /** @default 1 */
  readonly weight?: number;
  /** Members that hold everything of an arc; peers with another number are refused. @default 2 */
  readonly replicas?: number;
  /** @default "lan" */
  readonly membership?: MembershipPreset;
  /** What it does while it sees fewer than half of the members. @default "crawl" */
  readonly minority?: MinorityPolicy;
  /** Whether peers of the local network are to find this one. @default only where it looks for them itself */
  readonly localDiscovery?: boolean;
}

/** An IP address or host name with a port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The address as `HOST:PORT`, an IPv6 address in brackets. */
export function addressText({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
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
  readonly brokenFile: string;
  /** What a one-shot crawl was told, for its continuation. */
  readonly settingsFile: string;
  /** Which files' URLs are not all in their job yet; absent where there is none. */
  readonly seedsLeftFile: string;
  /** Address of the running peer's API. */
  readonly apiFile: string;
  /** The peer's private key, from which its name follows. */
  readonly keyFile: string;
  /** The peer's name, in directories of before there were keys. */
  readonly nameFile: string;
  /** Where the members of its swarm were last reached. */
  readonly swarmFile: string;
}

/** The one table of names below a data directory. */
export function dataLayout(dataDir: string): DataLayout {
  return {
    stateDir: join(dataDir, "state"),
    leasesFile: join(dataDir, "leases"),
    archiveDir: join(dataDir, "archive"),
    summaryFile: join(dataDir, "summary.json"),
    brokenFile: join(dataDir, "broken.ndjson"),
    settingsFile: join(dataDir, "settings.json"),
    seedsLeftFile: join(dataDir, "seeds-left.json"),
    apiFile: join(dataDir, "api.json"),
    keyFile: join(dataDir, "peer-key"),
    nameFile: join(dataDir, "peer-id"),
    swarmFile: join(dataDir, "swarm.json"),
  };
}
