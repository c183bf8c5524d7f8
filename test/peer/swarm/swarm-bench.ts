import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { peerFactory } from "../../../sim/world/peer-factory.ts";
import type { VirtualMachine } from "../../../sim/world/virtual-machine.ts";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import { World, type WorldOptions } from "../../../sim/world/world.ts";
import { defaultJobOptions, type JobOptions } from "../../../src/core/jobs/job-definition.ts";
import { positionOf } from "../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, JobId } from "../../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { RingBook } from "../../../src/peer/swarm/members/ring-book.ts";
import { defaultSwarmOptions, type SwarmOptions } from "../../../src/peer/swarm/swarm-options.ts";

export const job = "test" as JobId;

const ring = { virtualNodes: 32, hashSeed: 0 };
const sieve = { capacity: 5_000, cacheCapacity: 1_024, unsettledOffersMax: 1_024 };

/** A small swarm before a small web, in virtual time. */
export class SwarmBench {
  readonly world: World<Peer>;
  readonly hits: VirtualHit[] = [];

  constructor(
    size: number,
    options: Partial<WorldOptions> = {},
    differences: Partial<SwarmOptions> = {},
    /** Puts something else in the place of what a peer is given. */
    adapt: (ports: PeerPorts) => PeerPorts = (ports) => ports,
  ) {
    const cluster = differences.cluster ?? { ring, replicas: 2 };
    const rings = new RingBook(cluster.ring);
    this.world = new World<Peer>(
      (ports, machine) => {
        const others = this.world.machines.filter(({ index }) => index !== machine.index);
        const isFirst = machine.index === 0 && machine.generation === 1;
        const join = isFirst ? [] : others.map(({ address }) => address);
        const swarm = { ...defaultSwarmOptions, join, ...differences, cluster };
        return peerFactory({ sieve, swarm, rings })(adapt(ports), machine);
      },
      { sampleWeb: { ...plainSampleWebOptions, sites: 12, totalPages: 240, seed: 1 }, ...options },
    );
    this.world.web.onHit((hit) => {
      if (!hit.isRobots) this.hits.push(hit);
    });
    for (let index = 0; index < size; index += 1) this.world.addMachine();
  }

  get peers(): Peer[] {
    return this.world.running.map(({ peer }) => peer);
  }

  peer(index: number): Peer {
    return this.machine(index).peer;
  }

  machine(index: number): VirtualMachine<Peer> {
    const machine = this.world.machines[index];
    if (!machine) throw new Error(`there is no machine ${index}`);
    return machine;
  }

  /** Runs virtual time until `work` is done. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const result = await this.world.run(work(), 3_600_000);
    return result;
  }

  /** Starts all machines and waits until each has its part of the ring. */
  async begin(): Promise<void> {
    await Promise.all(this.world.machines.map((machine) => machine.start()));
    await this.settled();
  }

  async settled(): Promise<void> {
    while (!this.peers.every(({ swarm }) => swarm?.isSettled)) await this.pass(100);
  }

  pass(ms: number): Promise<void> {
    return this.world.clock.sleep(ms);
  }

  async inject(index: number, options: Partial<JobOptions> = {}): Promise<void> {
    const urls = this.world.sampleWeb.rootUrls();
    const given = { ...defaultJobOptions, scope: "any", delayMs: 100, ...options } as const;
    await this.peer(index).inject(job, urls, given);
  }

  finished(index: number): Promise<void> {
    return this.peer(index).jobFinished(job, new AbortController().signal);
  }

  /** Every URL that was asked for, once. */
  get urls(): string[] {
    return [...new Set(this.hits.map(({ url }) => url))];
  }

  /** Place of the machine that holds the URL's site. */
  holderOf(url: string): number {
    const position = positionOf(siteOfHost(hostOf(url as CanonicalUrl)));
    return this.world.machines.findIndex(
      (machine) => machine.isUp && machine.peer.swarm?.territory.holds(position) === true,
    );
  }
}
