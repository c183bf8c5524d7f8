import { describe, expect, it } from "vitest";
import { partition } from "../../../../sim/world/network-rules.ts";
import { encodeClaim } from "../../../../src/core/messages/claim.ts";
import type { Member } from "../../../../src/core/membership/member.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { SwarmBench } from "../swarm-bench.ts";

describe("a member's view of the swarm", () => {
  it("stays as it is while one is suspected, and changes when that one is taken for dead", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      const { network } = bench.world;
      const { swarm } = bench.peer(0);
      if (!swarm) throw new Error("this peer is in no swarm");
      const { view } = swarm;
      const { ring, others } = view;
      const far = (): string | undefined =>
        view.members().find(({ id }) => id === bench.peer(2).peerId)?.health;
      const until = async (health: string): Promise<void> => {
        while (far() !== health) await bench.pass(50);
      };
      let changes = 0;
      view.onChange(() => (changes += 1));

      const heal = network.addRule(partition([0, 1], [2]));
      await until("suspect");
      heal();
      await until("alive");
      expect({ changes, ring: view.ring, others: view.others }).toEqual({
        changes: 0,
        ring,
        others,
      });
      expect(view.others).toBe(others);

      network.addRule(partition([0, 1], [2]));
      await until("dead");
      expect(changes).toBe(1);
      expect(view.others).toEqual([bench.peer(1).peerId]);
    });
  });

  it("is renewed by each of a few changes, and by a crowd of them once for all", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const view = bench.peer(0).swarm?.view;
      if (!view) throw new Error("this peer is in no swarm");
      const [, other] = view.members();
      if (!other) throw new Error("it knows of nobody");
      let changes = 0;
      view.onChange(() => (changes += 1));
      const come = (from: number, to: number): void => {
        for (let at = from; at < to; at += 1) view.heard(other.id, [memberLike(other, at)]);
      };

      come(0, 20);
      expect({ changes, members: view.ring.members.length }).toEqual({ changes: 20, members: 22 });
      come(20, 400);
      expect(changes).toBeLessThan(60);
      await bench.pass(250);
      expect(view.ring.members).toHaveLength(402);
      expect(changes).toBeLessThan(61);
    });
  });

  it("has the weight that a member has by its own word, whatever another one said of it", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 500 });
      const [slandered] = bench.peer(1).swarm?.view.members() ?? [];
      if (!slandered) throw new Error("it does not know itself");
      const lie = { ...slandered, incarnation: slandered.incarnation + 1, weight: 16 };
      const [liar] = bench.peer(2).swarm?.view.members() ?? [];
      if (!liar) throw new Error("it does not know itself");
      // With something that renews the rings, before the one that is slandered can say another word.
      const gone: Member = { ...liar, incarnation: liar.incarnation + 1, role: "left" };
      bench.machine(2).overlay?.publish(encodeClaim({ members: [lie, gone] }));
      await bench.pass(50);
      bench.machine(2).kill();
      await bench.pass(20_000);
      const weights = bench.peers.map(({ swarm }) => swarm?.view.ring.weightOf(slandered.id));
      expect(weights).toEqual([1, 1]);
      await bench.settled();
      await bench.finished(0);
      expect(bench.urls).toHaveLength(240);
    });
  });

  it("takes a broadcast of one who is no member for what that one says of itself", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const view = bench.peer(0).swarm?.view;
      const other = view?.members()[1];
      if (!view || !other) throw new Error("this peer is in no swarm");
      const [stranger, ghost] = [memberLike(other, 1), memberLike(other, 2)];
      view.heard(stranger.id, [ghost, { ...other, health: "suspect" }]);
      expect(view.members()).toHaveLength(2);
      expect(view.members()[1]).toEqual(other);
      view.heard(stranger.id, [ghost, stranger]);
      expect(view.members().map(({ id }) => id)).toEqual([view.self, other.id, stranger.id]);
      view.heard(stranger.id, [ghost]);
      expect(view.members()).toHaveLength(4);
    });
  });

  it("has what this peer does itself in its ring at once, whatever has just changed", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const view = bench.peer(0).swarm?.view;
      const other = view?.members()[1];
      if (!view || !other) throw new Error("it knows of nobody");
      for (let at = 0; at < 100; at += 1) view.heard(other.id, [memberLike(other, at)]);
      expect(view.ring.members.length).toBeLessThan(100);
      view.setRole("leaving");
      expect(view.ring.members).toHaveLength(101);
      expect(view.ring.has(view.self)).toBe(false);
    });
  });
});

function memberLike(member: Member, at: number): Member {
  return { ...member, id: `crowd-${String(at).padStart(3, "0")}` as MemberId, addresses: [] };
}
