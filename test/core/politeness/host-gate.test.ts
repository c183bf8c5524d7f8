import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import type { FetchVerdict } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { HostRecord } from "../../../src/core/record/record.pb.ts";

const options = defaultPolitenessOptions;
const delayMs = 1_000;

function verdict(kind: FetchVerdict["kind"], atMs: number, tookMs = 0): FetchVerdict {
  return { kind, startedAtMs: atMs - tookMs, finishedAtMs: atMs };
}

/** A gate after `count` failures in a row, each as soon as it may be, and when the last one was. */
function failedGate(count: number): { gate: HostGate; atMs: number } {
  const gate = new HostGate({ ...options, breaker: { ...options.breaker, errorShare: 1 } });
  let atMs = 0;
  for (let failure = 0; failure < count; failure += 1) {
    atMs = Math.max(atMs, gate.nextFetchAtMs);
    gate.record(verdict("failed", atMs), 0);
  }
  return { gate, atMs };
}

describe("the politeness clock", () => {
  it("lets a new host in at once", () => {
    const gate = new HostGate(options);
    expect(gate.nextFetchAtMs).toBe(0);
    expect(gate.hold(0)).toBeUndefined();
  });

  it("goes on from the latest of its clocks where no other one was kept", () => {
    const kept = { nextFetchAtMs: 5_000, failuresInRow: 0, breakerBuckets: [] };
    expect(new HostGate(options, kept).nextFetchAtMs).toBe(5_000);
    expect(new HostGate(options, { ...kept, politeUntilMs: 3_000 }).nextFetchAtMs).toBe(3_000);
  });

  it("counts the delay from the response's head", () => {
    const gate = new HostGate({ ...options, adaptiveFactor: 0 });
    gate.record(
      { kind: "ok", startedAtMs: 10_000, headAtMs: 10_040, finishedAtMs: 12_000 },
      delayMs,
    );
    expect(gate.nextFetchAtMs).toBe(11_040);
  });

  it("counts the delay from the end where no head came", () => {
    const gate = new HostGate({ ...options, adaptiveFactor: 0 });
    gate.record({ kind: "neutral", startedAtMs: 10_000, finishedAtMs: 12_000 }, delayMs);
    expect(gate.nextFetchAtMs).toBe(13_000);
  });

  it("lets a slow host rest for as long as its answer took", () => {
    const gate = new HostGate({ ...options, adaptiveFactor: 2 });
    gate.record(
      { kind: "ok", startedAtMs: 10_000, headAtMs: 10_040, finishedAtMs: 13_000 },
      delayMs,
    );
    expect(gate.nextFetchAtMs).toBe(19_000);
    expect(gate.hold(18_999)).toBe("politeness");
    expect(gate.hold(19_000)).toBeUndefined();
  });

  it("does not wait at all with a delay of 0", () => {
    const gate = new HostGate(options);
    gate.opened(10_000, 0);
    gate.record({ kind: "ok", startedAtMs: 10_000, headAtMs: 10_040, finishedAtMs: 13_000 }, 0);
    expect(gate.hold(13_000)).toBeUndefined();
  });

  it("is not opened by what is heard later of an earlier request", () => {
    const gate = new HostGate(options);
    gate.opened(10_000, 5 * delayMs);
    gate.opened(9_000, delayMs);
    expect(gate.nextFetchAtMs).toBe(15_000);
  });

  it("holds as it was kept, also where only the latest of all clocks was", () => {
    const gate = new HostGate(options, {
      nextFetchAtMs: 15_000,
      failuresInRow: 0,
      breakerBuckets: [],
    });
    expect(gate.hold(14_999)).toBe("politeness");
    expect(gate.hold(15_000)).toBeUndefined();
  });

  it("is armed by a request's start, for hosts that allow several at a time", () => {
    const gate = new HostGate(options);
    gate.opened(10_000, delayMs);
    expect(gate.nextFetchAtMs).toBe(11_000);
  });
});

describe("the backoff clock", () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [10, 512_000],
    [11, 600_000],
    [49, 600_000],
  ])("after failure %i in a row rests %i ms", (failures, restMs) => {
    const { gate, atMs } = failedGate(failures);
    expect(gate.nextFetchAtMs - atMs).toBe(restMs);
    expect(gate.hold(atMs)).toBe("backoff");
  });

  it("is the reason too where the rest for a failure that took long outlasts it", () => {
    const gate = new HostGate({ ...options, adaptiveFactor: 1 });
    gate.record(verdict("failed", 20_000, 15_000), delayMs);
    expect(gate.nextFetchAtMs).toBe(35_000);
    expect(gate.hold(34_999)).toBe("backoff");
    expect(new HostGate(options, gate.snapshot()).hold(34_999)).toBe("backoff");
    gate.release();
    expect(gate.hold(34_999)).toBe("politeness");
  });

  it("starts anew after a success", () => {
    const { gate, atMs } = failedGate(5);
    const laterMs = atMs + 1_000_000;
    gate.record(verdict("ok", laterMs), 0);
    gate.record(verdict("failed", laterMs), 0);
    expect(gate.nextFetchAtMs).toBe(laterMs + 1_000);
  });

  it("is not moved by what says nothing of the host", () => {
    const { gate, atMs } = failedGate(5);
    const laterMs = atMs + 1_000_000;
    gate.record(verdict("neutral", laterMs), 0);
    expect(gate.snapshot().failuresInRow).toBe(5);
    gate.record(verdict("failed", laterMs), 0);
    expect(gate.nextFetchAtMs).toBe(laterMs + 32_000);
  });

  it("is lengthened by the jitter it is given", () => {
    const gate = new HostGate(options);
    gate.record(verdict("failed", 0), 0, 0.5);
    expect(gate.nextFetchAtMs).toBe(1_250);
  });

  it("heeds Retry-After up to a day", () => {
    const gate = new HostGate(options);
    gate.record({ ...verdict("overloaded", 0), retryAfterMs: 120_000 }, 0);
    expect(gate.nextFetchAtMs).toBe(120_000);
    gate.record({ ...verdict("overloaded", 120_000), retryAfterMs: 9e12 }, 0);
    expect(gate.nextFetchAtMs).toBe(120_000 + 86_400_000);
  });

  it("does not let a short Retry-After shorten the backoff", () => {
    const { gate, atMs } = failedGate(5);
    const laterMs = atMs + 1_000_000;
    gate.record({ ...verdict("overloaded", laterMs), retryAfterMs: 1 }, 0);
    expect(gate.nextFetchAtMs).toBe(laterMs + 32_000);
  });
});

describe("a rest that robots.txt asks for", () => {
  it("does not shorten that which a failure has asked for", () => {
    const gate = new HostGate(options);
    gate.record({ ...verdict("overloaded", 1_000), retryAfterMs: 60_000 }, 0);
    gate.restUntil(30_000);
    expect(gate.nextFetchAtMs).toBe(61_000);
    gate.restUntil(90_000);
    expect(gate.nextFetchAtMs).toBe(90_000);
    expect(gate.hold(89_999)).toBe("backoff");
  });

  it("is the reason also where no request has failed", () => {
    const gate = new HostGate(options);
    gate.record(verdict("ok", 1_000), delayMs);
    gate.restUntil(30_000);
    expect(gate.hold(29_999)).toBe("backoff");
  });

  it("can be ended sooner, but for the delay and for what is longer", () => {
    const gate = new HostGate(options);
    gate.record(verdict("ok", 1_000), 5_000);
    gate.restUntil(30_000);
    gate.shortenRest(30_000, 40_000);
    expect(gate.nextFetchAtMs).toBe(30_000);
    gate.shortenRest(30_000, 20_000);
    expect(gate.nextFetchAtMs).toBe(20_000);
    gate.shortenRest(20_000, 2_000);
    expect(gate.nextFetchAtMs).toBe(6_000);
    gate.restUntil(30_000);
    gate.record({ ...verdict("overloaded", 1_000), retryAfterMs: 60_000 }, 0);
    gate.shortenRest(30_000, 20_000);
    expect(gate.nextFetchAtMs).toBe(61_000);
  });
});

describe("the memory of failures", () => {
  it("lasts beyond a good answer while they are within the breaker's window", () => {
    const gate = new HostGate(options);
    expect(gate.hasFailures).toBe(false);
    gate.record(verdict("failed", 1_000), 0);
    gate.record(verdict("ok", 2_000), 0);
    expect(gate.hasFailures).toBe(true);
    gate.record(verdict("ok", 2_000 + options.breaker.windowMs), 0);
    expect(gate.hasFailures).toBe(false);
  });

  it("lasts through the breaker's pause, with which the window is forgotten", () => {
    const gate = new HostGate(options);
    for (let request = 0; request < options.breaker.samplesMin; request += 1)
      gate.record(verdict("failed", 1_000), 0);
    expect(gate.snapshot().breakerBuckets).toEqual([]);
    expect(gate.hasFailures).toBe(true);
  });
});

describe("the breaker's pause", () => {
  it("closes the gate, says so, and is told to the operator", () => {
    const gate = new HostGate(options);
    for (let request = 0; request < 16; request += 1) gate.record(verdict("ok", 10_000), 0);
    gate.record(verdict("overloaded", 10_000), 0);
    gate.record(verdict("ok", 10_000), 0);
    expect(gate.record(verdict("failed", 20_000), 0)).toEqual({
      kind: "breaker-opened",
      untilMs: 80_000,
      errorShare: 2 / 19,
    });
    expect(gate.hold(79_999)).toBe("breaker");
    expect(gate.hold(80_000)).toBeUndefined();
    gate.release();
    expect(gate.hold(20_000)).toBeUndefined();
  });
});

describe("requests that end at the same time", () => {
  it("do not shorten one another's delay", () => {
    const gate = new HostGate(options);
    gate.record(verdict("ok", 0), 30_000);
    gate.record(verdict("ok", 0), 0);
    expect(gate.nextFetchAtMs).toBe(30_000);
  });

  it("do not shorten one another's backoff", () => {
    const gate = new HostGate(options);
    gate.record({ ...verdict("overloaded", 0), retryAfterMs: 60_000 }, 0);
    gate.record(verdict("failed", 0), 0);
    expect(gate.nextFetchAtMs).toBe(60_000);
  });
});

describe("the halt", () => {
  it("comes with the fiftieth failure in a row and lasts a day", () => {
    const { gate } = failedGate(49);
    const atMs = gate.nextFetchAtMs;
    expect(gate.record(verdict("failed", atMs), 0)).toEqual({
      kind: "halted",
      untilMs: atMs + 86_400_000,
      failuresInRow: 50,
    });
    expect(gate.hold(atMs + 86_399_999)).toBe("halted");
    expect(gate.hold(atMs + 86_400_000)).toBeUndefined();
  });

  it("is not announced again by requests that were open when it came", () => {
    const { gate, atMs } = failedGate(50);
    expect(gate.record(verdict("failed", atMs + 5), 0)).toBeUndefined();
    expect(gate.record(verdict("ok", atMs + 6), 0)).toBeUndefined();
    expect(gate.hold(atMs + 7)).toBe("halted");
  });

  it("is told, and can be lifted, though a request that was open when it came makes the backoff end later", () => {
    const { gate, atMs } = failedGate(50);
    gate.record({ ...verdict("overloaded", atMs + 5), retryAfterMs: 86_400_000 }, 0);
    expect(gate.nextFetchAtMs).toBe(atMs + 5 + 86_400_000);
    expect(gate.hold(atMs + 7)).toBe("halted");
    expect(gate.hold(atMs + 86_400_000)).toBe("backoff");
    gate.release();
    expect(gate.hold(atMs + 7)).toBeUndefined();
  });

  it("comes back with the first failure after it has run out", () => {
    const { gate } = failedGate(50);
    expect(gate.record(verdict("failed", gate.nextFetchAtMs), 0)).toMatchObject({ kind: "halted" });
  });

  it("ends when the operator lets the host back, with its failures forgotten", () => {
    const { gate, atMs } = failedGate(50);
    gate.release();
    expect(gate.hold(atMs)).toBeUndefined();
    expect(gate.record(verdict("failed", atMs), 0)).toBeUndefined();
    expect(gate.nextFetchAtMs).toBe(atMs + 1_000);
  });

  it("leaves the politeness delay standing when it is lifted, after a restart too", () => {
    const { gate, atMs } = failedGate(49);
    const lastMs = atMs + 1_000_000;
    gate.record(verdict("failed", lastMs), delayMs);
    for (const halted of [new HostGate(options, gate.snapshot()), gate]) {
      halted.release();
      expect(halted.nextFetchAtMs).toBe(lastMs + delayMs);
      expect(halted.hold(lastMs)).toBe("politeness");
    }
  });
});

/** A request: how long after the gate opened it starts, how it goes, and how long head and end take. */
const request = fc.record({
  waitMs: fc.nat(100_000),
  kind: fc.constantFrom("ok", "ok", "ok", "failed", "overloaded", "neutral"),
  headMs: fc.option(fc.nat(5_000), { nil: undefined }),
  tookMs: fc.nat(60_000),
  delayMs: fc.constantFrom(0, 100, 1_000, 30_000),
  retryAfterMs: fc.option(fc.nat(1_000_000), { nil: undefined }),
  jitter: fc.double({ min: 0, max: 0.99, noNaN: true }),
});
type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** Requests are minutes apart here, and few. */
const breaker = { ...options.breaker, samplesMin: 4, windowMs: 3_600_000 };
const quickToClose = { ...options, haltFailuresInRow: 4, breaker };

const requestList = fc.array(request, { maxLength: 40, size: "max" });

/** Makes the request as soon as the gate lets it, and returns when it started. */
function perform(gate: HostGate, nowMs: number, made: Request): number {
  const startedAtMs = Math.max(nowMs, gate.nextFetchAtMs) + made.waitMs;
  gate.opened(startedAtMs, made.delayMs);
  const headMs = made.headMs === undefined ? undefined : Math.min(made.headMs, made.tookMs);
  gate.record(
    {
      kind: made.kind,
      startedAtMs,
      ...(headMs !== undefined && { headAtMs: startedAtMs + headMs }),
      finishedAtMs: startedAtMs + made.tookMs,
      ...(made.retryAfterMs !== undefined && { retryAfterMs: made.retryAfterMs }),
    },
    made.delayMs,
    made.jitter,
  );
  return startedAtMs + made.tookMs;
}

describe("HostGate", () => {
  it("never moves backwards, and never opens before the delay, the rest and Retry-After are over", () => {
    fc.assert(
      fc.property(requestList, (requests) => {
        const gate = new HostGate(quickToClose);
        let nowMs = 0;
        for (const made of requests) {
          const beforeMs = gate.nextFetchAtMs;
          nowMs = perform(gate, nowMs, made);
          expect(gate.nextFetchAtMs).toBeGreaterThanOrEqual(beforeMs);
          const seenAtMs = nowMs - made.tookMs + Math.min(made.headMs ?? made.tookMs, made.tookMs);
          expect(gate.nextFetchAtMs).toBeGreaterThanOrEqual(seenAtMs + made.delayMs);
          if (made.delayMs > 0) {
            expect(gate.nextFetchAtMs).toBeGreaterThanOrEqual(nowMs + made.tookMs);
          }
          if (made.kind === "failed" || made.kind === "overloaded") {
            const restMs = Math.max(made.retryAfterMs ?? 0, options.backoffBaseMs);
            expect(gate.nextFetchAtMs).toBeGreaterThanOrEqual(nowMs + restMs);
          }
          expect(gate.hold(gate.nextFetchAtMs)).toBeUndefined();
          if (gate.nextFetchAtMs > 0) expect(gate.hold(gate.nextFetchAtMs - 1)).toBeDefined();
        }
      }),
    );
  });

  it("behaves the same when it is restored from the database before each request", () => {
    fc.assert(
      fc.property(requestList, fc.nat(40), (requests, releasedAt) => {
        const gate = new HostGate(quickToClose);
        let restored = new HostGate(quickToClose);
        let nowMs = 0;
        for (const [at, made] of requests.entries()) {
          const row = HostRecord.encode({ host: "a.test", jobs: [], ...restored.snapshot() });
          restored = new HostGate(quickToClose, HostRecord.decode(row));
          if (at === releasedAt) for (const released of [gate, restored]) released.release();
          expect(restored.hold(nowMs)).toBe(gate.hold(nowMs));
          const endMs = perform(gate, nowMs, made);
          expect(perform(restored, nowMs, made)).toBe(endMs);
          expect(restored.snapshot()).toEqual(gate.snapshot());
          nowMs = endMs;
        }
      }),
    );
  });
});
