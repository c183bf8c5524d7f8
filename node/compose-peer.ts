import { networkInterfaces } from "node:os";
import type { DnsResolver } from "../src/adapters/dns/dns-resolver.ts";
import { LeaseFile } from "../src/adapters/lease-file/lease-file.ts";
import { LevelStore } from "../src/adapters/level/level-store.ts";
import { defaultParserPoolOptions } from "../src/adapters/parser-pool/parser-pool-options.ts";
import { ParserPool } from "../src/adapters/parser-pool/parser-pool.ts";
import { ConsoleLogger } from "../src/adapters/system/console-logger.ts";
import { EventLoopLoad } from "../src/adapters/system/event-loop-load.ts";
import { SystemClock } from "../src/adapters/system/system-clock.ts";
import { SystemEntropy } from "../src/adapters/system/system-entropy.ts";
import { TcpProbe } from "../src/adapters/system/tcp-probe.ts";
import { CrawlError } from "../src/core/errors.ts";
import type { Peer } from "../src/peer/peer.ts";
import type { PeerOptions } from "../src/peer/peer-options.ts";
import type { PeerPorts } from "../src/peer/peer-ports.ts";
import { type SwarmOptions, swarmDrainMs } from "../src/peer/swarm/swarm-options.ts";
import type { MetricsText } from "../src/adapters/http-api/http-api.ts";
import { readBytesMax, type Archive } from "../src/ports/archive.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Fetcher } from "../src/ports/fetcher.ts";
import type { Logger } from "../src/ports/logger.ts";
import { noMetrics, type Metrics } from "../src/ports/metrics.ts";
import { tellBehind } from "./behind-archive.ts";
import { addressText, dataLayout } from "./config/peer-config.ts";
import type { PeerConfig } from "./config/peer-config.ts";
import type { SwarmParts } from "./compose-swarm.ts";
import { fileShares, openFilesMax, type FileShares } from "./file-shares.ts";
import { peerIdentity, type PeerIdentity } from "./peer-identity.ts";
import type { RunnablePeer, SwarmMembership } from "./peer-session.ts";
import { tellSlowStart, type TellWork } from "./slow-start.ts";

/** What takes its time to start without this thread. */
type SlowStarters = Pick<PeerPorts, "parser" | "store">;

/**
 * The composition root: the one place where adapters are made and given to a peer.
 *
 * The database opens and the parser threads load in threads of their own, while this one loads the rest of the program.
 */
export async function composePeer(config: PeerConfig, withMetrics: boolean): Promise<RunnablePeer> {
  const clock = new SystemClock();
  const logger = new ConsoleLogger(config.log, clock, config.writeLog);
  const tellWork = tellSlowStart(clock, logger);
  const slow = startSlowOnes(config, tellWork);
  try {
    return await composeAround({ ...slow, clock, logger }, config, tellWork, withMetrics);
  } catch (error) {
    await slow.parser.stop();
    await slow.store.stop();
    throw error;
  }
}

/** The peer starts them too, which then only waits, and hears of it when that fails. */
function startSlowOnes(config: PeerConfig, tellWork: TellWork): SlowStarters {
  const { parserThreads, userAgent } = config;
  const parser = new ParserPool({
    ...(parserThreads === undefined ? defaultParserPoolOptions() : parserOptionsOf(parserThreads)),
    // As a robots.txt does, so a page means the crawler that calls itself so.
    botName: productTokenOf(userAgent).toLowerCase(),
  });
  const store = new LevelStore({
    directory: dataLayout(config.dataDir).stateDir,
    onVerified: (bytes, ofBytes) => tellWork("verifying-database", { bytes, ofBytes }),
  });
  for (const part of [store, parser]) part.start().catch(() => undefined);
  return { parser, store };
}

async function composeAround(
  given: SlowStarters & Pick<PeerPorts, "clock" | "logger">,
  config: PeerConfig,
  tellWork: TellWork,
  withMetrics: boolean,
): Promise<RunnablePeer> {
  const { clock, logger } = given;
  const { Peer } = await import("../src/peer/peer.ts");
  const layout = dataLayout(config.dataDir);
  const identity = await peerIdentity(layout);
  const metrics = withMetrics ? await prometheus() : undefined;
  const shares = await sharesOf(config, logger);
  const resolver = await resolverOf(config, clock);
  const swarmPorts = { clock, logger, metrics: metrics ?? noMetrics };
  const swarm = await swarmOf(config, identity, swarmPorts, () => begin(peer));
  const ports: PeerPorts = {
    ...given,
    ...(swarm && { overlay: swarm.overlay }),
    archive: await archiveOf(config, identity, given, tellWork),
    entropy: new SystemEntropy(),
    fetcher: await fetcherOf(config, clock, shares),
    leases: new LeaseFile(layout.leasesFile),
    load: new EventLoopLoad(),
    metrics: metrics ?? noMetrics,
    probe: new TcpProbe(resolver, config),
    resolver,
  };
  const peer = new Peer(ports, await optionsOf(config, identity, swarm?.options, shares));
  const recorder = swarm?.record(() => peer.members());
  const broken = peer.failed.then((reason) => Promise.reject(asError(reason)));
  // Whoever waits for the crawl is told; a peer that nobody waits for yet must not end the process for it.
  broken.catch(() => undefined);
  return {
    control: peer,
    ...(metrics && { metrics }),
    broken,
    ...(swarm && { swarm: membershipOf(peer, swarm) }),
    start: async () => {
      await peer.start();
      recorder?.start();
    },
    stop: async (atRest) => {
      await recorder?.stop();
      await peer.stop(atRest);
      resolver.stop();
    },
  };
}

/** Loaded only for a peer of a swarm: the network is half of the whole program. */
async function swarmOf(
  config: PeerConfig,
  { key, ...identity }: PeerIdentity,
  ports: Pick<PeerPorts, "clock" | "logger" | "metrics">,
  onNobody: () => void,
): Promise<SwarmParts | undefined> {
  if (config.swarm === undefined) return undefined;
  if (key === undefined) {
    const problem = `${config.dataDir} is of an earlier version, whose peers cannot join a swarm; name another directory with --data`;
    throw new CrawlError("DATA_DIR_UNUSABLE", problem, { dataDir: config.dataDir });
  }
  const { composeSwarm } = await import("./compose-swarm.ts");
  const layout = dataLayout(config.dataDir);
  return composeSwarm(config.swarm, { ...identity, key }, layout, ports, onNobody);
}

function membershipOf(peer: Peer, { overlay }: SwarmParts): SwarmMembership {
  return {
    get addresses() {
      return overlay.addresses;
    },
    leave: () => peer.leave(),
  };
}

/** Nobody of the swarm that a peer remembers is there: it begins it anew. */
function begin({ swarm }: Peer): void {
  if (swarm?.view.role === "joining") swarm.view.setRole("active");
}

/** Loaded only where it is read: a one-shot crawl starts sooner without it. */
async function prometheus(): Promise<Metrics & MetricsText> {
  const { PrometheusMetrics } = await import("../src/adapters/metrics/prometheus-metrics.ts");
  return new PrometheusMetrics();
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Less than is wanted where the process may not open so many files; that is said of requests. */
async function sharesOf({ openRequestsMax }: PeerConfig, logger: Logger): Promise<FileShares> {
  const { defaultUndiciFetcherOptions } = await import("../src/adapters/undici/undici-fetcher.ts");
  const { defaultPeerOptions } = await import("../src/peer/peer-options.ts");
  const { idleConnectionsMax } = defaultUndiciFetcherOptions;
  const wanted = openRequestsMax ?? defaultPeerOptions.dispatcher.openRequestsMax;
  const files = openFilesMax();
  const shares = fileShares(files, { openRequestsMax: wanted, idleConnectionsMax });
  const requests = shares.openRequestsMax;
  if (requests < wanted) logger.warn("few-open-files", { files, requests });
  return shares;
}

async function resolverOf({ dns }: PeerConfig, clock: Clock): Promise<DnsResolver> {
  const module = await import("../src/adapters/dns/dns-resolver.ts");
  const { hasIPv6Alone } = await import("../src/adapters/dns/ipv6-alone.ts");
  const options = {
    ...module.defaultDnsResolverOptions,
    ...(dns && { server: addressText(dns) }),
    prefersIPv6: () => hasIPv6Alone(networkInterfaces()),
  };
  return new module.DnsResolver({ clock }, options);
}

async function archiveOf(
  config: PeerConfig,
  { fileName }: PeerIdentity,
  { clock, logger }: Pick<PeerPorts, "clock" | "logger">,
  tellWork: TellWork,
): Promise<Archive> {
  const { WarcArchive } = await import("../src/adapters/warc/warc-archive.ts");
  return new WarcArchive({
    directory: dataLayout(config.dataDir).archiveDir,
    peerName: fileName,
    clock,
    info: {
      software: `orbweaver/${config.version}`,
      userAgent: config.userAgent,
      operator: operatorOf(config.userAgent),
    },
    ...(config.warcBytesMax !== undefined && {
      fileBytesMax: config.warcBytesMax,
    }),
    ...(config.bodyBytesMax !== undefined && {
      unsureBytesMax: readBytesMax(config.bodyBytesMax),
    }),
    onIndexed: (file, bytes, ofBytes) => tellWork("indexing-archive", { file, bytes, ofBytes }),
    onBehind: tellBehind(logger),
  });
}

async function fetcherOf(
  config: PeerConfig,
  clock: Clock,
  { idleConnectionsMax }: FileShares,
): Promise<Fetcher> {
  const module = await import("../src/adapters/undici/undici-fetcher.ts");
  const { userAgent, allowPrivate } = config;
  return new module.UndiciFetcher(
    { clock },
    { ...module.defaultUndiciFetcherOptions, userAgent, allowPrivate, idleConnectionsMax },
  );
}

/** So many threads, with the bounds that go with that number. */
function parserOptionsOf(threads: number): ReturnType<typeof defaultParserPoolOptions> {
  return { ...defaultParserPoolOptions(threads + 1), threads };
}

async function optionsOf(
  config: PeerConfig,
  { id: peerId }: PeerIdentity,
  swarm: SwarmOptions | undefined,
  { openRequestsMax }: FileShares,
): Promise<PeerOptions> {
  const { defaultPeerOptions } = await import("../src/peer/peer-options.ts");
  const { limits, dispatcher } = defaultPeerOptions;
  const { bodyBytesMax } = config;
  return {
    ...defaultPeerOptions,
    peerId,
    version: config.version,
    productToken: productTokenOf(config.userAgent),
    allowPrivate: config.allowPrivate,
    limits: { ...limits, ...(bodyBytesMax !== undefined && { bodyBytesMax }) },
    dispatcher: { ...dispatcher, openRequestsMax },
    ...(swarm && { swarm, drainMs: swarmDrainMs }),
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
