import { describe, expect, it } from "vitest";
import type { CheckerName } from "../../../sim/checkers/violation.ts";
import type { RunReport } from "../../../sim/report/run-log.ts";
import {
  defaultSampleWebOptions,
  type SampleWebOptions,
} from "../../../sim/sample-web/sample-web-options.ts";
import type {
  Plan,
  PlannedFault,
  RunSettings,
  SimulationSize,
} from "../../../sim/scenarios/plan.ts";
import { planOf, type ScenarioName } from "../../../sim/scenarios/scenarios.ts";
import type { Tampering } from "../../../sim/scenarios/virtual-swarm.ts";
import { Simulation } from "../../../sim/simulate.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import { decodeActivityReply, encodeActivityReply } from "../../../src/core/messages/activity.ts";
import {
  decodeWhoHoldsReply,
  encodeAnswer,
  encodeWhoHoldsReply,
} from "../../../src/core/messages/holding.ts";
import {
  decodeListQuestion,
  decodeListReply,
  encodeListReply,
} from "../../../src/core/messages/list-message.ts";
import { nameOfKey } from "../../../src/core/record/named-keys.ts";
import { tagOf } from "../../../src/core/record/key-tags.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { Archive } from "../../../src/ports/archive.ts";
import type { FetchOutcome } from "../../../src/ports/fetcher.ts";
import type { OverlayOutcome, OverlayRequest } from "../../../src/ports/overlay.ts";
import type { StoreOp } from "../../../src/ports/store.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import {
  archiveWith,
  fetching,
  keepingStatesBack,
  losing,
  reply,
  sendingOf,
  storeWith,
  withoutRows,
  writing,
  type Send,
} from "./tampering.ts";

const size = { seed: 1, peers: 4, sites: 15, pages: 120 };
/**
 * Broken runs need not be waited for as long as sound ones, but for origins whose robots.txt fails, which are given up after
 * two minutes.
 */
const patience = { convergeWithinMs: 15_000, finishWithinMs: 150_000 };
/** Of a run that never ends: where nothing is broken, it is over by then. */
const shortPatience = { finishWithinMs: 60_000 };

async function broken(
  scenario: ScenarioName,
  tampering: Tampering,
  change: Partial<Plan> = {},
  sized: Partial<SimulationSize> = {},
): Promise<RunReport> {
  const plan = { ...planOf(scenario, { ...size, ...sized }), ...patience, ...change };
  return new Simulation(plan, { tampering }).run();
}

/** Settings of a steady run, but for what is said of its web here. */
function settingsWith(
  web: Partial<SampleWebOptions>,
  shares: Partial<SampleWebOptions["shares"]> = {},
): RunSettings {
  const { settings } = planOf("steady", size);
  const { sampleWeb } = settings;
  const drawn = sampleWeb.shares ?? defaultSampleWebOptions.shares;
  return { ...settings, sampleWeb: { ...sampleWeb, ...web, shares: { ...drawn, ...shares } } };
}

function expectCaught(report: RunReport, ...names: CheckerName[]): void {
  const found = names.filter((name) => report.violationCounts.has(name));
  expect(found, JSON.stringify([...report.violationCounts])).toEqual(names);
}

describe("a swarm in which one rule is broken on purpose", { timeout: 60_000 }, () => {
  const unreplicated = sendingOf("rows", () => reply());

  it("is caught acknowledging before replication", async () => {
    expectCaught(await broken("crash-wiped", unreplicated), "injections", "coverage");
  });

  it("is caught acknowledging before replication, though nothing happens to anybody", async () => {
    const report = await broken("steady", unreplicated);
    expectCaught(report, "injections", "copies");
    expect(report.violations[0]?.text).toMatch(/acknowledged and is durable at 1 of 2 members$/);
  });

  it("is caught keeping what has been sent on its way for ever", async () => {
    const isKept = (op: StoreOp): boolean => op.type !== "del" || tagOf(op.key) !== "outbox";
    const report = await broken("steady", {
      ports: (given) => writing(given, (ops) => ops.filter(isKept)),
    });
    expectCaught(report, "copies");
  });

  it("is caught counting pages as fetched that are not in its archive", async () => {
    const report = await broken("steady", {
      ports: (given) => {
        const { archive } = given;
        const append: Archive["append"] = (capture) => {
          const place = archive.append(capture);
          return { ...place, offset: place.offset + 1 };
        };
        return { ...given, archive: archiveWith(archive, append) };
      },
    });
    expectCaught(report, "archived");
  });

  it("is caught taking in no seed that it has acknowledged", async () => {
    const report = await broken(
      "join",
      losing((depth) => depth === 0),
    );
    expectCaught(report, "injections");
  });

  it("is caught taking in no link that it has acknowledged", async () => {
    // Every other site is found by a link alone.
    const change = { injections: [{ atMs: 0, pages: [0] }] };
    const report = await broken(
      "steady",
      losing((depth) => depth > 0),
      change,
    );
    expectCaught(report, "coverage");
  });

  it("is caught passing an arc on without what has been done there", async () => {
    const report = await broken("join", withoutRows("url"), {}, { seed: 7 });
    expectCaught(report, "duplicates", "injections");
  });

  it("is caught keeping no gate on hand-over", async () => {
    expectCaught(await broken("join", withoutRows("host"), {}, { seed: 8 }), "politeness");
  });

  it("is caught asking twice", async () => {
    const ports = fetching(async (request, fetch) => {
      await fetch(request);
      return fetch(request);
    });
    expectCaught(await broken("steady", { ports }), "duplicates", "politeness");
  });

  it("is caught asking twice in a split, for which its own sight is no excuse", async () => {
    const groups = [
      [0, 1],
      [2, 3],
    ];
    const change: Partial<Plan> = {
      faults: [{ kind: "partition", groups, atMs: 0 }],
      healAtMs: 40_000,
    };
    const ports = (given: PeerPorts): PeerPorts => {
      const bornAtMs = given.clock.nowMs();
      return fetching(async (request, fetch) => {
        const outcome = await fetch(request);
        const agoMs = given.clock.nowMs() - bornAtMs;
        return agoMs > 10_000 && agoMs < 30_000 ? fetch(request) : outcome;
      })(given);
    };
    expectCaught(await broken("steady", { ports }, change), "duplicates");
  });

  it("is caught waiting for less than the delay", async () => {
    const ports = (given: PeerPorts): PeerPorts => {
      const { clock } = given;
      const bornAtMs = clock.nowMs();
      return {
        ...given,
        clock: {
          nowMs: () => bornAtMs + (clock.nowMs() - bornAtMs) * 1.2,
          wallMs: () => clock.wallMs(),
          sleep: (ms, signal) => clock.sleep(ms / 1.2, signal),
          call: (ms, action) => clock.call(ms / 1.2, action),
        },
      };
    };
    expectCaught(await broken("steady", { ports }), "politeness");
  });

  it("is caught letting hosts rest for as long as a clock was ahead", async () => {
    const faults = [0, 1, 2, 3].flatMap((machine): PlannedFault[] => [
      { kind: "set-clock", machine, offsetMs: -3_600_000, atMs: 8_000 },
      { kind: "kill", machine, atMs: 9_000 + 4_000 * machine },
      { kind: "start", machine, atMs: 9_100 + 4_000 * machine },
    ]);
    const isKept = ({ key }: StoreOp): boolean => nameOfKey(key) !== "time";
    const report = await broken(
      "clock-steps",
      { ports: (given) => writing(given, (ops) => ops.filter(isKept)) },
      { faults, healAtMs: 25_000 },
    );
    expectCaught(report, "termination");
  });

  it("is caught not heeding a Retry-After", async () => {
    const change = { settings: settingsWith({ retryAfterSeconds: 5 }, { throttled: 0.2 }) };
    const ports = fetching(async (request, fetch) => {
      const outcome = await fetch(request);
      if (outcome.kind !== "response") return outcome;
      const headers = outcome.headers.map((one) => (one === "retry-after" ? "x-after" : one));
      return { ...outcome, headers };
    });
    expectCaught(await broken("steady", { ports }, change), "politeness");
  });

  it("is caught not heeding a Crawl-delay", async () => {
    const change = { settings: settingsWith({ crawlDelayShare: 0.5, crawlDelaySeconds: 2 }) };
    const ports = fetching(async (request, fetch) => {
      const outcome = await fetch(request);
      if (outcome.kind !== "response" || !request.url.endsWith("/robots.txt")) return outcome;
      const text = Buffer.from(outcome.body).toString().replaceAll("Crawl-delay", "X-delay");
      return { ...outcome, body: Buffer.from(text) };
    });
    expectCaught(await broken("steady", { ports }, change), "politeness");
  });

  it("is caught asking on as if a failure had been an answer", async () => {
    // A host that has failed rests for longer than this delay.
    const change = { settings: { ...settingsWith({}, { failing: 0.2 }), jobDelayMs: 250 } };
    const ports = fetching(async (request, fetch) => {
      const outcome = await fetch(request);
      const hasFailed = outcome.kind === "response" && outcome.status >= 500;
      return hasFailed ? { ...outcome, status: 404 } : outcome;
    });
    expectCaught(await broken("steady", { ports }, change), "politeness");
  });

  it("is caught asking a host that has not answered yet", async () => {
    const settings = settingsWith({ slowMs: 2_000, hostsPerAddress: 1 }, { slow: 0.3 });
    const change = { settings: { ...settings, jobDelayMs: 100 } };
    const ports = (given: PeerPorts): PeerPorts =>
      fetching(async (request, fetch) => {
        const startedAtMs = given.clock.nowMs();
        const stale = given.clock.sleep(500).then((): FetchOutcome => {
          const times = { startedAtMs, finishedAtMs: given.clock.nowMs() };
          return { kind: "failure", failure: "connection-stale", detail: "", ...times };
        });
        return Promise.race([fetch(request), stale]);
      })(given);
    expectCaught(await broken("steady", { ports }, change), "politeness");
  });

  it("is caught denying what it holds to whoever has stood still", async () => {
    const holdsNothing = sendingOf("whoHolds", async (_asked, send) => {
      const outcome = await send();
      const answer = outcome.kind === "reply" && decodeWhoHoldsReply(outcome.payload);
      if (!answer) return outcome;
      return reply(encodeWhoHoldsReply({ ...answer, held: ArcSet.empty }));
    });
    // Whoever brings home what it has copies of never learns that it has come home.
    const report = await broken("stand-still", holdsNothing, shortPatience);
    expectCaught(report, "convergence", "termination");
  });

  it("is caught fetching what robots.txt forbids", async () => {
    const ports = fetching(async (request, fetch) => {
      const outcome = await fetch(request);
      const isRobots = request.url.endsWith("/robots.txt") && outcome.kind === "response";
      return isRobots ? { ...outcome, status: 404 } : outcome;
    });
    const change = { settings: settingsWith({ robotsFailingShare: 0.3 }) };
    const report = await broken("steady", { ports }, change);
    expectCaught(report, "robots");
    // Behind the forbidden pages are others, to which nothing else leads.
    const [first] = report.violations.filter(({ checker }) => checker === "robots");
    expect(first?.details["verdict"]).toBe("robots");
  });

  it("is caught crawling on after an arc has been taken over", async () => {
    const deny = async (_asked: OverlayRequest, send: Send): Promise<OverlayOutcome> => {
      const outcome = await send();
      return outcome.kind === "reply" ? { ...outcome, payload: encodeAnswer(false) } : outcome;
    };
    const report = await broken("join", sendingOf("transfer", deny), {}, { peers: 2 });
    expectCaught(report, "one-owner", "convergence");
  });

  it("is caught passing nothing on", async () => {
    const refuse = (): Promise<OverlayOutcome> => reply(encodeAnswer(false));
    expectCaught(await broken("join", sendingOf("transfer", refuse)), "convergence");
  });

  it("is caught telling the job over although others are busy", async () => {
    const lie = async (_asked: OverlayRequest, send: Send): Promise<OverlayOutcome> => {
      const outcome = await send();
      const told = outcome.kind === "reply" ? decodeActivityReply(outcome.payload) : undefined;
      return told ? reply(encodeActivityReply({ ...told, busy: undefined, activity: 0 })) : outcome;
    };
    expectCaught(await broken("steady", sendingOf("activity", lie)), "termination");
  });

  it("is caught never telling the job over", async () => {
    const silent = (): Promise<OverlayOutcome> => Promise.resolve({ kind: "timeout" });
    const report = await broken("steady", sendingOf("activity", silent), shortPatience);
    expectCaught(report, "termination");
    expect(report.violations[0]?.text).toContain("is not over");
  });

  it("is caught gathering without bound what a replica does not take", async () => {
    // With one other member all rows are on their way to that one.
    const sized = { peers: 2, sites: 8, pages: 1_000 };
    const large = planOf("steady", { ...size, ...sized });
    const queues = { pendingMax: 300, queuedRowsMax: 300, pendingOpsMax: 500 };
    const sampleWeb = { ...large.settings.sampleWeb, linksPerPage: 20 };
    const settings = { ...large.settings, jobDelayMs: 20, queues, sampleWeb };
    const full = (): Promise<OverlayOutcome> =>
      Promise.resolve({ kind: "busy", retryAfterMs: 1_000 });
    const unbounded: Tampering = {
      ...sendingOf("rows", full),
      options: (options) => ({
        ...options,
        swarm: { ...options.swarm, queuedRowsMax: Infinity },
      }),
    };
    const change = { ...shortPatience, settings };
    expectCaught(await broken("steady", unbounded, change, sized), "bounded-queues");
  });

  it("is caught taking back what it has said of a URL", async () => {
    let asked = 0;
    const report = await broken("steady", {
      answers: (answers) => {
        asked += 1;
        if (asked % 2 === 0) return answers;
        return answers.map((answer) => ({ ...answer, state: "unknown" }));
      },
    });
    expectCaught(report, "status-order");
  });

  it("is caught leaving pages out of a list", async () => {
    // Each says that it has answered for all that it holds, and names nothing.
    const report = await broken(
      "steady",
      sendingOf("list", async (asked, send) => {
        const question = decodeListQuestion(asked.payload);
        const outcome = await send();
        if (outcome.kind !== "reply" || question === undefined) return outcome;
        const told = decodeListReply(outcome.payload, question);
        return told ? reply(encodeListReply({ ...told, urls: [] })) : outcome;
      }),
    );
    expectCaught(report, "url-lists");
  });

  it("is caught keeping back that a job is paused", async () => {
    const jobChanges = [{ atMs: 4_000, change: "pause" }] as const;
    const change: Partial<Plan> = { jobChanges, healAtMs: 40_000, ...shortPatience };
    const report = await broken("steady", keepingStatesBack(), change);
    expectCaught(report, "job-state");
    const texts = report.violations.map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringContaining("was fetched while the job was paused"));
    expect(texts).toContainEqual("members do not agree on the job's state");
  });

  it("is caught going on, and acknowledging, where its disk has refused what it writes", async () => {
    const change: Partial<Plan> = {
      faults: [
        { kind: "fail-disk", machine: 1, how: "full", parts: ["store"], atMs: 4_000 },
        { kind: "mend-disk", machine: 1, atMs: 12_000 },
      ],
      healAtMs: 15_000,
    };
    const ports = (given: PeerPorts): PeerPorts =>
      storeWith(given, (ops, options) => given.store.write(ops, options).catch(() => undefined));
    const report = await broken("full-disk", { ports }, change, { seed: 4 });
    expectCaught(report, "failed-writes");
    const texts = report.violations.map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringContaining("goes on though a write has failed"));
    expect(texts).toContainEqual(expect.stringContaining("has not got it on its disk"));
  });

  it("is caught giving up", async () => {
    const ports = (given: PeerPorts): PeerPorts => {
      const { clock } = given;
      const bornAtMs = clock.nowMs();
      return writing(given, (ops) => {
        if (clock.nowMs() < bornAtMs + 10_000) return ops;
        throw new CrawlError("STORE_IO", "The disk is broken.");
      });
    };
    expectCaught(await broken("steady", { ports }), "failures");
  });
});
