import { describe, expect, it } from "vitest";
import { isGivenUp, robotsVerdict } from "../../../src/core/robots/robots-policy.ts";

const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const refused = { kind: "unreachable" } as const;

describe("robotsVerdict", () => {
  it.each([200, 204, 206])("uses the rules of a %i answer for a day", (status) => {
    expect(robotsVerdict({ kind: "response", status })).toEqual({
      verdict: "rules",
      stale: false,
      ttlMs: dayMs,
    });
  });

  it.each([300, 301, 304, 400, 401, 403, 404, 410, 451, 499])(
    "allows all after a final %i",
    (status) => {
      expect(robotsVerdict({ kind: "response", status })).toEqual({
        verdict: "allow-all",
        stale: false,
        ttlMs: dayMs,
      });
    },
  );

  it("allows all after too many redirects", () => {
    const allowed = { verdict: "allow-all", stale: false };
    expect(robotsVerdict({ kind: "redirect-limit" })).toMatchObject(allowed);
  });

  it.each([100, 429, 500, 503, 599, 600])(
    "disallows all after a %i, and asks again soon",
    (status) => {
      expect(robotsVerdict({ kind: "response", status })).toEqual({
        verdict: "disallow-all",
        stale: false,
        ttlMs: 2 * secondMs,
      });
    },
  );

  it("takes an answer that broke off for none, until it breaks off again and again", () => {
    const cut = { kind: "response", status: 200, isCut: true } as const;
    const verdicts = [0, 1, 2, 9].map((cutsInRow) =>
      robotsVerdict(cut, { failuresInRow: 9, cutsInRow }),
    );
    expect(verdicts.map(({ verdict }) => verdict)).toEqual([
      "disallow-all",
      "disallow-all",
      "rules",
      "rules",
    ]);
    for (const status of [300, 404]) {
      expect(robotsVerdict({ ...cut, status }).verdict).toBe("allow-all");
    }
  });

  it("waits longer after each failure, up to an hour", () => {
    const copy = { verdict: "rules", ageMs: 0 } as const;
    const waits = [0, 1, 2, 5, 6, 2_000].map(
      (failuresInRow) => robotsVerdict(refused, { failuresInRow, copy }).ttlMs,
    );
    expect(waits).toEqual([1, 2, 4, 32, 60, 60].map((minutes) => minutes * minuteMs));
  });

  it("gives an origin without a copy up after two minutes", () => {
    const waits = [0, 1, 2, 3, 4, 5].map(
      (failuresInRow) => robotsVerdict(refused, { failuresInRow }).ttlMs,
    );
    expect(waits).toEqual([2, 4, 8, 16, 32, 64].map((seconds) => seconds * secondMs));
    expect([6, 7, 8].map((failuresInRow) => isGivenUp({ failuresInRow }))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it.each([
    "dns-not-found",
    "tls-error",
    "certificate-expired",
    "certificate-name",
    "certificate-untrusted",
    "address-forbidden",
  ] as const)("gives an origin up sooner after %s", (failure) => {
    const waits = [0, 1, 2].map((failuresInRow) => robotsVerdict(refused, { failuresInRow }).ttlMs);
    expect(waits).toEqual([2 * secondMs, 4 * secondMs, 8 * secondMs]);
    expect(isGivenUp({ failuresInRow: 2, failure })).toBe(false);
    expect(isGivenUp({ failuresInRow: 3, failure })).toBe(true);
  });

  it("does not give an origin up sooner after a failure that may pass", () => {
    expect(isGivenUp({ failuresInRow: 6, failure: "connect-refused" })).toBe(false);
    expect(isGivenUp({ failuresInRow: 7, failure: "connect-refused" })).toBe(true);
  });

  it.each([
    [secondMs, 2 * secondMs],
    [10 * minuteMs, 10 * minuteMs],
    [2 * dayMs, dayMs],
  ])("after a Retry-After of %i ms waits %i", (retryAfterMs, ttlMs) => {
    const outcome = { kind: "response", status: 503, retryAfterMs } as const;
    expect(robotsVerdict(outcome).ttlMs).toBe(ttlMs);
  });

  it("goes on with an old copy while the origin is unreachable, for 30 days", () => {
    for (const verdict of ["rules", "allow-all"] as const) {
      const at = (ageMs: number) =>
        robotsVerdict(refused, { failuresInRow: 0, copy: { verdict, ageMs } });
      expect(at(30 * dayMs)).toEqual({ verdict, stale: true, ttlMs: minuteMs });
      expect(at(30 * dayMs + 1)).toEqual({
        verdict: "disallow-all",
        stale: false,
        ttlMs: 2 * secondMs,
      });
    }
  });

  it("does not ask the copy where there is a new answer", () => {
    const history = { failuresInRow: 3, copy: { verdict: "rules", ageMs: 0 } } as const;
    expect(robotsVerdict({ kind: "response", status: 404 }, history)).toEqual({
      verdict: "allow-all",
      stale: false,
      ttlMs: dayMs,
    });
  });

  it.each([
    ["max-age=3600", hourMs],
    ["public, Max-Age=3600, must-revalidate", hourMs],
    ['max-age="3600"', hourMs],
    ["max-age=99999999", dayMs],
    ["max-age=0", 5 * minuteMs],
    ["no-store", 5 * minuteMs],
    ["No-Cache, max-age=3600", 5 * minuteMs],
    ["s-maxage=3600", dayMs],
    ["x-max-age=3600", dayMs],
    ["max-age=3600.5", dayMs],
    ["max-age=-1", dayMs],
    ["", dayMs],
  ])("keeps an answer with Cache-Control %j for %i ms", (cacheControl, ttlMs) => {
    expect(robotsVerdict({ kind: "response", status: 200, cacheControl }).ttlMs).toBe(ttlMs);
    expect(robotsVerdict({ kind: "response", status: 404, cacheControl }).ttlMs).toBe(ttlMs);
  });
});
