import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";

/** Timers that keep this process alive: what a sleep must not leave behind. */
function timersOpen(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

describe("SystemClock", () => {
  it("tells milliseconds since the epoch and never goes back", () => {
    const clock = new SystemClock();
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(60_000);
    let last = clock.nowMs();
    for (let i = 0; i < 10_000; i += 1) {
      const now = clock.nowMs();
      expect(now >= last).toBe(true);
      last = now;
    }
  });

  it("never wakes before its time, fractions included", async () => {
    const clock = new SystemClock();
    for (const ms of [0.3, 1, 1.7, 5.5, 12.2]) {
      const start = clock.nowMs();
      await clock.sleep(ms);
      expect(clock.nowMs() - start).toBeGreaterThanOrEqual(ms);
    }
  });

  it("waits on where its timer fires early", async () => {
    const clock = new SystemClock();
    const times = vi.spyOn(clock, "nowMs");
    for (const ms of [100, 101.4, 101.9, 102.3]) times.mockReturnValueOnce(ms);
    await new Promise<void>((resolve) => void clock.call(2, resolve));
    expect(times.mock.results.map(({ value }) => value as number)).toEqual([
      100, 101.4, 101.9, 102.3,
    ]);
  });

  it("listens no more to a signal that outlives the sleep", async () => {
    const { signal } = new AbortController();
    await new SystemClock().sleep(1, signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends at once when the signal aborts, and leaves neither timer nor listener", async () => {
    const clock = new SystemClock();
    const before = timersOpen();
    const abort = new AbortController();
    const sleep = clock.sleep(3_600_000, abort.signal);
    expect(timersOpen()).toBe(before + 1);
    abort.abort();
    await sleep;
    expect(timersOpen()).toBe(before);
  });

  it("calls once, not before its time, and not at all where the call is taken back", async () => {
    const clock = new SystemClock();
    const before = timersOpen();
    const start = clock.nowMs();
    const calls: string[] = [];
    const cancel = clock.call(5, () => calls.push("taken back"));
    const atMs = await new Promise<number>((resolve) => {
      clock.call(5.5, () => {
        calls.push("called");
        resolve(clock.nowMs());
      });
      cancel();
      expect(timersOpen()).toBe(before + 1);
    });
    await clock.sleep(10);
    expect(calls).toEqual(["called"]);
    expect(atMs - start).toBeGreaterThanOrEqual(5.5);
    cancel();
    // A timer of the test runner's may have ended meanwhile.
    expect(timersOpen()).toBeLessThanOrEqual(before);
  });

  it("does not start a timer for a signal that is aborted already, nor for no time", async () => {
    const clock = new SystemClock();
    const before = timersOpen();
    const sleeps = [clock.sleep(3_600_000, AbortSignal.abort()), clock.sleep(0), clock.sleep(-5)];
    expect(timersOpen()).toBe(before);
    await Promise.all(sleeps);
  });

  it("sleeps longer than one timer can carry, without waking every now and then", async () => {
    const clock = new SystemClock();
    const abort = new AbortController();
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", onWarning);
    let awake = false;
    const sleep = clock.sleep(2 ** 33, abort.signal).then(() => {
      awake = true;
    });
    await new Promise<void>((resolve) => void clock.call(-5, resolve));
    await clock.sleep(20);
    process.off("warning", onWarning);
    expect({ awake, warnings }).toEqual({ awake: false, warnings: [] });
    abort.abort();
    await sleep;
    expect(awake).toBe(true);
  });
});
