import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../../sim/sample-web/sample-web-options.ts";
import { slowMembers } from "../../../../sim/world/network-rules.ts";
import { peerFactory } from "../../../../sim/world/peer-factory.ts";
import type { VirtualMachine } from "../../../../sim/world/virtual-machine.ts";
import type { VirtualHit } from "../../../../sim/world/virtual-web.ts";
import { World, type WorldOptions } from "../../../../sim/world/world.ts";
import { defaultJobOptions, type JobOptions } from "../../../../src/core/jobs/job-definition.ts";
import type { Member } from "../../../../src/core/membership/member.ts";
import { encodeClaim } from "../../../../src/core/messages/claim.ts";
import { messageKinds } from "../../../../src/core/messages/message-kinds.ts";
import { positionOfAddress } from "../../../../src/core/politeness/address-stewards.ts";
import { positionOf } from "../../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, IpAddress, JobId } from "../../../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../../../src/core/url/site-of.ts";
import type { Peer } from "../../../../src/peer/peer.ts";
import { defaultSwarmOptions } from "../../../../src/peer/swarm/swarm-options.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";

const job = "shared" as JobId;
const ring = { virtualNodes: 64, hashSeed: 0 };
const rings = new RingBook(ring);
const delayMs = 1_000;
const addressDelayMs = 250;

/** Three peers and a web whose sites stand on few addresses. */
class SharedWeb {
  readonly world: World<Peer>;
  readonly hits: VirtualHit[] = [];
  readonly kinds = new Map<number, number>();

  constructor(hostsPerAddress: number, options: Partial<WorldOptions> = {}, peers = 3) {
    const sampleWeb = {
      ...plainSampleWebOptions,
      sites: 12,
      hostsPerSite: 1,
      totalPages: 240,
      hostsPerAddress,
    };
    const swarm = { ...defaultSwarmOptions, cluster: { ring, replicas: 2 } };
    this.world = new World<Peer>(
      (ports, machine) => {
        const join = machine.index === 0 ? [] : ["sim:0"];
        return peerFactory({ swarm: { ...swarm, join }, rings })(ports, machine);
      },
      { sampleWeb, clockOffsetMaxMs: 120_000, clockDriftMaxPpm: 500, ...options },
    );
    this.world.web.onHit((hit) => this.hits.push(hit));
    this.world.network.addRule(({ kind, traffic }) => {
      if (traffic === "control") this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
      return { kind: "pass" };
    });
    for (let index = 0; index < peers; index += 1) this.world.addMachine();
  }

  /** Starts all peers, crawls the web with what happens meanwhile, and waits for the end. */
  crawl(meanwhile?: () => Promise<void>, options: Partial<JobOptions> = {}): Promise<void> {
    const { clock, machines, sampleWeb } = this.world;
    const work = async (): Promise<void> => {
      await Promise.all(machines.map((machine) => machine.start()));
      await clock.sleep(8_000);
      await this.inject(sampleWeb.rootUrls(), options);
      await meanwhile?.();
      await this.machine(1).peer.jobFinished(job, new AbortController().signal);
    };
    return this.world.run(work(), 3_600_000);
  }

  async inject(urls: readonly string[], options: Partial<JobOptions> = {}): Promise<void> {
    const settings = { ...defaultJobOptions, scope: "any", delayMs, ...options } as const;
    await this.machine(1).peer.inject(job, urls, settings);
  }

  machine(index: number) {
    const machine = this.world.machines[index];
    if (machine === undefined) throw new Error("no such machine");
    return machine;
  }

  /** Requests between members about loans. */
  get messages(): number {
    const { callAddresses, handOverAddresses, lendAddresses } = messageKinds;
    const counts = [callAddresses, handOverAddresses, lendAddresses].map((kind) => {
      return this.kinds.get(kind) ?? 0;
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  get pages(): number {
    return new Set(this.hits.filter(({ page }) => page >= 0).map(({ page }) => page)).size;
  }

  /** Requests to one address that overlap, or follow one another too soon. */
  offences(minMs = addressDelayMs - 1): string[] {
    const offences: string[] = [];
    const last = new Map<string, VirtualHit>();
    for (const hit of this.hits) {
      const before = last.get(hit.address);
      last.set(hit.address, hit);
      if (!before) continue;
      const gapMs = hit.atMs - before.atMs;
      const isOpen = hit.atMs < before.endMs;
      if (!isOpen && gapMs >= minMs) continue;
      offences.push(`${hit.address} ${before.peer} ${hit.peer} ${gapMs.toFixed(1)} at ${hit.atMs}`);
    }
    return offences;
  }

  /** Addresses that several peers have asked. */
  get sharedAddresses(): number {
    const peers = Map.groupBy(this.hits, ({ address }) => address);
    return [...peers.values()].filter((hits) => new Set(hits.map(({ peer }) => peer)).size > 1)
      .length;
  }
}

/** A request reaches the web half a round trip after its start: times there say what times here were. */
const web = { roundTripMedianMs: 1, roundTripTail: 0 };

describe("an address with sites of different owners", () => {
  it("is asked by one peer at a time, with the address's delay in between", async () => {
    const shared = new SharedWeb(4, { web });
    await shared.crawl();
    expect(shared.pages).toBe(240);
    expect(shared.sharedAddresses).toBe(3);
    expect(shared.offences()).toEqual([]);
  });

  it("stays so when its steward is killed", async () => {
    const shared = new SharedWeb(4, { web });
    await shared.crawl(async () => {
      await shared.world.clock.sleep(5_000);
      shared.machine(2).kill();
    });
    expect(shared.pages).toBe(240);
    expect(shared.offences()).toEqual([]);
  });

  it("stays so when its steward goes on that has stood still", async () => {
    const shared = new SharedWeb(12, { web });
    const { clock, machines, network, sampleWeb, web: servers } = shared.world;
    servers.addRule(() => ({ kind: "delay", ms: 1_500 }));
    const address = positionOfAddress(
      sampleWeb.names.addressOf({ site: 0, label: 0 }) as IpAddress,
    );
    const work = async (): Promise<void> => {
      await Promise.all(machines.map((machine) => machine.start()));
      await clock.sleep(8_000);
      const isSteward = ({ id, peer }: VirtualMachine<Peer>): boolean =>
        peer.swarm?.view.ring.ownerOf(address) === id;
      const [steward] = machines.filter(isSteward);
      const [one, other] = machines.filter((machine) => machine !== steward);
      if (!steward || !one || !other) throw new Error("three members");
      const crawl = async ({ peer }: VirtualMachine<Peer>): Promise<void> => {
        const isHeld = (url: string): boolean =>
          peer.swarm?.territory.holds(positionOf(siteOfHost(hostOf(url as CanonicalUrl)))) === true;
        const options = { ...defaultJobOptions, scope: "host", delayMs } as const;
        await peer.inject(job, sampleWeb.rootUrls().filter(isHeld), options);
      };
      await crawl(one);
      await clock.sleep(5_000);
      steward.standStill();
      await clock.sleep(12_000);
      await crawl(other);
      const hasIt = (hit?: VirtualHit): boolean =>
        hit?.peer === other.id && hit.endMs > clock.nowMs() + 1_000;
      while (!hasIt(shared.hits.at(-1))) await clock.sleep(50);
      // Who has the address on loan by now is not the first to say so.
      network.addRule(slowMembers([other.index], 300));
      steward.goOn();
      await clock.sleep(10_000);
    };
    await shared.world.run(work(), 3_600_000);
    expect(shared.offences()).toEqual([]);
  });

  it("stays so when a borrower is killed that crawls it", async () => {
    const shared = new SharedWeb(12, { web });
    await shared.crawl(async () => {
      await shared.world.clock.sleep(6_000);
      const latest = shared.hits.at(-1)?.peer;
      shared.machine(latest === "peer-2" ? 2 : 0).kill();
    });
    expect(shared.pages).toBe(240);
    expect(shared.sharedAddresses).toBe(1);
    expect(shared.offences()).toEqual([]);
  });

  it.each<[string, (row: Member) => Member]>([
    ["can say no more", (row) => ({ ...row, incarnation: 0xffff_ffff, health: "suspect" })],
    ["is said to be over", (row) => ({ ...row, generation: row.generation + 1_000 })],
  ])("stays so when a borrower goes on as a later run, as its present one %s", async (_, lie) => {
    const shared = new SharedWeb(12, { web });
    const { clock, machines, sampleWeb } = shared.world;
    const borrower = shared.machine(1);
    const isHeld = (url: string): boolean => {
      const position = positionOf(siteOfHost(hostOf(url as CanonicalUrl)));
      return borrower.peer.swarm?.territory.holds(position) === true;
    };
    const work = async (): Promise<void> => {
      await Promise.all(machines.map((machine) => machine.start()));
      await clock.sleep(8_000);
      await shared.inject(sampleWeb.rootUrls().filter(isHeld), { scope: "host" });
      await clock.sleep(5_000);
      const [row] = borrower.peer.swarm?.view.members() ?? [];
      if (!row) throw new Error("a member of a swarm");
      shared.machine(0).overlay?.publish(encodeClaim({ members: [lie(row)] }));
      await clock.sleep(500);
      // Now others want what it has had to itself.
      await shared.inject(sampleWeb.rootUrls());
      await borrower.peer.jobFinished(job, new AbortController().signal);
    };
    await shared.world.run(work(), 3_600_000);
    expect(shared.sharedAddresses).toBe(1);
    expect(shared.offences()).toEqual([]);
  });

  it("stays so when a borrower goes on as a later run that has a request open", async () => {
    const shared = new SharedWeb(12, { web, seed: 22 });
    const { clock, machines, sampleWeb, web: servers } = shared.world;
    servers.addRule(() => ({ kind: "delay", ms: 3_000 }));
    const borrower = shared.machine(1);
    const isOpen = (hit?: VirtualHit): boolean =>
      hit?.peer === borrower.id && hit.endMs > clock.nowMs() + 2_000;
    const work = async (): Promise<void> => {
      await Promise.all(machines.map((machine) => machine.start()));
      await clock.sleep(8_000);
      await shared.inject(sampleWeb.rootUrls());
      await clock.sleep(5_800);
      while (!isOpen(shared.hits.at(-1))) await clock.sleep(20);
      const [row] = borrower.peer.swarm?.view.members() ?? [];
      if (!row) throw new Error("a member of a swarm");
      const claim = { ...row, generation: row.generation + 1_000 };
      shared.machine(0).overlay?.publish(encodeClaim({ members: [claim] }));
      await clock.sleep(8_000);
    };
    await shared.world.run(work(), 3_600_000);
    expect(shared.sharedAddresses).toBe(1);
    expect(shared.offences()).toEqual([]);
  });

  it("needs no loan for a job without a delay", async () => {
    const shared = new SharedWeb(4, { web });
    await shared.crawl(undefined, { delayMs: 0 });
    expect(shared.pages).toBe(240);
    expect(shared.messages).toBe(0);
  });
});

describe("an address that one peer alone asks", () => {
  it("costs at most a message in 30 seconds, and one or two for its first loan", async () => {
    const shared = new SharedWeb(1, { web });
    const startMs = shared.world.clock.nowMs();
    await shared.crawl();
    const slices = (shared.world.clock.nowMs() - startMs) / 30_000;
    expect(shared.offences()).toEqual([]);
    expect(shared.messages).toBeLessThanOrEqual(12 * (slices + 3));
  });
});
