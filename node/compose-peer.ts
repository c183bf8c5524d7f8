import { join } from "node:path";
import type { DnsResolver } from "../src/adapters/dns/dns-resolver.ts";
import { LeaseFile } from "../src/adapters/lease-file/lease-file.ts";
import { LevelStore } from "../src/adapters/level/level-store.ts";
import { defaultParserPoolOptions, ParserPool } from "../src/adapters/parser-pool/parser-pool.ts";
import { ConsoleLogger } from "../src/adapters/system/console-logger.ts";
import { SystemClock } from "../src/adapters/system/system-clock.ts";
import { SystemEntropy } from "../src/adapters/system/system-entropy.ts";
import type { PeerOptions } from "../src/peer/peer-options.ts";
import type { PeerPorts } from "../src/peer/peer-ports.ts";
import type { MetricsText } from "../src/adapters/http-api/http-api.ts";
import type { Archive } from "../src/ports/archive.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Fetcher } from "../src/ports/fetcher.ts";
import type { Metrics } from "../src/ports/metrics.ts";
import { dataLayout } from "./config/peer-config.ts";
import type { PeerConfig } from "./config/peer-config.ts";
import { peerIdentity } from "./peer-identity.ts";
import type { RunnablePeer } from "./peer-session.ts";

/** What takes its time to start without this thread. */
type SlowStarters = Pick<PeerPorts, "parser" | "store">;

/**
 * The composition root: the one place where adapters are made and given to a peer.
 *
 * The database opens and the parser threads load in threads of their own, while this one loads the rest of the program.
 */
export async function composePeer(config: PeerConfig, withMetrics: boolean): Promise<RunnablePeer> {
  const slow = startSlowOnes(config);
  try {
    return await composeAround(slow, config, withMetrics);
  } catch (error) {
    await slow.parser.stop();
    await slow.store.stop();
    throw error;
  }
}

/** The peer starts them too, which then only waits, and hears of it when that fails. */
function startSlowOnes(config: PeerConfig): SlowStarters {
  const { parserThreads } = config;
  const parser = new ParserPool(
    parserThreads === undefined ? defaultParserPoolOptions() : parserOptionsOf(parserThreads),
  );
  const store = new LevelStore({
    directory: dataLayout(config.dataDir).stateDir,
  });
  for (const part of [store, parser]) part.start().catch(() => undefined);
  return { parser, store };
}

async function composeAround(
  slow: SlowStarters,
  config: PeerConfig,
  withMetrics: boolean,
): Promise<RunnablePeer> {
  const { Peer } = await import("../src/peer/peer.ts");
  const peerId = await peerIdentity(join(config.dataDir, "peer-id"));
  const metrics = withMetrics ? await prometheus() : undefined;
  const clock = new SystemClock();
  const resolver = await resolverOf(config, clock);
  const ports: PeerPorts = {
    ...slow,
    archive: await archiveOf(config, peerId, clock),
    clock,
    entropy: new SystemEntropy(),
    fetcher: await fetcherOf(config, clock),
    leases: new LeaseFile(dataLayout(config.dataDir).leasesFile),
    logger: new ConsoleLogger(config.log, clock, config.writeLog),
    metrics: metrics ?? unread,
    resolver,
  };
  const peer = new Peer(ports, await optionsOf(config, peerId));
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

async function resolverOf({ dns }: PeerConfig, clock: Clock): Promise<DnsResolver> {
  const module = await import("../src/adapters/dns/dns-resolver.ts");
  const server = dns && { server: `${dns.host}:${dns.port}` };
  return new module.DnsResolver({ clock }, { ...module.defaultDnsResolverOptions, ...server });
}

async function archiveOf(config: PeerConfig, peerId: string, clock: Clock): Promise<Archive> {
  const { WarcArchive } = await import("../src/adapters/warc/warc-archive.ts");
  return new WarcArchive({
    directory: dataLayout(config.dataDir).archiveDir,
    peerName: peerId,
    clock,
    info: {
      software: `orbweaver/${config.version}`,
      userAgent: config.userAgent,
      operator: operatorOf(config.userAgent),
    },
    ...(config.warcBytesMax !== undefined && {
      fileBytesMax: config.warcBytesMax,
    }),
  });
}

async function fetcherOf(config: PeerConfig, clock: Clock): Promise<Fetcher> {
  const module = await import("../src/adapters/undici/undici-fetcher.ts");
  const { userAgent, allowPrivate } = config;
  return new module.UndiciFetcher(
    { clock },
    { ...module.defaultUndiciFetcherOptions, userAgent, allowPrivate },
  );
}

/** So many threads, with the bounds that go with that number. */
function parserOptionsOf(threads: number): ReturnType<typeof defaultParserPoolOptions> {
  return { ...defaultParserPoolOptions(threads + 1), threads };
}

async function optionsOf(config: PeerConfig, peerId: string): Promise<PeerOptions> {
  const { defaultPeerOptions } = await import("../src/peer/peer-options.ts");
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
