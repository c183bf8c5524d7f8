import { beforeEach, describe, expect, it } from "vitest";
import { OutageWatch } from "../../../src/core/politeness/outage-watch.ts";
import type { FetchFailure } from "../../../src/core/politeness/retry-table.ts";
import type { HostName, IpAddress, Millis } from "../../../src/core/units.ts";

let watch: OutageWatch;
let nowMs: Millis;

beforeEach(() => {
  watch = new OutageWatch();
  nowMs = 1_000_000;
});

function hear(
  name: string,
  failure?: FetchFailure,
  { address = name, startedAtMs = nowMs } = {},
): boolean {
  const place = { host: `${name}.example` as HostName, address: address as IpAddress };
  return watch.hear(place, { startedAtMs, failure }, nowMs);
}

function answer(...names: readonly string[]): void {
  for (const name of names) hear(name);
}

const silent = "connect-timeout";

describe("OutageWatch", () => {
  it("tells of an outage when three that were well fall silent and nobody answers", () => {
    answer("a", "b", "c");
    expect(["a", "a", "b", "c", "a", "new"].map((name) => hear(name, silent))).toEqual([
      ...[false, false, false],
      ...[true, true, true],
    ]);
    expect(watch.sinceMs(nowMs)).toBe(nowMs);
  });

  it.each(["connect-unreachable", "dns-error", "dns-timeout"] as const)(
    "takes %s for silence",
    (one) => {
      answer("a", "b", "c");
      expect(["a", "b", "c"].map((name) => hear(name, one))).toEqual([false, false, true]);
    },
  );

  it.each(["connect-refused", "dns-not-found", "connection-reset", "tls-error"] as const)(
    "takes %s for no silence, also in an outage",
    (one) => {
      answer("a", "b", "c");
      expect(["a", "b", "c"].map((name) => hear(name, one))).toEqual([false, false, false]);
      for (const name of ["a", "b", "c"]) hear(name, silent);
      expect(hear("a", one)).toBe(false);
      expect(watch.sinceMs(nowMs)).toBe(nowMs);
    },
  );

  it("is over with the first answer of any", () => {
    answer("a", "b", "c");
    for (const name of ["a", "b", "c"]) hear(name, silent);
    answer("d");
    expect(watch.sinceMs(nowMs)).toBeUndefined();
    expect(["a", "b", "c"].map((name) => hear(name, silent))).toEqual([false, false, true]);
  });

  it("tells of none while others answer", () => {
    answer("a", "b", "c", "d");
    const heard = ["a", "b", "c"].map((name) => {
      answer("d");
      return hear(name, silent);
    });
    expect(heard).toEqual([false, false, false]);
  });

  it("tells of none where others have answered since those were asked that end together", () => {
    answer("a", "b", "c", "d");
    const startedAtMs = nowMs;
    nowMs += 10_000;
    answer("d");
    const heard = ["a", "b", "c"].map((name) => hear(name, silent, { startedAtMs }));
    expect(heard).toEqual([false, false, false]);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });

  it("takes hosts that have never answered, or not lately, for dead", () => {
    answer("a", "b", "old");
    nowMs += 600_001;
    answer("a", "b");
    const names = ["a", "b", "old", "x", "y", "z"];
    expect(names.map((name) => hear(name, silent))).toEqual(names.map(() => false));
  });

  it("knows after an outage who was well before it, and for how long they were", () => {
    answer("a", "b", "c");
    for (const name of ["a", "b", "c"]) hear(name, silent);
    nowMs += 3_600_000;
    answer("d");
    expect(["a", "b", "c"].map((name) => hear(name, silent))).toEqual([false, false, true]);
    answer("d");
    nowMs += 600_001;
    answer("d");
    expect(["a", "b", "c"].map((name) => hear(name, silent))).toEqual([false, false, false]);
  });

  it("takes hosts for dead that were silent for more than a day", () => {
    answer("a", "b", "c");
    for (const name of ["a", "b", "c"]) hear(name, silent);
    nowMs += 86_400_000;
    answer("d");
    expect(["a", "b", "c"].map((name) => hear(name, silent))).toEqual([false, false, false]);
  });

  it("takes hosts at one address for one", () => {
    for (const name of ["a", "b", "c"]) hear(name, undefined, { address: "192.0.2.1" });
    const heard = ["a", "b", "c"].map((name) => hear(name, silent, { address: "192.0.2.1" }));
    expect(heard).toEqual([false, false, false]);
  });

  it("knows hosts by the addresses that they had while it knew them", () => {
    answer("a", "b", "c");
    const heard = ["a", "b", "c"].map((name) => hear(name, "dns-error", { address: "unresolved" }));
    expect(heard).toEqual([false, false, true]);
  });

  it("believes in no outage that lasts longer than a day", () => {
    answer("a", "b", "c");
    for (const name of ["a", "b", "c"]) hear(name, silent);
    nowMs += 86_399_999;
    expect(hear("a", silent)).toBe(true);
    nowMs += 1;
    expect(hear("a", silent)).toBe(false);
    expect(watch.sinceMs(nowMs)).toBeUndefined();
  });
});
