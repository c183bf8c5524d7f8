import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { VisitedRows } from "../../../src/peer/durability/visited-rows.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { Visitor } from "../../../src/peer/fetching/visitor.ts";
import type { PriorFetch } from "../../../src/peer/fetching/prior-fetches.ts";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import { lease, leaseOfGate, newBudget } from "./leases.ts";
import { noPrior } from "../../support/no-prior.ts";
import type { Fetcher, FetchOutcome, FetchRequest } from "../../../src/ports/fetcher.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";

const none = (): void => undefined;
/** Nothing comes in from others. */
const keeper = { isOutdated: () => Promise.resolve(false), visited: new VisitedRows() };
const signal = new AbortController().signal;

type Parts = ConstructorParameters<typeof Visitor>[1];

function unexpectedCall(): never {
  throw new Error("not to be called");
}

const late = { failure: "aborted", detail: "too late", startedAtMs: 0, finishedAtMs: 0 };

/** Whose requests are all too late to be made, or are cut off as the peer has stopped. */
function tooLate(
  parts: Partial<Parts>,
  stopped = signal,
  fetch: Fetcher["fetch"] = () => Promise.resolve({ kind: "failure", ...late } as FetchOutcome),
  debug: Logger["debug"] = none,
): Visitor {
  const unexpected = (): Promise<never> => Promise.reject(new Error("not to be called"));
  return new Visitor(
    {
      clock: new VirtualClock(),
      entropy: { random: () => 0 },
      fetcher: { fetch, stop: unexpected },
      logger: { debug, info: none, warn: none, error: none },
      metrics: noMetrics,
    },
    {
      budget: newBudget(),
      frontier: { closeRequest: none, putBack: none, setPace: none },
      robots: { judge: () => Promise.resolve({ kind: "allowed" }) },
      leases: { add: () => 0, noted: () => Promise.resolve(), remove: none },
      finisher: { finish: unexpected, finishResponse: unexpected },
      outages: { hear: () => Promise.resolve(false) },
      prior: noPrior,
      swarm: undefined,
      ...parts,
    },
    defaultPeerOptions,
    stopped,
  );
}

describe("Visitor", () => {
  it.each([
    ["before its visit began", 1, 0],
    ["during its visit", 0, 1],
  ])("gives a URL back unasked when the process stood still %s", async (_, before, during) => {
    const done: string[] = [];
    const swarm = { keeper, standstills: before, standstillsSeen: 0 };
    const note = (what: string) => (): Promise<never> => {
      done.push(what);
      return Promise.reject(new Error(`${what} is not to be called`));
    };
    const visitor = new Visitor(
      {
        clock: new VirtualClock(),
        entropy: { random: () => 0 },
        fetcher: { fetch: note("fetch"), stop: note("stop") },
        logger: { debug: none, info: none, warn: none, error: none },
        metrics: noMetrics,
      },
      {
        budget: newBudget(),
        frontier: {
          closeRequest: () => void done.push("closed"),
          putBack: () => void done.push("put back"),
          setPace: none,
        },
        robots: {
          judge: () => {
            swarm.standstills += during;
            return Promise.resolve({ kind: "allowed" });
          },
        },
        leases: { add: () => done.push("leased"), noted: () => Promise.resolve(), remove: none },
        finisher: {
          finish: note("finish"),
          finishResponse: note("finish"),
        },
        outages: { hear: () => Promise.resolve(false) },
        prior: noPrior,
        swarm,
      },
      defaultPeerOptions,
      signal,
    );
    await visitor.visit(lease());
    expect(done).toEqual(["closed", "put back"]);
  });

  it("tells whoever reads all of the log what a request failed at", async () => {
    const told: unknown[] = [];
    const failed = { failure: "tls-error", detail: "self-signed", startedAtMs: 0, finishedAtMs: 1 };
    const visitor = tooLate(
      { finisher: { finish: () => Promise.resolve(), finishResponse: unexpectedCall } },
      signal,
      () => Promise.resolve({ kind: "failure", ...failed } as FetchOutcome),
      (...line) => void told.push(line),
    );
    const asked = leaseOfGate();
    await visitor.visit(asked);
    const { url } = asked.url.entry;
    const fields = { url, failure: "tls-error", detail: "self-signed" };
    expect(told).toEqual([["fetch-failed", fields]]);
  });

  it("makes no request whose note would not outlive the process", async () => {
    const visitor = tooLate({
      leases: {
        add: () => 0,
        noted: () => Promise.reject(new Error("the disk has failed")),
        remove: none,
      },
      frontier: { closeRequest: unexpectedCall, putBack: unexpectedCall, setPace: none },
    });
    await expect(visitor.visit(lease())).rejects.toThrow("the disk has failed");
  });

  it("makes no request that another member made while its note was being written", async () => {
    const done: unknown[] = [];
    let isFetched = false;
    const isOutdated = (): Promise<boolean> => Promise.resolve(isFetched);
    const swarm = { keeper: { ...keeper, isOutdated }, standstills: 0, standstillsSeen: 0 };
    const noted = (): Promise<void> => Promise.resolve(void (isFetched = true));
    const closeRequest = (_lease: Lease, end?: object): void => void done.push(end);
    const frontier = { closeRequest, putBack: unexpectedCall, setPace: none };
    const finish: Parts["finisher"]["finish"] = ({ note }, _row, { kind }) =>
      Promise.resolve(void done.push(note, kind));
    const finisher = { finish, finishResponse: unexpectedCall };
    const leases = { add: () => 7, noted, remove: (note: number) => void done.push(note) };
    await tooLate({ leases, frontier, finisher, swarm }, signal, unexpectedCall).visit(lease());
    // Without a note it does not count as a request.
    expect(done).toEqual([7, undefined, undefined, "known"]);
  });

  it("takes the note of a request back that was too late to be made", async () => {
    const notes: number[] = [];
    const visitor = tooLate({
      leases: {
        add: () => notes.push(7) + 6,
        noted: () => Promise.resolve(),
        remove: (note) => void notes.splice(notes.indexOf(note), 1),
      },
      swarm: { keeper, standstills: 0, standstillsSeen: 0 },
    });
    await visitor.visit(lease());
    expect(notes).toEqual([]);
  });

  it.each([
    [
      "lets an address rest after a request that was cut off, and keeps its note",
      AbortSignal.abort(),
      true,
    ],
    ["lets no address rest after a request that was not made", signal, false],
  ])("%s", async (_, stopped, rests) => {
    const ends: boolean[] = [];
    let removed = 0;
    const closeRequest = (_lease: Lease, end?: object): void => void ends.push(end !== undefined);
    const frontier = { closeRequest, putBack: none, setPace: none };
    const remove = (): void => void (removed += 1);
    const leases = { add: () => 0, noted: () => Promise.resolve(), remove };
    await tooLate({ frontier, leases }, stopped).visit(lease());
    expect([ends, removed]).toEqual([[rests], rests ? 0 : 1]);
  });

  it("has taken no note of a request, nor lets an address rest, of which the peer's stop was sooner", async () => {
    const done: unknown[] = [];
    const swarm = { keeper, standstills: 1, standstillsSeen: 0 };
    const closeRequest = (_lease: Lease, end?: object): void => void done.push(end);
    const frontier = { closeRequest, putBack: () => void done.push("put back"), setPace: none };
    const leases = { add: unexpectedCall, noted: unexpectedCall, remove: unexpectedCall };
    await tooLate({ frontier, leases, swarm }, AbortSignal.abort()).visit(lease());
    expect(done).toEqual([undefined, "put back"]);
  });

  const denied = (asked: boolean) => {
    const end = { kind: "excluded", reason: "robots" } as const;
    return { judge: () => Promise.resolve({ kind: "denied", end, asked } as const) };
  };
  const outdated = { ...keeper, isOutdated: () => Promise.resolve(true) };

  it.each<[string, Partial<Parts>, string[]]>([
    [
      "the URL's record is further",
      { swarm: { keeper: outdated, standstills: 0, standstillsSeen: 0 } },
      ["closed", "known"],
    ],
    ["robots.txt is known to forbid it", { robots: denied(false) }, ["closed", "excluded"]],
    // That request is over by then.
    ["robots.txt was asked for, and forbids it", { robots: denied(true) }, ["excluded"]],
  ])("lets its host go on, asked for nothing, where %s", async (_, parts, expected) => {
    const done: string[] = [];
    const finish: Parts["finisher"]["finish"] = async (_lease, _row, { kind }) => {
      await new Promise(setImmediate);
      done.push(kind);
    };
    const closeRequest = (_lease: Lease, end?: object): void =>
      void done.push(end ? "asked" : "closed");
    const frontier = { closeRequest, putBack: unexpectedCall, setPace: none };
    const finisher = { finish, finishResponse: unexpectedCall };
    await tooLate({ ...parts, frontier, finisher }).visit(lease());
    expect(done).toEqual(expected);
  });

  it("takes a row for new of which more redirects to another spelling tell than attempts", async () => {
    const { url, ...rest } = lease();
    const [first, second] = ["http://a.example/?b=1&a=2", "http://a.example/?a=2&b=1"];
    const entry = { ...url.entry, url: second, unseen: 0, redirectChain: [first] };
    const asked: string[] = [];
    const visitor = tooLate({
      prior: {
        ...noPrior,
        find: (_, of) => {
          asked.push(of);
          return Promise.resolve(undefined);
        },
      },
    });
    await visitor.visit({ ...rest, url: { ...url, entry } });
    expect(asked).toEqual([second]);
  });

  /** What is asked for with a lease of this entry and job, where there is an earlier fetch. */
  async function requestOf(
    entry: object,
    options: Partial<JobOptions> = {},
    sitemaps: readonly string[] = [],
  ): Promise<FetchRequest> {
    const { url, ...rest } = lease();
    const job = new JobRegistry().define("j", options);
    const conditions = { "if-none-match": '"v1"' };
    const prior = {
      ...noPrior,
      find: () => Promise.resolve({ conditions } as unknown as PriorFetch),
    };
    const requests: FetchRequest[] = [];
    const fetch = (request: FetchRequest): Promise<FetchOutcome> => {
      requests.push(request);
      return Promise.resolve({ ...late, kind: "failure" } as FetchOutcome);
    };
    const whole = { ...url, entry: { ...url.entry, ...entry } };
    const asked = { ...rest, job, url: whole, robots: { sitemaps } } as unknown as Lease;
    await tooLate({ prior }, signal, fetch).visit(asked);
    const [request] = requests;
    if (!request) throw new Error("no request");
    return request;
  }

  it.each([
    ["the first time", { attempts: 0 }, true, false],
    ["as long as no server has answered", { attempts: 1, unseen: 1 }, true, true],
    ["never again", { attempts: 2, unseen: 1 }, false, true],
  ])("asks whether a page has changed %s", async (_, entry, isConditional, needsNewConnection) => {
    const request = await requestOf(entry);
    expect(Object.keys(request.headers)).toHaveLength(isConditional ? 1 : 0);
    expect(request.needsNewConnection).toBe(needsNewConnection);
  });

  const skip = { otherContent: "skip", sitemaps: true } as const;
  const seed = "http://a.example/";

  it.each<[string, boolean, number, string, Partial<JobOptions>, object?, string[]?]>([
    ["a page", true, 200, "text/html", skip],
    ["a picture", false, 200, "image/png", skip],
    ["a picture, where all is archived", true, 200, "image/png", { otherContent: "archive" }],
    ["what comes with a redirect", true, 300, "image/png", skip],
    ["a sitemap of any type", true, 200, "image/png", skip, {}, [seed]],
    [
      "where a sitemap leads",
      true,
      200,
      "image/png",
      skip,
      { redirectChain: ["http://a.example/m"] },
      ["http://a.example/m"],
    ],
    [
      "a sitemap that the job does not follow",
      false,
      200,
      "image/png",
      { ...skip, sitemaps: false },
      {},
      [seed],
    ],
  ])("reads %s: %s", async (_, wanted, status, type, options, entry = {}, sitemaps = []) => {
    const { wantsBody } = await requestOf(entry, options, sitemaps);
    expect(wantsBody(status, type)).toBe(wanted);
  });

  it.each([
    [0, 200, false],
    [0, 300, true],
    [7, 200, true],
  ])(
    "takes part of a body after %i attempts, of status %i: %s",
    async (attempts, status, takes) => {
      const { wantsPart } = await requestOf({ attempts });
      expect(wantsPart?.("connection-reset", status)).toBe(takes);
    },
  );

  it("leaves a URL alone of which its robots.txt is not told now", async () => {
    const judge: Parts["robots"]["judge"] = () => Promise.resolve({ kind: "not-now" });
    const leases = { add: unexpectedCall, noted: unexpectedCall, remove: unexpectedCall };
    const frontier = { closeRequest: unexpectedCall, putBack: unexpectedCall, setPace: none };
    await expect(tooLate({ robots: { judge }, leases, frontier }).visit(lease())).resolves.toBe(
      undefined,
    );
  });

  it("makes no request to a host without an address", async () => {
    const kinds: string[] = [];
    const finish: Parts["finisher"]["finish"] = (_lease, _row, { kind }) =>
      Promise.resolve(void kinds.push(kind));
    const leases = { add: unexpectedCall, noted: unexpectedCall, remove: unexpectedCall };
    const finisher = { finish, finishResponse: unexpectedCall };
    const unresolved = { failure: "dns-not-found", detail: "", isTold: true } as const;
    await tooLate({ leases, finisher }).visit({ ...leaseOfGate(), unresolved });
    expect(kinds).toEqual(["again"]);
  });
});
