import { join } from "node:path";
import { DnsResolver, defaultDnsResolverOptions } from "../src/adapters/dns/dns-resolver.ts";
import { LeaseFile } from "../src/adapters/lease-file/lease-file.ts";
import { LevelStore } from "../src/adapters/level/level-store.ts";
import { defaultParserPoolOptions, ParserPool } from "../src/adapters/parser-pool/parser-pool.ts";
import { ConsoleLogger } from "../src/adapters/system/console-logger.ts";
import { SystemClock } from "../src/adapters/system/system-clock.ts";
import { SystemEntropy } from "../src/adapters/system/system-entropy.ts";
import {
  defaultUndiciFetcherOptions,
  UndiciFetcher,
} from "../src/adapters/undici/undici-fetcher.ts";
import { WarcArchive } from "../src/adapters/warc/warc-archive.ts";
import { Peer } from "../src/peer/peer.ts";
import { defaultPeerOptions } from "../src/peer/peer-options.ts";
import type { PeerOptions } from "../src/peer/peer-options.ts";
import type { PeerPorts } from "../src/peer/peer-ports.ts";
import type { MetricsText } from "../src/adapters/http-api/http-api.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Metrics } from "../src/ports/metrics.ts";
import { dataLayout } from "./config/peer-config.ts";
import type { PeerConfig } from "./config/peer-config.ts";
import { peerIdentity } from "./peer-identity.ts";
import type { RunnablePeer } from "./peer-session.ts";

/** The composition root: the one place where adapters are made and given to a peer. */
export async function composePeer(config: PeerConfig, withMetrics: boolean): Promise<RunnablePeer> {
  const peerId = await peerIdentity(join(config.dataDir, "peer-id"));
  const metrics = withMetrics ? await prometheus() : undefined;
  const clock = new SystemClock();
  const resolver = resolverOf(config, clock);
  const ports = portsOf(config, peerId, { clock, metrics: metrics ?? unread, resolver });
  const peer = new Peer(ports, optionsOf(config, peerId));
  const broken = peer.failed.then((reason) => Promise.reject(asError(reason)));
  // Whoever waits for the crawl is told; a peer that nobody waits for yet must not end the process for it.
  broken.catch(() => undefined);
  return {
    control: peer,
    ...(metrics && { metrics }),
    broken,
    start: () => peer.start(),
    stop: async () => {
      await peer.stop();
      resolver.stop();
    },
  };
}

/** Measurements that nobody can ask for. */
const unread: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
};

/** Loaded only where it is read: a one-shot crawl starts sooner without it. */
async function prometheus(): Promise<Metrics & MetricsText> {
  const { PrometheusMetrics } = await import("../src/adapters/metrics/prometheus-metrics.ts");
  return new PrometheusMetrics();
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function resolverOf({ dns }: PeerConfig, clock: Clock): DnsResolver {
  const server = dns && { server: `${dns.host}:${dns.port}` };
  return new DnsResolver({ clock }, { ...defaultDnsResolverOptions, ...server });
}

function portsOf(
  config: PeerConfig,
  peerId: string,
  made: Pick<PeerPorts, "clock" | "metrics" | "resolver">,
): PeerPorts {
  const { clock } = made;
  const { stateDir, leasesFile, archiveDir } = dataLayout(config.dataDir);
  const { parserThreads } = config;
  const parserOptions = defaultParserPoolOptions();
  return {
    ...made,
    archive: new WarcArchive({
      directory: archiveDir,
      peerName: peerId,
      clock,
      info: {
        software: `orbweaver/${config.version}`,
        userAgent: config.userAgent,
        operator: operatorOf(config.userAgent),
      },
      ...(config.warcBytesMax !== undefined && { fileBytesMax: config.warcBytesMax }),
    }),
    entropy: new SystemEntropy(),
    fetcher: new UndiciFetcher(
      { clock },
      {
        ...defaultUndiciFetcherOptions,
        userAgent: config.userAgent,
        allowPrivate: config.allowPrivate,
      },
    ),
    leases: new LeaseFile(leasesFile),
    logger: new ConsoleLogger(config.log, clock, config.writeLog),
    parser: new ParserPool(
      parserThreads === undefined ? parserOptions : parserOptionsOf(parserThreads),
    ),
    store: new LevelStore({ directory: stateDir }),
  };
}

/** So many threads, with the bounds that go with that number. */
function parserOptionsOf(threads: number): ReturnType<typeof defaultParserPoolOptions> {
  return { ...defaultParserPoolOptions(threads + 1), threads };
}

function optionsOf(config: PeerConfig, peerId: string): PeerOptions {
  const { limits, dispatcher } = defaultPeerOptions;
  const { bodyBytesMax, openRequestsMax } = config;
  return {
    ...defaultPeerOptions,
    peerId,
    version: config.version,
    productToken: productTokenOf(config.userAgent),
    limits: { ...limits, ...(bodyBytesMax !== undefined && { bodyBytesMax }) },
    dispatcher: {
      ...dispatcher,
      ...(openRequestsMax !== undefined && { openRequestsMax }),
    },
  };
}

/** `orbweaver/0.1.0 (+mailto:...)` answers to `orbweaver` in a robots.txt. */
function productTokenOf(userAgent: string): string {
  return /^[^/ ]+/.exec(userAgent)?.[0] ?? "orbweaver";
}

/** Whom the User-Agent names. */
function operatorOf(userAgent: string): string {
  return /\(\+(.+)\)$/.exec(userAgent)?.[1] ?? "not named";
}
