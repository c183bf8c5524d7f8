import { describe, expect, it } from "vitest";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { retryPlan, verdictKindOf } from "../../../src/core/politeness/retry-table.ts";
import type { AttemptOutcome } from "../../../src/core/politeness/retry-table.ts";

const generous = { attemptsMax: 1_000 };

/** Requests that are made when each one ends with `outcome`. */
function attemptsMade(outcome: AttemptOutcome, attemptsMax = generous.attemptsMax): number {
  let attempts = 1;
  while (attempts < 10_000 && retryPlan(outcome, attempts, { attemptsMax }).retry) attempts += 1;
  return attempts;
}

describe("the retry table", () => {
  it.each([
    ["address-forbidden", 2, "neutral"],
    ["bad-encoding", 1, "ok"],
    ["bad-framing", 2, "neutral"],
    ["connect-refused", 8, "failed"],
    ["connect-timeout", 8, "failed"],
    ["connect-unreachable", 8, "failed"],
    ["connection-reset", 3, "failed"],
    ["connection-stale", 3, "neutral"],
    ["content-length-mismatch", 2, "ok"],
    ["decompression-bomb", 1, "ok"],
    ["dns-error", 8, "failed"],
    ["dns-not-found", 2, "failed"],
    ["dns-timeout", 8, "failed"],
    ["head-timeout", 3, "failed"],
    ["head-too-large", 1, "ok"],
    ["idle-timeout", 3, "failed"],
    ["tls-error", 2, "failed"],
    ["total-timeout", 2, "failed"],
  ] as const)(
    "asks again after %s up to %i times and calls the host %s",
    (failure, attempts, verdict) => {
      expect(attemptsMade({ failure })).toBe(attempts);
      expect(verdictKindOf({ failure })).toBe(verdict);
    },
  );

  it.each([
    [200, 1, "ok"],
    [301, 1, "ok"],
    [304, 1, "ok"],
    [404, 1, "ok"],
    [408, 3, "failed"],
    [410, 1, "ok"],
    [425, 2, "ok"],
    [429, 5, "overloaded"],
    [500, 3, "failed"],
    [501, 1, "ok"],
    [502, 3, "failed"],
    [503, 5, "overloaded"],
    [504, 3, "failed"],
    [505, 1, "ok"],
    [522, 3, "failed"],
    [999, 1, "ok"],
  ] as const)(
    "asks again after status %i up to %i times and calls the host %s",
    (status, attempts, verdict) => {
      expect(attemptsMade({ status })).toBe(attempts);
      expect(verdictKindOf({ status })).toBe(verdict);
    },
  );

  it("keeps a URL whose request was aborted, however often, and does not judge the host", () => {
    expect(retryPlan({ failure: "aborted" }, 1_000, { attemptsMax: 1 })).toEqual({ retry: true });
    expect(verdictKindOf({ failure: "aborted" })).toBe("neutral");
  });

  it("rides out two minutes in which no server sees a request", () => {
    const gate = new HostGate(defaultPolitenessOptions);
    let attempts = 1;
    let atMs = 0;
    while (retryPlan({ failure: "dns-timeout" }, attempts, defaultPolitenessOptions).retry) {
      gate.record({ kind: "failed", startedAtMs: atMs, finishedAtMs: atMs }, 1_000);
      atMs = gate.nextFetchAtMs;
      attempts += 1;
    }
    expect({ attempts, atMs }).toEqual({ attempts: 8, atMs: 127_000 });
  });

  it("never asks more often than the options allow", () => {
    expect(attemptsMade({ status: 503 }, 2)).toBe(2);
    expect(attemptsMade({ failure: "connection-reset" }, 1)).toBe(1);
  });
});
