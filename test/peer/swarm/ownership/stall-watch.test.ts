import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { Sluice } from "../../../../sim/world/sluice.ts";
import type { WhoHoldsReply } from "../../../../src/core/messages/holding.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { StallWatch } from "../../../../src/peer/swarm/ownership/stall-watch.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";

/** Counts how often it was told to trust its copies no more. */
class CountingTerritory extends Territory {
  timesDistrusted = 0;

  override distrustCopies(): void {
    super.distrustCopies();
    this.timesDistrusted += 1;
  }
}

/** A clock of a process that can stand still: time goes on without its timers. */
class StoppableClock extends VirtualClock {
  #skippedMs = 0;
  #asleepMs = 0;

  standStill(ms: number): void {
    this.#skippedMs += ms;
  }

  /** The machine sleeps, and its own clock with it. */
  sleepWithMachine(ms: number): void {
    this.#asleepMs += ms;
  }

  override nowMs(): number {
    return super.nowMs() + this.#skippedMs;
  }

  override wallMs(): number {
    return this.nowMs() + this.#asleepMs;
  }
}

const [a, b, self] = ["a" as MemberId, "b" as MemberId, "self" as MemberId];

function holding(held: ArcSet): WhoHoldsReply {
  const none = ArcSet.empty;
  return { generation: 1, held, kept: none, copied: none, former: none, known: [] };
}

describe("StallWatch", () => {
  const stop = new AbortController();

  function newWatch(others: readonly MemberId[], syncMs = 0) {
    const clock = new StoppableClock();
    const territory = new CountingTerritory();
    territory.take(ArcSet.whole);
    const answers = new Map<MemberId, WhoHoldsReply>();
    const warnings: string[] = [];
    let cleared = 0;
    const none = (): void => undefined;
    const logger = {
      debug: none,
      info: none,
      error: none,
      warn: (event: string) => warnings.push(event),
    };
    const calls = {
      whoHolds: (member: MemberId): Promise<WhoHoldsReply | undefined> =>
        Promise.resolve(answers.get(member)),
    };
    const sluice = new Sluice();
    const journal = { flushed: () => clock.sleep(syncMs).then(() => sluice.passed()) };
    const parts = { view: { others, self }, territory, journal };
    let stalls = 0;
    const watch = new StallWatch({ clock, logger, calls }, parts, stop.signal, {
      onStall: () => {
        stalls += 1;
      },
      onCleared: () => {
        cleared += 1;
      },
    });
    const times = { timesCleared: () => cleared, stalls: () => stalls };
    return { answers, clock, sluice, territory, warnings, watch, ...times };
  }

  it("lets a process go on that was a little late", () => {
    const { clock, warnings, watch } = newWatch([a]);
    clock.standStill(2_000);
    expect(watch.isHolding).toBe(false);
    expect(warnings).toEqual([]);
  });

  it("holds requests back after a stall until nobody else holds the same", async () => {
    const { answers, clock, stalls, territory, timesCleared, warnings, watch } = newWatch([a, b]);
    answers.set(a, holding(ArcSet.empty)).set(b, holding(ArcSet.whole));
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    expect(warnings).toEqual(["stood-still"]);
    await clock.run(clock.sleep(3_000));
    expect(watch.isHolding).toBe(true);
    expect([stalls(), territory.timesDistrusted]).toEqual([1, 1]);
    answers.set(b, holding(ArcSet.empty));
    await clock.run(clock.sleep(500));
    expect(watch.isHolding).toBe(false);
    expect(timesCleared()).toBe(1);
  });

  it("begins anew when it stands still once more, and believes no answer from before", async () => {
    const { answers, clock, stalls, timesCleared, watch } = newWatch([a]);
    answers.set(a, holding(ArcSet.empty));
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    // The answer is on its way.
    clock.standStill(20_000);
    answers.set(a, holding(ArcSet.whole));
    await clock.run(clock.sleep(3_000));
    expect(watch.isHolding).toBe(true);
    expect(stalls()).toBe(2);
    expect(timesCleared()).toBe(0);
    answers.set(a, holding(ArcSet.empty));
    await clock.run(clock.sleep(500));
    expect(watch.isHolding).toBe(false);
  });

  it("waits as long as others say that one who is silent has taken over", async () => {
    const { answers, clock, timesCleared, watch } = newWatch([a, b]);
    const byB = { arcs: ArcSet.whole, holder: b, generation: 1 };
    answers.set(a, { ...holding(ArcSet.empty), known: [byB] });
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(3_000));
    expect(timesCleared()).toBe(0);
    // What is said of others counts for nothing against their own word.
    answers.set(b, holding(ArcSet.empty));
    await clock.run(clock.sleep(500));
    expect(watch.isHolding).toBe(false);
  });

  it("does not wait for what others hold, or say of one who is silent, of other arcs", async () => {
    const { answers, clock, territory, timesCleared, watch } = newWatch([a, b]);
    const other = ArcSet.of([{ from: 0 as RingPosition, to: (circle / 2) as RingPosition }]);
    territory.abandon();
    territory.take(ArcSet.whole.subtract(other));
    const byB = { arcs: other, holder: b, generation: 1 };
    answers.set(a, { ...holding(other), known: [byB] });
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(1_000));
    expect(timesCleared()).toBe(1);
  });

  it("waits for each of the others, however many there are", async () => {
    const others = Array.from({ length: 200 }, (_, at) => `peer-${at}` as MemberId);
    const { answers, clock, timesCleared, watch } = newWatch(others);
    const last = others.at(-1) ?? a;
    for (const member of others) answers.set(member, holding(ArcSet.empty));
    answers.set(last, holding(ArcSet.whole));
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(1_000));
    expect(timesCleared()).toBe(0);
    // By the word of the first one, who knows no better.
    const byLast = { arcs: ArcSet.whole, holder: last, generation: 1 };
    answers.set(others[0] ?? a, { ...holding(ArcSet.empty), known: [byLast] });
    answers.set(last, holding(ArcSet.empty));
    await clock.run(clock.sleep(1_000));
    expect(timesCleared()).toBe(1);
  });

  it("holds nothing back for ever where nobody answers", async () => {
    const { clock, timesCleared, watch } = newWatch([a]);
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    void watch.run();
    await clock.run(clock.sleep(13_000));
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(3_000));
    expect(watch.isHolding).toBe(false);
    expect(timesCleared()).toBe(1);
  });

  it("holds requests back while its own disk hangs, and for as long as ever after that", async () => {
    const { answers, clock, sluice, timesCleared, watch } = newWatch([a]);
    answers.set(a, holding(ArcSet.whole));
    sluice.shut();
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(60_000));
    sluice.open();
    await clock.run(clock.sleep(13_000));
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(3_000));
    expect(watch.isHolding).toBe(false);
    expect(timesCleared()).toBe(1);
  });

  it("counts no standstill as the time that its disk takes", async () => {
    const { clock, sluice, watch } = newWatch([a]);
    sluice.shut();
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(500));
    clock.standStill(3_600_000);
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(5_000));
    sluice.open();
    await clock.run(clock.sleep(14_000));
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(3_000));
    expect(watch.isHolding).toBe(false);
  });

  it("holds them back no longer where its disk is slow", async () => {
    const { answers, clock, watch } = newWatch([a], 900);
    answers.set(a, holding(ArcSet.whole));
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(14_000));
    expect(watch.isHolding).toBe(true);
    await clock.run(clock.sleep(3_000));
    expect(watch.isHolding).toBe(false);
  });

  it("notices that the machine was asleep, which only the clock on the wall shows", () => {
    const { clock, warnings, watch } = newWatch([a]);
    clock.sleepWithMachine(20_000);
    expect(watch.isHolding).toBe(true);
    expect(warnings).toEqual(["stood-still"]);
  });

  it("does not mind a clock on the wall that is set back", () => {
    const { clock, watch } = newWatch([a]);
    clock.sleepWithMachine(-20_000);
    expect(watch.isHolding).toBe(false);
  });

  it("does not ask a swarm of one", () => {
    const { clock, watch } = newWatch([]);
    clock.standStill(20_000);
    expect(watch.isHolding).toBe(false);
  });

  it("notices a stall of which nobody asks", async () => {
    const { answers, clock, warnings, watch } = newWatch([a]);
    answers.set(a, holding(ArcSet.empty));
    void watch.run();
    await clock.run(clock.sleep(1_500));
    clock.standStill(20_000);
    await clock.run(clock.sleep(1_500));
    expect(warnings).toEqual(["stood-still"]);
  });
});
