import { beforeEach, describe, expect, it } from "vitest";
import { lookedAt, OutageWatch, type LookedAt } from "../../../src/core/politeness/outage-watch.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;

let watch: OutageWatch;
let nowMs: number;

beforeEach(() => {
  watch = new OutageWatch();
  nowMs = 1_000_000;
});

function hearSilences(count = 3, startedAtMs = nowMs): void {
  for (let left = count; left > 0; left -= 1) watch.hearSilence(startedAtMs);
}

/** So many attempts in vain as call for a look, ten seconds after the last sign of life. */
function fallSilent(): void {
  watch.hearSign(nowMs);
  nowMs += 10_000;
  hearSilences();
}

function look(isAlive: boolean, at: LookedAt = "enough"): void {
  watch.beginLook(nowMs);
  watch.hearLook({ at, isAlive }, nowMs);
}

function goDown(): void {
  fallSilent();
  look(false);
}

describe("OutageWatch", () => {
  it("tells of an outage where those who answered before give no sign of life", () => {
    fallSilent();
    expect(watch.wantsLook(nowMs)).toBe(true);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
    look(false);
    expect(watch.sinceMs(nowMs)).toBe(nowMs);
  });

  it("tells of none where one of them gives it", () => {
    fallSilent();
    look(true);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("tells of none where nobody could be looked at", () => {
    fallSilent();
    look(false, "nothing");
    expect(watch.sinceMs(nowMs)).toBeUndefined();
    nowMs += 60_000;
    look(false);
    expect(watch.sinceMs(nowMs)).toBe(nowMs);
  });

  it.each(["few", "name-server"] as const)("believes for an hour in one known by %s", (at) => {
    fallSilent();
    look(false, at);
    const sinceMs = nowMs;
    nowMs += hourMs - 1;
    look(false, at);
    expect([watch.sinceMs(nowMs), watch.isOfFew]).toEqual([sinceMs, at === "few"]);
    nowMs += 1;
    look(false, at);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("goes by the look that told most, whenever that was", () => {
    fallSilent();
    for (const at of ["few", "name-server", "few", "nothing"] as const) look(false, at);
    expect(watch.isOfFew).toBe(false);
  });

  it("takes three hosts for enough", () => {
    expect([0, 1, 2, 3].map(lookedAt)).toEqual(["nothing", "few", "few", "enough"]);
  });

  it("believes for a day in one that began as one of few, and in the next one of few for an hour", () => {
    fallSilent();
    look(false, "few");
    const sinceMs = nowMs;
    nowMs += hourMs;
    look(false);
    look(false, "few");
    expect([watch.sinceMs(nowMs), watch.isOfFew]).toEqual([sinceMs, false]);
    fallSilent();
    look(false, "few");
    expect([watch.sinceMs(nowMs), watch.isOfFew]).toEqual([nowMs, true]);
    expect(watch.sinceMs(nowMs + hourMs)).toBeUndefined();
  });

  it("wants no look for two attempts in vain", () => {
    hearSilences(2);
    expect(watch.wantsLook(nowMs)).toBe(false);
    hearSilences(1);
    expect(watch.wantsLook(nowMs)).toBe(true);
  });

  it("wants no look while there are signs of life", () => {
    watch.hearSign(nowMs);
    hearSilences();
    expect(watch.wantsLook(nowMs + 9_999)).toBe(false);
    expect(watch.wantsLook(nowMs + 10_000)).toBe(true);
    const startedAtMs = nowMs;
    nowMs += 10_000;
    watch.hearSign(nowMs);
    // Those that wait for long end together, amid the answers of others.
    hearSilences(3, startedAtMs);
    expect(watch.wantsLook(nowMs + 10_000)).toBe(false);
  });

  it.each([true, false])(
    "wants a look in half a minute at most, also if one finds somebody: %s",
    (found) => {
      fallSilent();
      look(found);
      hearSilences();
      expect(watch.wantsLook(nowMs + 29_999)).toBe(false);
      expect(watch.wantsLook(nowMs + 30_000)).toBe(true);
    },
  );

  it("is over with the first sign of life", () => {
    goDown();
    watch.hearSign(nowMs);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("is over with the first one that a look finds", () => {
    goDown();
    look(true);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("begins with the first look of several in vain", () => {
    goDown();
    const sinceMs = nowMs;
    nowMs += 60_000;
    look(false);
    expect(watch.sinceMs(nowMs)).toBe(sinceMs);
  });

  it("believes in a sign that is given while it looks", () => {
    fallSilent();
    watch.beginLook(nowMs);
    nowMs += 1;
    watch.hearSign(nowMs);
    watch.hearLook({ at: "enough", isAlive: false }, nowMs);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("believes in no outage that lasts longer than a day", () => {
    goDown();
    const sinceMs = nowMs;
    expect(watch.sinceMs(sinceMs + dayMs - 1)).toBe(sinceMs);
    nowMs = sinceMs + dayMs;
    expect(watch.sinceMs(nowMs)).toBeUndefined();
    look(false);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });
});
