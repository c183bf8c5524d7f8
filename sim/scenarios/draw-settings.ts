import type { Millis } from "../../src/core/units.ts";
import { defaultSwarmOptions } from "../../src/peer/swarm/swarm-options.ts";
import {
  defaultSampleWebOptions,
  type SampleWebOptions,
  type SpecialKind,
} from "../sample-web/sample-web-options.ts";
import type { Dice } from "../world/dice.ts";
import type { NetworkOptions } from "../world/network-options.ts";
import type { DiskTimes } from "../world/virtual-store.ts";
import type { RunSettings, SimulationSize } from "./plan.ts";

/** How rough the world of a scenario is, apart from the faults of its timeline. */
export interface Roughness {
  /** Whether the network loses, doubles and delays beyond what is usual. */
  readonly network: boolean;
  /** Whether disks are slow and stall. */
  readonly disks: boolean;
  /** Whether clocks are off and drift. */
  readonly clocks: boolean;
}

/** How long a crawl without faults should about take. */
const crawlMinMs = 25_000;
const crawlMaxMs = 90_000;
const delayMinMs = 20;
/** Pages of the busiest host, at most, as far as the sites allow: one after the other they take a minute or two. */
const pagesOfHostMax = 1_000;
const delayMaxMs = 1_000;
/** Longer than it takes to find a member dead and to ask its hosts in its place. */
const crawlDelayMaxMs = 8_000;
/** What the busiest host may take at such a pace, and how many members may wait for it: each virtual second costs time. */
const longCrawlMs = 400_000;
const longCrawlPeersMax = 12;

/** How uneven sites are in size: pages of the site of rank r are proportional to r to the power of minus one of these. */
const exponents = [0, 0.4, 0.8] as const;

/** Of a swarm whose machines are not alike. */
const weights = [1, 0.5, 3] as const;

interface WebShape {
  readonly sites: number;
  readonly pages: number;
  readonly hostsPerSite: number;
}

/** Memory of a ring grows with all tokens of all members. */
const tokensMax = 30_000;

/**
 * Draws the world of a run. Each knob is left alone in half of the runs, so that the runs differ in which features meet
 * (swarm testing: Groce et al. 2012).
 */
export function drawSettings(dice: Dice, size: SimulationSize, rough: Roughness): RunSettings {
  const sampleWeb = drawWeb(dice.fork("web"), size);
  const clocks = dice.fork("clocks");
  const cluster = dice.fork("cluster");
  const hasSkew = rough.clocks && clocks.chance(0.5);
  return {
    sampleWeb,
    web: {
      roundTripMedianMs: dice.fork("round-trip").integer(15, 120),
      roundTripTail: sometimes(dice.fork("tail"), () => 0.6, 0.2),
      serveMs: 5,
    },
    network: drawNetwork(dice.fork("network"), rough.network),
    diskTimes: drawDisk(dice.fork("disk"), rough.disks),
    clockOffsetMaxMs: hasSkew ? clocks.integer(0, 120_000) : 0,
    clockDriftMaxPpm: hasSkew ? clocks.integer(0, 200) : 0,
    parseMs: sometimes(dice.fork("parse"), (one) => one.integer(1, 20), 0),
    virtualNodes: Math.min(
      cluster.pick([16, 32, 64, 128]),
      Math.max(4, Math.floor(tokensMax / size.peers)),
    ),
    replicas: drawReplicas(cluster, size),
    weights: dice.fork("weights").chance(0.5) ? [1] : weights,
    minority: "crawl",
    retentionMs: defaultSwarmOptions.membership.retentionMs,
    jobDelayMs: drawDelay(dice.fork("delay"), size, sampleWeb),
    jobScope: dice.fork("scope").chance(1 / 3) ? "site" : "any",
    jobLimits: {},
    queues: dice.fork("queues").pick([
      { pendingMax: 50_000, queuedRowsMax: 20_000, pendingOpsMax: 10_000 },
      { pendingMax: 2_000, queuedRowsMax: 4_000, pendingOpsMax: 2_000 },
    ]),
  };
}

function drawReplicas(dice: Dice, { peers }: SimulationSize): number {
  const isThree = peers >= 5 && dice.chance(0.25);
  if (isThree) return 3;
  return dice.fork("replicas").chance(0.1) ? 1 : 2;
}

function drawWeb(dice: Dice, size: SimulationSize): Partial<SampleWebOptions> {
  const { seed, sites, pages } = size;
  const { shares } = defaultSampleWebOptions;
  const drawn: Record<SpecialKind, number> = { ...shares };
  for (const kind of Object.keys(drawn) as SpecialKind[]) {
    drawn[kind] = dice.chance(0.5) ? drawn[kind] * dice.between(0.5, 2) : 0;
  }
  // Nothing links to these: only an injection can bring them in.
  drawn.orphan = Math.max(drawn.orphan, Math.min(0.05, 20 / pages));
  const hostsPerSite = dice.integer(1, 3);
  // Hosts of one site may share its address, which has one owner then.
  const hostsPerAddress = sometimes(dice, () => hostsPerSite, 1);
  const pagesExponent = mildEnough(dice.pick(exponents), { sites, pages, hostsPerSite });
  const busiest = pagesOfBusiestHost({ sites, pages, hostsPerSite }, pagesExponent);
  return {
    seed,
    sites,
    totalPages: pages,
    shares: drawn,
    hostsPerSite,
    hostsPerAddress,
    pagesExponent,
    branching: dice.integer(2, 12),
    linksPerPage: dice.integer(4, 20),
    crossSiteShare: dice.pick([0.02, 0.1, 0.3]),
    slowMs: dice.integer(50, 2_000),
    throttleHits: dice.integer(1, 2),
    retryAfterSeconds: dice.fork("retry-after").pick([1, 5]),
    robotsMissingShare: dice.pick([0, 0.2]),
    robotsFailingShare: sometimes(dice, () => 0.05, 0),
    crawlDelayShare: sometimes(dice, () => 0.1, 0),
    crawlDelaySeconds: drawCrawlDelay(dice.fork("crawl-delay"), size, busiest),
  };
}

/** A short one, or one that outlasts the time in which a dead member's hosts are asked by its heirs. */
function drawCrawlDelay(dice: Dice, { peers }: SimulationSize, pagesOfBusiest: number): number {
  const isShort = peers > longCrawlPeersMax || pagesOfBusiest * crawlDelayMaxMs > longCrawlMs;
  return dice.chance(0.5) || isShort ? 1 : crawlDelayMaxMs / 1_000;
}

function drawNetwork(dice: Dice, isRough: boolean): Partial<NetworkOptions> {
  const usual = { latencyMedianMs: dice.pick([1, 5, 20]), latencyTail: 0.4 };
  if (!isRough) return usual;
  return {
    ...usual,
    latencyTail: sometimes(dice, (one) => one.between(0.4, 0.9), 0.4),
    lossRate: sometimes(dice, (one) => one.between(0, 0.02), 0),
    duplicateRate: sometimes(dice, (one) => one.between(0, 0.05), 0),
    claimLossRate: sometimes(dice, (one) => one.between(0, 0.1), 0),
  };
}

function drawDisk(dice: Dice, isRough: boolean): Partial<DiskTimes> {
  if (!isRough) return {};
  return {
    syncMedianMs: dice.pick([1, 2, 10]),
    syncTail: dice.between(0.3, 1),
    stallRate: sometimes(dice, (one) => one.between(0, 0.005), 0),
    stallMs: dice.integer(50, 400),
    readMedianMs: sometimes(dice, (one) => one.between(0.05, 5), 0),
  };
}

/** The drawn exponent, or the largest smaller one with which no host has so many pages that the others wait for it. */
function mildEnough(drawn: number, web: WebShape): number {
  const mild = exponents.findLast(
    (one) => one <= drawn && pagesOfBusiestHost(web, one) <= pagesOfHostMax,
  );
  return mild ?? exponents[0];
}

function pagesOfBusiestHost({ sites, pages, hostsPerSite }: WebShape, exponent: number): number {
  let ranks = 0;
  for (let rank = 1; rank <= sites; rank += 1) ranks += rank ** -exponent;
  return pages / ranks / hostsPerSite;
}

/** Such that the busiest host is done in about the time that a crawl should take. */
function drawDelay(
  dice: Dice,
  { sites, pages }: SimulationSize,
  { pagesExponent = 0, hostsPerSite = 1 }: Partial<SampleWebOptions>,
): Millis {
  const busiest = pagesOfBusiestHost({ sites, pages, hostsPerSite }, pagesExponent);
  const delayMs = dice.between(crawlMinMs, crawlMaxMs) / busiest;
  return Math.round(Math.min(delayMaxMs, Math.max(delayMinMs, delayMs)));
}

function sometimes(dice: Dice, draw: (dice: Dice) => number, usual: number): number {
  return dice.chance(0.5) ? draw(dice) : usual;
}
