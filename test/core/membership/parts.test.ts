import { describe, expect, it } from "vitest";
import { ActionList } from "../../../src/core/membership/action-list.ts";
import { Announcer } from "../../../src/core/membership/announcer.ts";
import { Awareness } from "../../../src/core/membership/awareness.ts";
import { membersPerMessageMax } from "../../../src/core/membership/membership-message.ts";
import { lanMembership } from "../../../src/core/membership/membership-options.ts";
import { ProbeSchedule } from "../../../src/core/membership/probe-schedule.ts";
import { Prober, signsOfIllness } from "../../../src/core/membership/prober.ts";
import { Suspicion } from "../../../src/core/membership/suspicion.ts";
import { seeded } from "../../support/seeded.ts";
import { sampleMember } from "./sample-member.ts";
import { memberId } from "./virtual-swarm.ts";

const [a, b, c, d] = [memberId(1), memberId(2), memberId(3), memberId(4)];

describe("Awareness", () => {
  it("makes times longer with each sign of ill health, within its bounds", () => {
    const awareness = new Awareness(3);
    awareness.note(-1);
    expect(awareness.scale(100)).toBe(100);
    awareness.note(2);
    expect(awareness.scale(100)).toBe(300);
    awareness.note(9);
    expect(awareness.scale(100)).toBe(400);
  });
});

describe("ProbeSchedule", () => {
  it("names each candidate once a round, in an order that changes", () => {
    const ids = Array.from({ length: 10 }, (_, number) => memberId(number));
    const schedule = new ProbeSchedule(seeded(1));
    const round = () => ids.map(() => schedule.next(ids, () => true));
    const [first, second] = [round(), round()];
    expect(new Set(first)).toEqual(new Set(ids));
    expect(new Set(second)).toEqual(new Set(ids));
    expect(first).not.toEqual(second);
  });

  it("puts a newcomer into the round under way, once, and passes over who may not be probed", () => {
    const schedule = new ProbeSchedule(seeded(2));
    expect(schedule.next([], () => true)).toBeUndefined();
    const first = schedule.next([a, b, c], () => true);
    schedule.add(d);
    schedule.add(d);
    const rest = [1, 2, 3].map(() => schedule.next([], () => true));
    expect(new Set([first, ...rest])).toEqual(new Set([a, b, c, d]));
    expect(schedule.next([a, b], (id) => id === b)).toBe(b);
    expect(schedule.next([a], (id) => id === b)).toBeUndefined();
  });

  it.each([
    [0.3, [d, b, c]],
    [0.4, [b, d, c]],
    [0.9, [b, c, d]],
  ])("puts a newcomer into the rest of the round where chance says: %d", (share, rest) => {
    let drawn = 0.99;
    const schedule = new ProbeSchedule(() => drawn);
    expect(schedule.next([a, b, c], () => true)).toBe(a);
    drawn = share;
    schedule.add(d);
    expect(rest.map(() => schedule.next([], () => true))).toEqual(rest);
  });

  it("names who has come back once more in the round under way", () => {
    const schedule = new ProbeSchedule(seeded(2));
    expect(schedule.next([a], () => true)).toBe(a);
    schedule.add(a);
    expect(schedule.next([], () => true)).toBe(a);
  });
});

describe("Prober", () => {
  it("asks others, then fails, and counts the helpers that were silent", () => {
    const prober = new Prober();
    const sequence = prober.begin(a, 0, 100, 300);
    expect(prober.nextAtMs()).toBe(100);
    expect(prober.due(100)).toEqual([{ kind: "ask-others", target: a, sequence }]);
    prober.asked(sequence, [b, c, d]);
    expect(prober.due(299)).toEqual([]);
    prober.nacked(b, sequence);
    prober.nacked(a, sequence);
    const [helpers, silent] = [new Set([b, c, d]), new Set([c, d])];
    expect(prober.due(300)).toEqual([{ kind: "failed", target: a, helpers, silent }]);
    expect([prober.isProbing(a), prober.nextAtMs()]).toEqual([false, Infinity]);
  });

  it("gives each probe a number of its own, errands too", () => {
    const prober = new Prober();
    const limits = { timeoutMs: 100, endMs: 300 };
    const numbers = [
      prober.begin(a, 0, 100, 300),
      prober.beginErrand(a, { to: b, sequence: 1 }, 0, limits),
      prober.begin(c, 0, 100, 300),
    ];
    expect(numbers).toEqual([1, 2, 3]);
  });

  it("takes an answer from the target or a helper alone, and once", () => {
    const prober = new Prober();
    const sequence = prober.begin(a, 0, 100, 300);
    expect(prober.acked(b, sequence)).toBeUndefined();
    prober.asked(sequence, [b]);
    expect(prober.acked(b, sequence)).toEqual({ kind: "own", target: a });
    expect(prober.acked(a, sequence)).toBeUndefined();
    expect(prober.due(1_000)).toEqual([]);
  });

  it("runs an errand: a nack in time, and the answer even after it", () => {
    const prober = new Prober();
    const limits = { timeoutMs: 100, endMs: 300 };
    const errand = prober.beginErrand(a, { to: b, sequence: 77 }, 0, limits) ?? -1;
    expect(prober.nextAtMs()).toBe(80);
    expect(prober.due(80)).toEqual([{ kind: "nack", to: b, sequence: 77 }]);
    expect(prober.nextAtMs()).toBe(300);
    expect(prober.due(81)).toEqual([]);
    expect(prober.acked(c, errand)).toBeUndefined();
    expect(prober.acked(a, errand)).toEqual({
      kind: "errand",
      to: b,
      sequence: 77,
    });
    expect(prober.acked(a, errand)).toBeUndefined();
    const late = prober.beginErrand(a, { to: b, sequence: 78 }, 100, limits) ?? -1;
    prober.due(400);
    expect(prober.acked(a, late)).toBeUndefined();
  });

  it("puts all off by as long as the process did not run", () => {
    const prober = new Prober();
    const sequence = prober.begin(a, 0, 100, 300);
    const limits = { timeoutMs: 100, endMs: 300 };
    const errand = prober.beginErrand(a, { to: b, sequence: 77 }, 0, limits) ?? -1;
    prober.shift(1_000);
    expect(prober.due(1_079)).toEqual([]);
    expect(prober.due(1_080)).toEqual([{ kind: "nack", to: b, sequence: 77 }]);
    expect(prober.due(1_099)).toEqual([]);
    expect(prober.due(1_100)).toEqual([{ kind: "ask-others", target: a, sequence }]);
    expect(prober.due(1_299)).toHaveLength(1);
    expect(prober.acked(a, errand)).toMatchObject({ kind: "errand" });
  });

  it.each([
    ["of helpers that were silent, who are surely there", [b, c, d], [b, c], [b, d], 1],
    ["where no helper is surely there, but the target is", [b, c], [b, c], [a], 1],
    ["where nobody is surely there", [b, c], [b, c], [], 0],
    ["where nobody was to be asked, and the target is surely there", [], [], [a], 1],
  ])("tells of its own ears by the number %s", (_, helpers, silent, met, signs) => {
    const [asked, mute] = [new Set(helpers), new Set(silent)];
    const event = { kind: "failed", target: a, helpers: asked, silent: mute } as const;
    expect(signsOfIllness(event, (id) => met.includes(id))).toBe(signs);
  });

  it("has room for so many probes of its own, and again when they are over", () => {
    const prober = new Prober();
    for (let number = 0; number < 256; number++) {
      expect(prober.hasRoom).toBe(true);
      prober.begin(memberId(number), 0, 100, 300);
    }
    expect(prober.hasRoom).toBe(false);
    prober.due(300);
    expect(prober.hasRoom).toBe(true);
  });

  it("refuses errands beyond its bound", () => {
    const prober = new Prober();
    const begin = () =>
      prober.beginErrand(a, { to: b, sequence: 1 }, 0, {
        timeoutMs: 100,
        endMs: 300,
      });
    const begun = Array.from({ length: 2_000 }, begin).filter((errand) => errand !== undefined);
    expect(begun).toHaveLength(1_024);
  });
});

describe("Suspicion", () => {
  const subject = { generation: 1, incarnation: 1 };
  const start = { nowMs: 0, hearsayMs: 0 };

  it("ends the sooner the more members accuse, each counted once", () => {
    const suspicion = new Suspicion(subject, lanMembership, 8, start);
    const ends = [a, a, b, c, d].map((accuser) => {
      suspicion.accuse(accuser);
      return Math.round(suspicion.deadAtMs);
    });
    expect(ends).toEqual([8_100, 8_100, 4_693, 2_700, 2_700]);
  });

  it("lasts as long as for one accuser where a single member has told of it", () => {
    const suspicion = new Suspicion(subject, lanMembership, 8, start);
    expect(suspicion.deadAtMs).toBe(8_100);
  });

  it("is put off as a whole by as long as the process did not run", () => {
    const suspicion = new Suspicion(subject, lanMembership, 2, start);
    suspicion.shift(1_000);
    expect([suspicion.due(3_399), suspicion.due(3_400), suspicion.deadAtMs]).toEqual([
      "wait",
      "look",
      3_700,
    ]);
  });

  it("tells of accusations only while they shorten it", () => {
    const suspicion = new Suspicion(subject, lanMembership, 8, start);
    expect([a, a, b, c, d].map((id) => suspicion.accuse(id))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it("lasts longer on hearsay, until it is proved", () => {
    const suspicion = new Suspicion(subject, lanMembership, 2, {
      nowMs: 0,
      hearsayMs: 400,
    });
    expect(suspicion.deadAtMs).toBe(3_100);
    suspicion.proved();
    expect(suspicion.deadAtMs).toBe(2_700);
  });

  it("looks once more before the end, and leaves that look its time", () => {
    const suspicion = new Suspicion(subject, lanMembership, 2, start);
    expect([suspicion.due(2_399), suspicion.due(2_400)]).toEqual(["wait", "look"]);
    suspicion.postponeLook(2_500);
    expect(suspicion.due(2_499)).toBe("wait");
    suspicion.postponeLook(2_600);
    expect([suspicion.due(2_599), suspicion.due(2_600)]).toEqual(["wait", "look"]);
    suspicion.looked(2_600, 600);
    expect([suspicion.due(3_199), suspicion.due(3_200)]).toEqual(["wait", "bury"]);
    suspicion.shift(1_000);
    expect(suspicion.due(4_199)).toBe("wait");
  });
});

describe("Announcer", () => {
  it("tells twice of each change, and never twice within the gap", () => {
    const announcer = new Announcer(100, 300);
    announcer.changed(0);
    expect([announcer.take(0), announcer.take(50), announcer.nextAtMs]).toEqual([true, false, 300]);
    announcer.changed(50);
    expect([announcer.take(99), announcer.take(100)]).toEqual([false, true]);
    expect([announcer.take(400), announcer.nextAtMs]).toEqual([true, Infinity]);
  });
});

describe("ActionList", () => {
  it.each([
    ["full", 3 * membersPerMessageMax],
    ["begun", 2 * membersPerMessageMax + 1],
  ])(
    "sends a table in parts, and asks for one by the last part alone, which is %s",
    (_, length) => {
      const actions = new ActionList();
      const members = Array.from({ length }, (_each, at) => sampleMember({ id: memberId(at) }));
      const parts = (isReply: boolean) => {
        actions.sendTable(a, members, isReply);
        return actions
          .take()
          .flatMap((action) =>
            action.kind === "send" && action.message.kind === "push-pull" ? [action.message] : [],
          );
      };
      const replies = (isReply: boolean): boolean[] => parts(isReply).map(({ reply }) => reply);
      expect(replies(false)).toEqual([true, true, false]);
      expect(replies(true)).toEqual([true, true, true]);
      expect(parts(true).flatMap((part) => part.members)).toEqual(members);
      expect(parts(true)[0]?.members).toHaveLength(membersPerMessageMax);
    },
  );
});
