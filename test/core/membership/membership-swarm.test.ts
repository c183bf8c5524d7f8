import { describe, expect, it } from "vitest";
import { stateOf, type Member } from "../../../src/core/membership/member.ts";
import { lanMembership, localMembership } from "../../../src/core/membership/membership-options.ts";
import type { MembershipAction } from "../../../src/core/membership/membership-message.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { memberId, VirtualSwarm } from "./virtual-swarm.ts";

const loss = 0.05;
const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed + 1);

/** Milliseconds until all others knew of the death. */
function detectionMs(swarm: VirtualSwarm, victim: number): number {
  const beginMs = swarm.nowMs;
  swarm.kill(victim);
  const others = swarm.machines.length;
  swarm.run(60_000, () => swarm.sayers(victim, "dead").length === others);
  return swarm.nowMs - beginMs;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Infinity;
}

function deaths(swarm: VirtualSwarm): string[] {
  return swarm.sightings
    .filter(({ member }) => stateOf(member) === "dead")
    .map(({ atMs, by, member }) => `${member.id} by ${by} at ${atMs}`);
}

describe("a swarm of members", () => {
  it.each([5, 20, 50])("has one opinion after %i joins through one contact", (count) => {
    const swarm = VirtualSwarm.settled(count, lanMembership, count, loss);
    expect(swarm.opinions()).toHaveLength(1);
    expect(swarm.machine(0).members().map(stateOf)).toEqual(Array(count).fill("active"));
    expect(new Set(swarm.machines.map(({ tableHash }) => tableHash)).size).toBe(1);
  });

  it.each([
    ["lan", lanMembership],
    ["local", localMembership],
  ])("of 8 knows of a death within 5 s, with 5%% loss (%s)", (_, options) => {
    const times = seeds(100).map((seed) => {
      const swarm = VirtualSwarm.settled(seed, options, 8, loss);
      return detectionMs(swarm, seed % 8);
    });
    expect(quantile(times, 0.99)).toBeLessThan(5_000);
  });

  it.each([
    ["lan", lanMembership],
    ["local", localMembership],
  ])("of 8 buries nobody who is stopped for 2 s, with 5%% loss (%s)", (_, options) => {
    for (const seed of seeds(50)) {
      const swarm = VirtualSwarm.settled(seed, options, 8, loss);
      swarm.stall(seed % 8, 2_000);
      swarm.run(15_000);
      expect(deaths(swarm), `seed ${seed}`).toEqual([]);
      expect(swarm.opinions(), `seed ${seed}`).toHaveLength(1);
    }
  });

  it("does not let one that was stopped suspect those whose answers it has yet to read", () => {
    for (const seed of seeds(5)) {
      const swarm = VirtualSwarm.settled(seed, lanMembership, 8);
      swarm.act(2, (machine, nowMs) => machine.broken(memberId(3), nowMs));
      swarm.stall(2, 1_000);
      swarm.run(5_000);
      const doubts = swarm.sightings.filter(
        ({ by, member }) => by === memberId(2) && member.health !== "alive",
      );
      expect(doubts, `seed ${seed}`).toEqual([]);
    }
  });

  it("brings news to whom a broadcast did not reach, soon after digests differ", () => {
    const swarm = VirtualSwarm.settled(3, lanMembership, 8);
    swarm.connected = (_, to) => to !== memberId(5);
    swarm.act(2, (machine, nowMs) => machine.setParticulars({ weight: 2 }, nowMs));
    swarm.run(1_000);
    expect(swarm.machine(5).member(memberId(2))?.weight).toBe(1);
    swarm.connected = () => true;
    swarm.run(2 * lanMembership.digestPatienceMs);
    expect(swarm.machine(5).member(memberId(2))?.weight).toBe(2);
  });

  it("lets a suspect refute what is said of it, by a higher incarnation", () => {
    const swarm = VirtualSwarm.settled(4, lanMembership, 5);
    const rumour = { ...swarm.machine(3).self, health: "suspect" as const };
    swarm.act(1, (machine, nowMs) => machine.claims(memberId(2), [rumour], nowMs));
    expect(swarm.sayers(3, "suspect")).toEqual([memberId(1)]);
    swarm.run(2_000);
    expect(swarm.sayers(3, "active")).toHaveLength(4);
    expect(swarm.machine(1).member(memberId(3))?.incarnation).toBe(rumour.incarnation + 1);
  });

  it("lets one that was called dead come back without a restart", () => {
    const swarm = VirtualSwarm.settled(5, lanMembership, 6);
    swarm.stall(4, 15_000);
    swarm.run(14_000);
    expect(swarm.sayers(4, "dead")).toHaveLength(5);
    swarm.run(20_000);
    expect(swarm.sayers(4, "active")).toHaveLength(5);
    expect(swarm.opinions()).toHaveLength(1);
  });

  it.each(seeds(5))("heals a partition, and calls all alive again (seed %i)", (seed) => {
    const swarm = VirtualSwarm.settled(seed, lanMembership, 10, loss);
    const side = (id: string) => Number(id.slice("peer-".length)) % 2;
    swarm.connected = (from, to) => side(from) === side(to);
    swarm.run(60_000);
    expect(swarm.sayers(0, "dead")).toHaveLength(5);
    expect(swarm.sayers(1, "dead")).toHaveLength(5);
    swarm.connected = () => true;
    swarm.sightings.length = 0;
    swarm.run(30_000);
    expect(swarm.opinions()).toHaveLength(1);
    expect(swarm.machine(0).members().map(stateOf)).toEqual(Array(10).fill("active"));
    expect(deaths(swarm)).toEqual([]);
  });

  it("believes a peer that starts again, even before its death was known", () => {
    const swarm = VirtualSwarm.settled(6, lanMembership, 8, loss);
    const earlier = swarm.machine(3).self;
    swarm.kill(3);
    swarm.run(1_500);
    const { generation } = swarm.add(3, 0).self;
    swarm.run(20_000);
    expect(generation).toBeGreaterThan(earlier.generation);
    expect(swarm.sayers(3, "joining")).toHaveLength(7);
    expect(swarm.opinions()).toHaveLength(1);
    swarm.act(0, (machine, nowMs) =>
      machine.claims(memberId(1), [{ ...earlier, incarnation: 99, health: "dead" }], nowMs),
    );
    expect(swarm.sayers(3, "joining")).toHaveLength(7);
  });

  it("takes a leave as such, and does not probe or bury who left", () => {
    const swarm = VirtualSwarm.settled(7, lanMembership, 6, loss);
    swarm.act(2, (machine, nowMs) => machine.setRole("leaving", nowMs));
    swarm.run(2_000);
    expect(swarm.sayers(2, "leaving")).toHaveLength(5);
    swarm.act(2, (machine, nowMs) => machine.setRole("left", nowMs));
    swarm.run(1_000);
    swarm.kill(2);
    swarm.run(20_000);
    expect(swarm.sayers(2, "left")).toHaveLength(5);
    expect(deaths(swarm)).toEqual([]);
  });

  it("tells a member once of a later run of its own, and lets it outbid that", () => {
    const swarm = VirtualSwarm.settled(8, lanMembership, 3);
    const later = { ...swarm.machine(1).self, generation: swarm.nowMs };
    for (const sender of [0, 2]) {
      swarm.act(1, (machine, nowMs) => machine.claims(memberId(sender), [later], nowMs));
    }
    expect(swarm.laterRuns).toEqual([memberId(1)]);
    expect(swarm.machine(1).self.generation).toBeLessThan(later.generation);
    swarm.act(1, (machine, nowMs) => machine.outbid(later.generation, nowMs));
    expect(swarm.machine(1).self.generation).toBe(later.generation + 1);
    swarm.run(2_000);
    for (const at of [0, 2]) {
      expect(swarm.machine(at).member(memberId(1))).toMatchObject({
        generation: later.generation + 1,
        health: "alive",
      });
    }
    // Word of what has been outbid changes nothing.
    swarm.act(1, (machine, nowMs) => machine.claims(memberId(2), [later], nowMs));
    swarm.act(1, (machine, nowMs) => machine.outbid(later.generation, nowMs));
    expect(swarm.laterRuns).toEqual([memberId(1)]);
    expect(swarm.machine(1).self.generation).toBe(later.generation + 1);
  });

  it("tells a member once that it was taken for dead, also when it has refuted a doubt before", () => {
    const swarm = VirtualSwarm.settled(12, lanMembership, 4);
    const { self } = swarm.machine(1);
    const hears = (health: "dead" | "suspect"): void =>
      swarm.act(1, (machine, nowMs) => machine.claims(memberId(2), [{ ...self, health }], nowMs));
    hears("suspect");
    expect(swarm.buried).toEqual([]);
    hears("dead");
    hears("dead");
    expect(swarm.buried).toEqual([memberId(1)]);
    expect(swarm.machine(1).self).toMatchObject({ health: "alive" });
    const earlier = { ...self, generation: self.generation - 1, health: "dead" as const };
    swarm.act(1, (machine, nowMs) => machine.claims(memberId(2), [earlier], nowMs));
    expect(swarm.buried).toEqual([memberId(1)]);
  });

  it("tells a member that was taken for dead so when it has heard of a doubt alone, and refuted that", () => {
    const swarm = VirtualSwarm.settled(12, lanMembership, 4);
    const { self } = swarm.machine(1);
    const hears = (at: number, health: "dead" | "suspect"): void =>
      swarm.act(at, (machine, nowMs) => machine.claims(memberId(2), [{ ...self, health }], nowMs));
    hears(0, "dead");
    hears(1, "suspect");
    swarm.run(1_000);
    expect(swarm.machine(0).member(memberId(1))).toMatchObject({ health: "alive" });
    expect(swarm.buried).toEqual([memberId(1)]);
  });

  it("tells those who come back of their deaths bit by bit", () => {
    const swarm = VirtualSwarm.settled(12, lanMembership, 60);
    const one = swarm.machine(0);
    const others = swarm.machines.slice(1).map(({ self }) => self);
    const told = (actions: readonly MembershipAction[]): number =>
      actions.filter(({ kind, ...said }) => {
        return kind === "send" && "message" in said && said.message.kind === "ack";
      }).length;
    const { nowMs } = swarm;
    const dead = others.map((self): Member => ({ ...self, health: "dead" }));
    expect(told(one.claims(memberId(2), dead, nowMs))).toBe(0);
    const back = others.map((self) => ({ ...self, incarnation: self.incarnation + 1 }));
    const counts = [told(one.claims(memberId(2), back, nowMs))];
    for (let atMs = nowMs; atMs < nowMs + 10_000; atMs = one.nextWakeAtMs()) {
      const count = told(one.tick(atMs));
      if (count > 0) counts.push(count);
    }
    // As many with each probe, until all of them know.
    expect(counts).toEqual([16, 16, 16, 11]);
  });

  it("tells the two sides of a cut that has healed whom the other had buried", () => {
    const swarm = VirtualSwarm.settled(13, lanMembership, 5);
    swarm.connected = (from, to) => (from === memberId(1)) === (to === memberId(1));
    swarm.run(20_000);
    swarm.connected = () => true;
    swarm.run(30_000);
    expect(swarm.buried).toContain(memberId(1));
  });

  it("keeps asking a contact that does not answer at first", () => {
    const swarm = VirtualSwarm.settled(9, lanMembership, 3);
    swarm.connected = (from) => from !== memberId(7);
    swarm.add(7, 0);
    swarm.run(5_000);
    expect(swarm.sayers(7, "joining")).toEqual([]);
    swarm.connected = () => true;
    swarm.run(2_000);
    expect(swarm.sayers(7, "joining")).toHaveLength(3);
  });

  it("asks the contacts that come in one after the other, each a second after the one before", () => {
    const swarm = VirtualSwarm.settled(12, lanMembership, 2);
    swarm.connected = (from) => from !== memberId(7);
    const newcomer = swarm.add(7);
    const asked: MemberId[] = [];
    const note = (actions: readonly MembershipAction[]): void => {
      for (const action of actions) {
        if (action.kind === "send" && action.message.kind === "push-pull") asked.push(action.to);
      }
    };
    const { nowMs } = swarm;
    for (const number of [0, 1, 2]) note(newcomer.join([memberId(number)], nowMs));
    expect(asked).toEqual([memberId(0)]);
    while (newcomer.nextWakeAtMs() <= nowMs + 3_000) note(newcomer.tick(newcomer.nextWakeAtMs()));
    expect(asked).toEqual([0, 2, 1, 0].map(memberId));
  });

  it("finds a broken connection's peer dead without waiting for its turn", () => {
    const swarm = VirtualSwarm.settled(10, lanMembership, 30);
    const beginMs = swarm.nowMs;
    swarm.kill(9);
    for (let number = 0; number < 30; number++) {
      swarm.act(number, (machine, nowMs) => machine.broken(memberId(9), nowMs));
    }
    swarm.run(60_000, () => swarm.sayers(9, "dead").length === 29);
    const fastestMs =
      lanMembership.probeIntervalMs * (1 + lanMembership.suspicionMult * Math.log10(30));
    expect(swarm.nowMs - beginMs).toBeLessThan(fastestMs + 200);
  });

  it("sends the same number of messages a member and second, whatever the number of members", () => {
    const rates = [10, 40].map((count) => {
      const swarm = VirtualSwarm.settled(11, lanMembership, count);
      const before = swarm.messages;
      swarm.run(30_000);
      return (swarm.messages - before) / count / 30;
    });
    const pingsAndAcks = (2 * 1_000) / lanMembership.probeIntervalMs;
    for (const rate of rates) expect(Math.abs(rate - pingsAndAcks)).toBeLessThan(0.3);
  });
});
