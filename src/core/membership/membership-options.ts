import type { Millis } from "../units.ts";

/**
 * How quickly and how surely a member is told to be dead. Each is a peer's own: peers with different ones understand one
 * another.
 */
export interface MembershipOptions {
  /**
   * One member is probed each time. The first probe after a crash starts within `1 / (1 - 1 / e)`, about 1.6 intervals in
   * the mean (SWIM, section 3.1), and each member sends and gets two probes or answers an interval, whatever the number
   * of members. Shorter finds the dead sooner and costs more. @default 300
   */
  readonly probeIntervalMs: Millis;
  /**
   * A probe not answered by then is tried through others, until the interval is over. Has to be above the 99th percentile
   * of a round trip, event loop included, and leave the indirect way (four hops instead of two) the rest of the interval.
   * @default 150
   */
  readonly probeTimeoutMs: Millis;
  /**
   * Members asked to probe on this one's behalf. With a loss of `p` per hop a live member fails its probe with the
   * probability `(1 - (1 - p) ** 2) * (1 - (1 - p) ** 4) ** indirectProbes`: 6 in 10,000 for 5% and 3. @default 3
   */
  readonly indirectProbes: number;
  /**
   * A confirmed suspect is dead after `suspicionMult * max(1, log10(n)) * probeIntervalMs`; that and one probe interval is
   * how long a peer may be stopped and come back. Longer forgives longer stops, shorter finds the dead sooner; news
   * takes longer in a larger swarm, hence the logarithm. @default 9
   */
  readonly suspicionMult: number;
  /**
   * A suspect that nobody else has found silent has `suspicionMaxMult` times as long: the accuser may be the one that is
   * ill (Lifeguard, section IV-B). @default 3
   */
  readonly suspicionMaxMult: number;
  /**
   * Other accusers that bring a suspicion from its longest to its shortest time; the k-th shortens it by
   * `log(k + 1) / log(suspicionConfirmations + 1)` of the difference. More forgive more accusers that are ill. @default 2
   */
  readonly suspicionConfirmations: number;
  /**
   * The whole table is exchanged with a random member each time; beyond 32 members the interval grows by itself for each
   * doubling. Shorter heals lost claims sooner, and costs about 150 bytes a member and exchange. @default 30_000
   */
  readonly pushPullIntervalMs: Millis;
  /**
   * The table is exchanged at once with a member whose table differs, when no table was equal to this one for so long
   * (grows with the members as `pushPullIntervalMs` does). Has to be above the time in which claims spread, else every
   * change costs exchanges that it does not need. @default 1_000
   */
  readonly digestPatienceMs: Millis;
  /**
   * A random dead member is greeted each time, so that the halves of a healed partition find one another: after about
   * `reconnectIntervalMs / n` for the first of `n`. Longer spares the network attempts in vain. @default 10_000
   */
  readonly reconnectIntervalMs: Millis;
  /**
   * Highest local health score: a member in trouble probes up to `1 + awarenessMax` times less often and more patiently. 0
   * switches it off. @default 7
   */
  readonly awarenessMax: number;
  /**
   * A member that is gone is remembered for so long. Has to be longer than any claim is under way, and than the longest
   * partition that shall heal by itself. @default 86_400_000
   */
  readonly retentionMs: Millis;
  /** Rows of the table, at most: about 500 bytes of memory each. @default 10_000 */
  readonly membersMax: number;
}

const baseMembership: MembershipOptions = {
  probeIntervalMs: 300,
  probeTimeoutMs: 150,
  indirectProbes: 3,
  suspicionMult: 9,
  suspicionMaxMult: 3,
  suspicionConfirmations: 2,
  pushPullIntervalMs: 30_000,
  digestPatienceMs: 1_000,
  reconnectIntervalMs: 10_000,
  awarenessMax: 7,
  retentionMs: 24 * 3_600_000,
  membersMax: 10_000,
};

/** Peers of one data centre. */
export const lanMembership: MembershipOptions = Object.freeze({ ...baseMembership });

/** Peers of one machine: no network, but they compete for the processor. */
export const localMembership: MembershipOptions = Object.freeze({
  ...baseMembership,
  probeIntervalMs: 200,
  probeTimeoutMs: 100,
  suspicionMult: 14,
  pushPullIntervalMs: 15_000,
  reconnectIntervalMs: 5_000,
});

/** Peers across the world: round trips of up to half a second, and more that is lost. */
export const wanMembership: MembershipOptions = Object.freeze({
  ...baseMembership,
  probeIntervalMs: 1_200,
  probeTimeoutMs: 600,
  suspicionMult: 5,
  suspicionMaxMult: 4,
  pushPullIntervalMs: 60_000,
  digestPatienceMs: 4_000,
  reconnectIntervalMs: 30_000,
});

/** Members up to which exchanges are not made rarer. */
const exchangeScaleFrom = 32;

export interface SuspicionBounds {
  readonly minMs: Millis;
  readonly maxMs: Millis;
}

/** How long a suspect has at least and at most to refute, in a swarm of `members`. */
export function suspicionBoundsMs(options: MembershipOptions, members: number): SuspicionBounds {
  const minMs = options.suspicionMult * Math.max(1, Math.log10(members)) * options.probeIntervalMs;
  return { minMs, maxMs: minMs * options.suspicionMaxMult };
}

/** By how much exchanges of the whole table are rarer in a swarm of `members`: 2 from 33 on, 3 from 65 on. */
export function exchangeScale(members: number): number {
  return 1 + Math.max(0, Math.ceil(Math.log2(members / exchangeScaleFrom)));
}
