import { describe, expect, it } from "vitest";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { isAskedAgain, isUnseen, verdictKindOf } from "../../../src/core/politeness/retry-table.ts";
import type { AttemptOutcome, Attempts } from "../../../src/core/politeness/retry-table.ts";

const untried: Attempts = { attempts: 0, unseen: 0 };

/** What has been tried when these attempts come after those `before`. */
function after(outcomes: readonly AttemptOutcome[], before: Attempts = untried): Attempts {
  const unseen = outcomes.filter(isUnseen).length;
  return { attempts: before.attempts + outcomes.length, unseen: before.unseen + unseen };
}

/** Requests that are made when each one from then on ends with `outcome`. */
function attemptsMade(outcome: AttemptOutcome, before = untried): number {
  let made = 1;
  let tried = before;
  while (made < 10_000 && isAskedAgain(outcome, tried)) {
    tried = after([outcome], tried);
    made += 1;
  }
  return made;
}

describe("the retry table", () => {
  it.each([
    ["address-forbidden", 2, "neutral"],
    ["bad-encoding", 1, "ok"],
    ["bad-framing", 2, "neutral"],
    ["certificate-expired", 2, "failed"],
    ["certificate-name", 2, "failed"],
    ["certificate-untrusted", 2, "failed"],
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
    [599, 3, "failed"],
    [600, 1, "ok"],
    [999, 1, "ok"],
  ] as const)(
    "asks again after status %i up to %i times and calls the host %s",
    (status, attempts, verdict) => {
      expect(attemptsMade({ status })).toBe(attempts);
      expect(verdictKindOf({ status })).toBe(verdict);
    },
  );

  it("tells what no server saw from what one did", () => {
    expect(isUnseen({ failure: "connect-timeout" })).toBe(true);
    expect(isUnseen({ failure: "head-timeout" })).toBe(false);
    expect(isUnseen({ status: 500 })).toBe(false);
  });

  it("keeps a URL whose request was aborted, however often, and does not judge the host", () => {
    const before = { attempts: 1_000, unseen: 0 };
    expect(isAskedAgain({ failure: "aborted" }, before)).toBe(true);
    expect(verdictKindOf({ failure: "aborted" })).toBe("neutral");
  });

  it("rides out two minutes in which no server sees a request", () => {
    const gate = new HostGate(defaultPolitenessOptions);
    const outcome = { failure: "dns-timeout" } as const;
    let tried = untried;
    let atMs = 0;
    while (isAskedAgain(outcome, tried)) {
      gate.record({ kind: "failed", startedAtMs: atMs, finishedAtMs: atMs }, 1_000);
      atMs = gate.nextFetchAtMs;
      tried = after([outcome], tried);
    }
    expect({ attempts: tried.attempts + 1, atMs }).toEqual({ attempts: 8, atMs: 127_000 });
  });

  const outage = Array<AttemptOutcome>(7).fill({ failure: "dns-timeout" });
  const errors = Array<AttemptOutcome>(2).fill({ status: 500 });

  it("grants all attempts at a server to a URL whose server was out of reach before", () => {
    expect(attemptsMade({ status: 500 }, after(outage))).toBe(3);
    expect(attemptsMade({ status: 503 }, after(outage))).toBe(5);
    expect(attemptsMade({ failure: "connect-timeout" }, after(errors))).toBe(8);
  });

  it("counts all attempts of a kind, however they ended", () => {
    expect(attemptsMade({ failure: "connection-reset" }, after(errors))).toBe(1);
    expect(attemptsMade({ failure: "connect-refused" }, after(outage))).toBe(1);
    expect(attemptsMade({ status: 500 }, after([...errors, ...outage]))).toBe(1);
  });
});
