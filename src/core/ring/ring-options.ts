/** What decides which member owns a site: the same at every peer of a swarm. */
export interface RingOptions {
  /**
   * Tokens of a member of weight 1. What a member owns deviates from its due by about
   * `1 / sqrt(virtualNodes * weight)`: 1.6% with 4,096. The most loaded of 8 members is then within 6% of the mean in all
   * but one or two of 1,000 swarms, the lightest of 1,000 members as well. More tokens even the load further, but a ring
   * takes 6 bytes a token (24 MiB for 1,000 members), and each member scans as many ranges of keys as it has arcs when
   * another one comes or goes. A simulation in which every one of 1,000 peers holds a ring of its own should take 64.
   * @default 4_096
   */
  readonly virtualNodes: number;
  /** Seed of the tokens' hash, an integer in [0, 2^32): another seed is another division of the sites. @default 0 */
  readonly hashSeed: number;
}

export const defaultRingOptions: RingOptions = { virtualNodes: 4_096, hashSeed: 0 };
