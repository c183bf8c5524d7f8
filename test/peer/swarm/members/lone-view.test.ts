import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { Dice } from "../../../../sim/world/dice.ts";
import { SeededEntropy } from "../../../../sim/world/seeded-entropy.ts";
import { decodeNotice, encodeNotice } from "../../../../src/core/messages/notice.ts";
import type { Member } from "../../../../src/core/membership/member.ts";
import type { MembershipMessage } from "../../../../src/core/membership/membership-message.ts";
import { lanMembership } from "../../../../src/core/membership/membership-options.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { MemberView } from "../../../../src/peer/swarm/members/member-view.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import type { LogFields } from "../../../../src/ports/logger.ts";
import type { Overlay } from "../../../../src/ports/overlay.ts";
import { silentLogger } from "../../../support/silent-logger.ts";

/** A member that is gone is remembered for so long. */
const retentionMs = 20_000;

/** The view of one peer, before an overlay that reaches nobody; what others say is told to it. */
class ViewBench {
  readonly clock = new VirtualClock();
  readonly warned: [event: string, fields: LogFields | undefined][] = [];
  readonly learned: [member: MemberId, addresses: readonly string[]][] = [];
  readonly sent: [to: MemberId, message: MembershipMessage | undefined][] = [];
  readonly view: MemberView;
  addresses: readonly string[] = ["here"];
  buried = 0;
  #broken: (member: MemberId) => void = () => undefined;
  #notice: (from: MemberId, payload: Uint8Array) => void = () => undefined;

  constructor(self: string) {
    const told = (): readonly string[] => this.addresses;
    const overlay: Partial<Overlay> = {
      self: self as MemberId,
      get addresses() {
        return told();
      },
      learn: (member, addresses) => this.learned.push([member, addresses]),
      notify: (to, payload) => this.sent.push([to, decodeNotice(payload, this.clock.wallMs())]),
      publish: () => undefined,
      onBroken: (listener) => (this.#broken = listener),
      onNotice: (listener) => (this.#notice = listener),
    };
    const logger = {
      ...silentLogger,
      warn: (event: string, fields?: LogFields) => this.warned.push([event, fields]),
    };
    const none = (): void => undefined;
    this.view = new MemberView(
      {
        clock: this.clock,
        entropy: new SeededEntropy(new Dice(1)),
        logger,
        overlay: overlay as Overlay,
      },
      new RingBook({ virtualNodes: 32, hashSeed: 0 }),
      { membership: { ...lanMembership, retentionMs }, version: "1", weight: 1, generation: 1 },
      { onBuried: () => (this.buried += 1), onMovedOn: none, onLaterRun: none },
    );
    this.view.start();
  }

  /** A member says this of itself. */
  hear(id: string, differences: Partial<Member> = {}): void {
    const [own] = this.view.members();
    if (!own) throw new Error("it does not know itself");
    const member = { ...own, id: id as MemberId, addresses: [`at-${id}`], ...differences };
    this.view.heard(member.id, [member]);
  }

  notice(from: string, message: MembershipMessage): void {
    this.#notice(from as MemberId, encodeNotice(message));
  }

  /** The connection to the member breaks. */
  broken(id: string): void {
    this.#broken(id as MemberId);
  }

  /** Plays a scene, and stops the view behind it. */
  async play(scene: () => Promise<void>): Promise<void> {
    await this.clock.run(
      (async () => {
        await scene();
        await this.view.stop();
      })(),
    );
  }
}

describe("a view of those who are joining", () => {
  it("has the first of them begin after three seconds, whatever is heard meanwhile", async () => {
    const bench = new ViewBench("b");
    await bench.play(async () => {
      bench.hear("d");
      await bench.clock.sleep(1_000);
      bench.hear("c");
      expect(bench.view.others).toEqual(["c", "d"]);
      await bench.clock.sleep(1_999);
      expect(bench.view.role).toBe("joining");
      await bench.clock.sleep(2);
      expect(bench.view.role).toBe("active");
    });
  });

  it("has none begin that another stands before, known first or last", async () => {
    for (const order of [
      ["a", "c"],
      ["c", "a"],
    ]) {
      const bench = new ViewBench("b");
      await bench.play(async () => {
        for (const id of order) bench.hear(id);
        expect(bench.view.others).toEqual(["a", "c"]);
        await bench.clock.sleep(4_000);
        expect(bench.view.role).toBe("joining");
      });
    }
  });

  it("gives them three seconds again when one that had begun has gone", async () => {
    const bench = new ViewBench("a");
    await bench.play(async () => {
      bench.hear("b");
      await bench.clock.sleep(500);
      bench.hear("c", { role: "active" });
      await bench.clock.sleep(4_000);
      expect(bench.view.role).toBe("joining");
      bench.hear("b", { incarnation: 1 });
      bench.hear("c", { role: "left", incarnation: 1 });
      await bench.clock.sleep(1_500);
      bench.hear("b", { incarnation: 2 });
      await bench.clock.sleep(1_499);
      expect(bench.view.role).toBe("joining");
      await bench.clock.sleep(2);
      expect(bench.view.role).toBe("active");
    });
  });
});

describe("what a view tells others", () => {
  it("is where members are reached that run", async () => {
    const bench = new ViewBench("a");
    await bench.play(async () => {
      bench.hear("b");
      bench.hear("b", { role: "left", incarnation: 1 });
      expect(bench.learned).toEqual([["b", ["at-b"]]]);
      await bench.clock.sleep(1);
    });
  });

  it("is where it is reached now", async () => {
    const bench = new ViewBench("a");
    await bench.play(async () => {
      expect(bench.view.members()).toMatchObject([{ addresses: ["here"] }]);
      bench.addresses = ["there"];
      await bench.clock.sleep(10_000);
      expect(bench.view.members()).toMatchObject([{ addresses: ["there"] }]);
    });
  });

  it("is a ping to one whose connection has broken, at once", async () => {
    const bench = new ViewBench("a");
    await bench.play(async () => {
      bench.hear("b");
      bench.sent.splice(0);
      bench.broken("b");
      expect(bench.sent).toMatchObject([["b", { kind: "ping" }]]);
      await bench.clock.sleep(1);
    });
  });

  it("is that the ring is full, once for as long as it is", async () => {
    const bench = new ViewBench("a");
    const full = (): unknown => bench.warned.filter(([event]) => event === "ring-full");
    await bench.play(async () => {
      bench.view.setRole("active");
      bench.hear("b", { role: "active" });
      expect(full()).toEqual([]);
      for (const id of ["c", "d"]) bench.hear(id, { role: "active", weight: 2 ** 20 });
      await bench.clock.sleep(100);
      expect(bench.view.ring.members).toHaveLength(2);
      expect(full()).toEqual([["ring-full", { members: 2, without: 1 }]]);
      for (const id of ["c", "d"]) bench.hear(id, { role: "left", incarnation: 1 });
      await bench.clock.sleep(100);
      bench.hear("e", { role: "active", weight: 2 ** 20 });
      await bench.clock.sleep(100);
      expect(full()).toHaveLength(2);
    });
  });

  it("is whose clock is days off, by the greeting of that one", async () => {
    const bench = new ViewBench("a");
    await bench.play(async () => {
      const sentAtMs = bench.clock.wallMs() + 50 * 3_600_000;
      bench.notice("b", { kind: "push-pull", members: [], reply: false, sentAtMs });
      expect(bench.warned.map(([event]) => event)).toEqual(["clocks-differ"]);
      await bench.clock.sleep(1);
    });
  });
});

describe("a view", () => {
  it("says so when others have taken its peer for dead", async () => {
    const bench = new ViewBench("a");
    await bench.play(async () => {
      const members = bench.view.members().map((own) => ({ ...own, health: "dead" as const }));
      bench.notice("b", { kind: "push-pull", members, reply: false });
      expect(bench.buried).toBe(1);
      await bench.clock.sleep(1);
    });
  });

  it("changes when a member is forgotten that has left", async () => {
    const bench = new ViewBench("a");
    await bench.play(async () => {
      bench.hear("b");
      bench.hear("b", { role: "left", incarnation: 1 });
      const known: number[] = [];
      bench.view.onChange(() => known.push(bench.view.members().length));
      await bench.clock.sleep(2 * retentionMs);
      expect(known).toEqual([1]);
    });
  });
});
