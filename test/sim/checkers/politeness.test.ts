import { describe, expect, it } from "vitest";
import type { SeenHit } from "../../../sim/checkers/checker.ts";
import { Chronicle } from "../../../sim/checkers/chronicle.ts";
import { PageLedger } from "../../../sim/checkers/page-ledger.ts";
import { Politeness } from "../../../sim/checkers/politeness.ts";
import { Findings } from "../../../sim/checkers/violation.ts";
import { planOf } from "../../../sim/scenarios/scenarios.ts";
import { peerFactory } from "../../../sim/world/peer-factory.ts";
import { World } from "../../../sim/world/world.ts";
import type { Millis } from "../../../src/core/units.ts";

const jobDelayMs = 1_000;
const crawlDelaySeconds = 8;
const robots = {
  robotsMissingShare: 0,
  robotsFailingShare: 0,
  crawlDelayShare: 1,
  crawlDelaySeconds,
};
const sampleWeb = { sites: 2, totalPages: 10, ...robots };

/** A swarm of three members with two copies of everything, whose requests to one host are made up. */
class Audit {
  readonly #findings = new Findings();
  readonly #politeness: Politeness;
  readonly #chronicle: Chronicle;
  readonly #host: string;
  #nowMs: Millis = 0;

  constructor() {
    const world = new World(peerFactory(), { sampleWeb });
    const plan = planOf("churn", { seed: 1, peers: 3, sites: 2, pages: 10 });
    const settings = { ...plan.settings, jobDelayMs, clockDriftMaxPpm: 0, replicas: 2 };
    this.#host = world.sampleWeb.names.hostName({ site: 0, label: 0 });
    this.#chronicle = new Chronicle(() => this.#nowMs, settings.replicas);
    for (const machine of [0, 1, 2]) this.#chronicle.started(machine, 1);
    this.#politeness = new Politeness({
      plan: { ...plan, settings },
      world,
      chronicle: this.#chronicle,
      findings: this.#findings,
      pages: new PageLedger(0),
      startedAtMs: 0,
    });
  }

  readRobots(machine: number, atMs: Millis): void {
    const hit: SeenHit = {
      ...{ machine, peer: `peer-${machine}`, generation: 1 },
      ...{ sentAtMs: atMs - 10, atMs, endMs: atMs + 5 },
      ...{ host: this.#host, address: "127.1.0.1", url: `http://${this.#host}/robots.txt` },
      ...{ status: 200, isRobots: true, page: -1, bytes: 100 },
    };
    this.#nowMs = atMs;
    this.#politeness.onHit(hit);
  }

  stop(machine: number, atMs: Millis, how: "kill" | "stop" = "stop"): void {
    this.#nowMs = atMs;
    this.#chronicle.ended(machine, how);
  }

  get violations(): number {
    return this.#findings.total;
  }
}

describe("the audit of politeness", () => {
  it("expects a Crawl-delay of a member that has never read it, while one that has a copy runs", () => {
    const audit = new Audit();
    audit.readRobots(0, 5_000);
    audit.stop(0, 5_500);
    audit.readRobots(2, 5_000 + 2 * jobDelayMs);
    expect(audit.violations).toBe(1);
    audit.readRobots(2, 5_000 + 2 * jobDelayMs + 1_000 * crawlDelaySeconds);
    expect(audit.violations).toBe(1);
  });

  it("expects no Crawl-delay that nobody has lived to tell of", () => {
    const audit = new Audit();
    audit.readRobots(0, 5_000);
    audit.stop(0, 5_003, "kill");
    audit.readRobots(2, 5_000 + 2 * jobDelayMs);
    expect(audit.violations).toBe(0);
    audit.readRobots(2, 5_000 + 4 * jobDelayMs);
    expect(audit.violations).toBe(1);
  });

  it.each([
    { gapMs: jobDelayMs, violations: 0 },
    { gapMs: jobDelayMs / 2, violations: 1 },
  ])(
    "expects the job's delay, and no more, where all who may have read more had gone: $gapMs ms",
    ({ gapMs, violations }) => {
      const audit = new Audit();
      audit.readRobots(0, 5_000);
      audit.stop(1, 5_400);
      audit.stop(0, 5_500);
      audit.readRobots(2, 5_000 + gapMs);
      expect(audit.violations).toBe(violations);
    },
  );
});
