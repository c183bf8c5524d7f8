import { describe, expect, it } from "vitest";
import type { Member } from "../../../../src/core/membership/member.ts";
import { encodeClaim } from "../../../../src/core/messages/claim.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import type { JoinOutcome, Overlay } from "../../../../src/ports/overlay.ts";
import { LaterRuns } from "../../../../src/peer/swarm/members/later-runs.ts";
import { SwarmBench } from "../swarm-bench.ts";

const self = "a" as MemberId;

function claimOf(generation: number, ...addresses: string[]): Member {
  const particulars = { id: self, addresses, weight: 1, version: "1", generation, incarnation: 0 };
  return { ...particulars, role: "active", health: "alive" };
}

/** One that finds the given outcomes at the addresses of the claims. */
function newLaterRuns(outcomes: Readonly<Record<string, JoinOutcome>>) {
  const joined: string[] = [];
  const outbid: number[] = [];
  const failures: unknown[] = [];
  const none = (): void => undefined;
  const runs = new LaterRuns(
    {
      self,
      join: (address, _signal, tries) => {
        joined.push(address);
        // An overlay that goes on trying ends only where a member answers.
        if (tries !== "once") return new Promise(none);
        return Promise.resolve(outcomes[address] ?? { kind: "unreachable", detail: "nobody" });
      },
    },
    () => ({ outbid: (generation) => outbid.push(generation) }),
    new AbortController().signal,
    (error) => failures.push(error),
  );
  return { runs, joined, outbid, failures };
}

const ownKey = { kind: "refused", detail: "own key", hasOwnKey: true } as const;

describe("a peer that hears of a later run of its own", () => {
  it("gives way where one is met", async () => {
    const { runs, joined, outbid, failures } = newLaterRuns({ second: ownKey });
    runs.heard(claimOf(5, "first", "second", "third"));
    await new Promise(setImmediate);
    expect(failures).toMatchObject([{ code: "SUPERSEDED" }]);
    expect(joined).toEqual(["first", "second"]);
    expect(outbid).toEqual([]);
  });

  it("outbids it where none is met: nobody, another one, or itself", async () => {
    const { runs, outbid, failures } = newLaterRuns({
      first: { kind: "joined", member: "b" as MemberId },
      second: { kind: "refused", detail: "another swarm" },
    });
    runs.heard(claimOf(5, "first", "second", "third"));
    await new Promise(setImmediate);
    expect(outbid).toEqual([5]);
    expect(failures).toEqual([]);
    runs.heard(claimOf(9));
    await new Promise(setImmediate);
    expect(outbid).toEqual([5, 9]);
  });

  it("looks for one at a time, and of many for the latest", async () => {
    const { runs, joined, outbid } = newLaterRuns({});
    for (let generation = 1; generation <= 1_000; generation += 1) {
      runs.heard(claimOf(generation, `address-${generation}`));
    }
    await new Promise(setImmediate);
    expect(joined).toEqual(["address-1", "address-1000"]);
    expect(outbid).toEqual([1, 1_000]);
    // They may come in any order.
    for (const generation of [2_000, 4_000, 3_000]) runs.heard(claimOf(generation, "address"));
    await new Promise(setImmediate);
    expect(outbid).toEqual([1, 1_000, 2_000, 4_000]);
  });
});

describe("a swarm with a member that claims what it likes of others", () => {
  it("goes on, and believes each of itself", async () => {
    const overlays: Overlay[] = [];
    const bench = new SwarmBench(3, {}, {}, (ports) => {
      if (ports.overlay) overlays.push(ports.overlay);
      return ports;
    });
    await bench.run(async () => {
      await bench.begin();
      const liar = bench.machine(2);
      const overlay = overlays.find((one) => one.self === liar.id);
      const others = liar.peer.swarm?.view.members().filter(({ id }) => id !== liar.id) ?? [];
      const members = others.map((row) => ({ ...row, generation: row.generation + 60_000 }));
      overlay?.publish(encodeClaim({ members }));
      await bench.pass(5_000);
      expect(bench.world.failures).toEqual([]);
      for (const { id, generation } of members) {
        for (const at of [0, 1, 2]) {
          const row = bench
            .peer(at)
            .swarm?.view.members()
            .find((one) => one.id === id);
          expect(row).toMatchObject({
            generation: generation + 1,
            role: "active",
            health: "alive",
          });
        }
      }
      await bench.inject(0);
      await bench.finished(1);
    });
    expect(bench.urls).toHaveLength(240);
    expect(bench.hits).toHaveLength(240);
  });
});

describe("a peer in whose swarm one makes runs and members up without end", () => {
  it("has no more lines in its log than it can use", async () => {
    const overlays: Overlay[] = [];
    const lines: string[] = [];
    const bench = new SwarmBench(2, {}, {}, (ports) => {
      if (ports.overlay) overlays.push(ports.overlay);
      if (ports.overlay !== overlays[0]) return ports;
      const write = (event: string): unknown => lines.push(event);
      return { ...ports, logger: { debug: write, info: write, warn: write, error: write } };
    });
    await bench.run(async () => {
      await bench.begin();
      const { id } = bench.machine(0);
      const liar = overlays.find((one) => one.self === bench.machine(1).id);
      const row = bench
        .peer(0)
        .swarm?.view.members()
        .find((one) => one.id === id);
      if (row === undefined || liar === undefined) throw new Error("no swarm");
      for (let at = 1; at <= 1_500; at += 1) {
        const madeUp = { ...row, id: "nobody" as MemberId, generation: row.generation + at };
        const later = { ...row, addresses: [], generation: row.generation + 2 * at };
        liar.publish(encodeClaim({ members: [madeUp, later] }));
        await bench.pass(4);
      }
    });
    expect(lines.filter((event) => event === "later-run-outbid")).toHaveLength(1);
    expect(lines.length).toBeLessThan(2_100);
  });
});
