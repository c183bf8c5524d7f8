import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";

/** Deep enough that a clock which counts turns of microtasks instead of waiting for the last one would go wrong. */
const promisesInARow = 10_000;

async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < promisesInARow; turn += 1) await Promise.resolve();
}

describe("a virtual clock", () => {
  it("wakes in the order of the moments, and of the calls where these are equal", async () => {
    const clock = new VirtualClock(0);
    const woken: string[] = [];
    const sleepers = [30, 10, 20, 10, 0, 30].map(async (ms, number) => {
      await clock.sleep(ms);
      woken.push(`${clock.nowMs()}:${number}`);
    });
    await clock.run(Promise.all(sleepers));
    expect(woken).toEqual(["0:4", "10:1", "10:3", "20:2", "30:0", "30:5"]);
  });

  it("keeps that order among thousands, of which many are woken early", async () => {
    const clock = new VirtualClock(0);
    const woken: number[] = [];
    const aborts: AbortController[] = [];
    for (let number = 0; number < 5_000; number += 1) {
      const ms = (number * 7_919) % 1_009;
      const abort = new AbortController();
      if (number % 3 === 0) aborts.push(abort);
      void clock.sleep(ms, abort.signal).then(() => {
        if (!abort.signal.aborted) woken.push(clock.nowMs());
      });
    }
    for (const abort of aborts) abort.abort();
    await clock.run(clock.sleep(2_000));
    expect(woken).toHaveLength(5_000 - aborts.length);
    expect(woken).toEqual(woken.toSorted((a, b) => a - b));
  });

  it("moves on only when no promise can go on any more", async () => {
    const clock = new VirtualClock(0);
    let seenAtMs = -1;
    void clock.sleep(1);
    const work = manyTurns().then(() => {
      seenAtMs = clock.nowMs();
    });
    await clock.run(Promise.all([work, clock.sleep(5)]));
    expect(seenAtMs).toBe(0);
  });

  it("lets all that one sleeper causes happen before the next one wakes", async () => {
    const clock = new VirtualClock(0);
    const events: string[] = [];
    const first = clock.sleep(10).then(async () => {
      await manyTurns();
      events.push("first is done");
    });
    const second = clock.sleep(10).then(() => events.push("second wakes"));
    await clock.run(Promise.all([first, second]));
    expect(events).toEqual(["first is done", "second wakes"]);
  });

  it("wakes at once on an abort, and keeps nothing of the sleeper", async () => {
    const clock = new VirtualClock(0);
    const abort = new AbortController();
    const sleeps = Promise.all([1, 2, 3].map(() => clock.sleep(60_000, abort.signal)));
    expect(clock.sleepers).toBe(3);
    abort.abort();
    expect(clock.sleepers).toBe(0);
    await clock.run(sleeps);
    await clock.run(clock.sleep(60_000, abort.signal));
    expect(clock.nowMs()).toBe(0);
  });

  it("does not make a call that was taken back", async () => {
    const clock = new VirtualClock(0);
    const calls: string[] = [];
    const abort = new AbortController();
    const cancels = [
      clock.call(10, () => calls.push("plain")),
      clock.call(10, () => calls.push("with a signal"), abort.signal),
    ];
    clock.call(10, () => calls.push("kept"));
    for (const cancel of cancels) cancel();
    abort.abort();
    await clock.run(clock.sleep(20));
    for (const cancel of cancels) cancel();
    expect(calls).toEqual(["kept"]);
  });

  it("does not make one either that another call takes back at the same abort", () => {
    const clock = new VirtualClock(0);
    const calls: string[] = [];
    const abort = new AbortController();
    clock.call(10, () => cancel(), abort.signal);
    const cancel = clock.call(10, () => calls.push("taken back"), abort.signal);
    abort.abort();
    expect(calls).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });

  it("reports work that nothing can ever bring to an end", async () => {
    const clock = new VirtualClock(0);
    const stuck = clock.sleep(7).then(() => new Promise(() => undefined));
    await expect(clock.run(stuck)).rejects.toMatchObject({ reason: "nothing-left", atMs: 7 });
  });

  it("reports work that is not done in time, and can go on with it", async () => {
    const clock = new VirtualClock(0);
    const work = clock.sleep(100).then(() => "done");
    await expect(clock.run(work, 99)).rejects.toMatchObject({ reason: "deadline" });
    expect(clock.nowMs()).toBeLessThanOrEqual(99);
    expect(await clock.run(work, 100)).toBe("done");
  });

  it("rejects with what the work or a call fails with", async () => {
    const clock = new VirtualClock(0);
    const work = clock.sleep(5).then(() => Promise.reject(new RangeError("broken")));
    await expect(clock.run(work)).rejects.toThrow("broken");
    clock.call(1, () => {
      throw new RangeError("call broken");
    });
    await expect(clock.run(clock.sleep(5))).rejects.toThrow("call broken");
  });

  it("lets the real event loop turn now and then", async () => {
    const clock = new VirtualClock(0);
    const turns: number[] = [];
    setImmediate(() => turns.push(clock.nowMs()));
    const work = (async () => {
      for (let moment = 0; moment < 10_000 && turns.length === 0; moment += 1) await clock.sleep(1);
    })();
    await clock.run(work);
    expect(turns).toHaveLength(1);
  });
});
