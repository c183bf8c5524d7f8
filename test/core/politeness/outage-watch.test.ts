import { beforeEach, describe, expect, it } from "vitest";
import { OutageWatch } from "../../../src/core/politeness/outage-watch.ts";
import type { FetchFailure } from "../../../src/core/politeness/retry-table.ts";
import type { IpAddress, OriginName } from "../../../src/core/units.ts";

const silent = "connect-timeout";
const dayMs = 86_400_000;

let watch: OutageWatch;
let nowMs: number;

beforeEach(() => {
  watch = new OutageWatch();
  nowMs = 1_000_000;
});

function originOf(name: string): OriginName {
  return `http://${name}.example` as OriginName;
}

function hear(
  name: string,
  failure?: FetchFailure,
  { address = name, startedAtMs = nowMs } = {},
): boolean {
  const place = { origin: originOf(name), address: address as IpAddress };
  return watch.hear(place, { startedAtMs, failure }, nowMs);
}

function answer(...names: readonly string[]): void {
  for (const name of names) hear(name);
}

/** So many attempts in vain, ten seconds after the last sign of life. */
function fallSilent(failure: FetchFailure = silent): void {
  nowMs += 10_000;
  for (const name of ["x", "x", "x"]) hear(name, failure);
}

/** A look, in which nobody or somebody gives a sign of life; who was looked at. */
function look(isAlive: boolean): readonly OriginName[] {
  watch.beginLook(nowMs);
  const origins = watch.takeOrigins();
  watch.hearLook({ origins: origins.length, isAlive }, nowMs);
  return origins;
}

/** Three were well, and nobody is now. */
function goDown(): void {
  answer("a", "b", "c");
  fallSilent();
  look(false);
}

describe("OutageWatch", () => {
  it("tells of an outage where those who answered before give no sign of life", () => {
    answer("a", "b", "c");
    fallSilent();
    expect(watch.wantsLook(nowMs)).toBe(true);
    expect(look(false)).toEqual(["a", "b", "c"].map(originOf));
    expect(watch.sinceMs(nowMs)).toBe(nowMs);
    expect([hear("a", silent), hear("new", silent)]).toEqual([true, true]);
  });

  it("tells of dead hosts where one of those gives it", () => {
    answer("a", "b", "c");
    fallSilent();
    look(true);
    expect([hear("x", silent), hear("a", silent)]).toEqual([false, false]);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("tells of none where fewer than three have ever answered", () => {
    answer("a", "b");
    fallSilent();
    look(false);
    expect(hear("x", silent)).toBe(false);
  });

  it("takes those at one address for one", () => {
    for (const name of ["a", "b", "c"]) hear(name, undefined, { address: "192.0.2.1" });
    expect(watch.knowsEnough).toBe(false);
    watch.learn(["d", "e"].map(originOf));
    expect(watch.knowsEnough).toBe(true);
  });

  it.each(["connect-unreachable", "dns-error", "dns-timeout"] as const)(
    "takes %s for silence",
    (one) => {
      fallSilent(one);
      expect(watch.wantsLook(nowMs)).toBe(true);
    },
  );

  it.each(["connect-refused", "dns-not-found", "connection-reset", "tls-error"] as const)(
    "takes %s for no silence, also in an outage",
    (one) => {
      fallSilent(one);
      expect(watch.wantsLook(nowMs)).toBe(false);
      goDown();
      expect(hear("a", one)).toBe(false);
      expect(watch.sinceMs(nowMs)).toBe(nowMs);
    },
  );

  it("wants none for two attempts in vain", () => {
    for (const name of ["x", "y"]) hear(name, silent);
    expect(watch.wantsLook(nowMs)).toBe(false);
    hear("z", silent);
    expect(watch.wantsLook(nowMs)).toBe(true);
  });

  it("remembers the 500 that answered last", () => {
    const names = Array.from({ length: 501 }, (_, at) => `h${at}`);
    answer(...names);
    const lookedAt = names.flatMap(() => look(false));
    expect(new Set(lookedAt)).toEqual(new Set(names.slice(1).map(originOf)));
  });

  it("wants no look while there are signs of life", () => {
    answer("a", "b", "c");
    const startedAtMs = nowMs;
    nowMs += 9_999;
    for (const name of ["x", "y", "z"]) hear(name, silent);
    expect(watch.wantsLook(nowMs)).toBe(false);
    answer("a");
    nowMs += 10_000;
    // Those that wait for long end together, amid the answers of others.
    for (const name of ["x", "y", "z"]) hear(name, silent, { startedAtMs });
    expect(watch.wantsLook(nowMs)).toBe(false);
  });

  it("wants a look a minute at most, whatever came of the last one", () => {
    for (const isAlive of [false, true]) {
      watch = new OutageWatch();
      answer("a", "b", "c");
      fallSilent();
      look(isAlive);
      nowMs += 59_999;
      for (const name of ["x", "y", "z"]) hear(name, silent);
      expect(watch.wantsLook(nowMs)).toBe(false);
      expect(watch.wantsLook(nowMs + 1)).toBe(true);
    }
  });

  it("looks at others the next time", () => {
    answer("a", "b", "c", "d", "e", "f", "g", "h");
    fallSilent();
    expect(look(false)).toEqual(["d", "e", "f", "g", "h"].map(originOf));
    expect(look(false)).toEqual(["g", "h", "a", "b", "c"].map(originOf));
  });

  it("is over with the first answer of any", () => {
    goDown();
    answer("d");
    expect(watch.sinceMs(nowMs)).toBeUndefined();
    expect(hear("a", silent)).toBe(false);
  });

  it("is over with the first sign of life in a look", () => {
    goDown();
    look(true);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("believes those who answer while it looks", () => {
    answer("a", "b", "c");
    fallSilent();
    watch.beginLook(nowMs);
    nowMs += 1;
    answer("d");
    watch.hearLook({ origins: 3, isAlive: false }, nowMs);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("believes in no outage that lasts longer than a day", () => {
    goDown();
    const sinceMs = nowMs;
    nowMs = sinceMs + dayMs - 1;
    expect(hear("a", silent)).toBe(true);
    nowMs = sinceMs + dayMs;
    expect(hear("a", silent)).toBe(false);
    look(false);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });
});
