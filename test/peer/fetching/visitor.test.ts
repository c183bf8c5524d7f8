import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { Lease } from "../../../src/peer/durability/lease.ts";
import { VisitedRows } from "../../../src/peer/durability/visited-rows.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { BodyBudget } from "../../../src/peer/fetching/body-budget.ts";
import { Visitor } from "../../../src/peer/fetching/visitor.ts";
import { LearnedDelay } from "../../../src/core/politeness/learned-delay.ts";
import { noPrior } from "../../support/no-prior.ts";
import type { FetchOutcome, FetchRequest } from "../../../src/ports/fetcher.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";

const none = (): void => undefined;
/** Nothing comes in from others. */
const keeper = { isOutdated: () => Promise.resolve(false), visited: new VisitedRows() };
const signal = new AbortController().signal;

/** Its host takes note of how requests go. */
function leaseOfGate(): Lease {
  const host = { visit: { gate: { record: none }, delayMs: 0 }, learnedDelay: new LearnedDelay() };
  return { ...lease(), host } as unknown as Lease;
}

function newBudget(): BodyBudget {
  const { bodies, limits } = defaultPeerOptions;
  return new BodyBudget(bodies, limits.bodyBytesMax, none);
}

/** Of the host nothing is asked before the request. */
function lease(): Lease {
  const entry = { url: "http://a.example/", depth: 0, attempts: 0, redirectChain: [] };
  const url = { key: new Uint8Array(0), job: "j", entry: { ...entry, discoveredAtMs: 0 } };
  const job = new JobRegistry().define("j");
  return { host: {}, address: "10.0.0.1", job, url } as unknown as Lease;
}

type Parts = ConstructorParameters<typeof Visitor>[1];

function unexpectedCall(): never {
  throw new Error("not to be called");
}

/** Whose requests are all too late to be made, or are cut off as the peer has stopped. */
function tooLate(parts: Partial<Parts>, stopped = signal): Visitor {
  const unexpected = (): Promise<never> => Promise.reject(new Error("not to be called"));
  const late = { failure: "aborted", detail: "too late", startedAtMs: 0, finishedAtMs: 0 };
  return new Visitor(
    {
      clock: new VirtualClock(),
      entropy: { random: () => 0 },
      fetcher: {
        fetch: () => Promise.resolve({ kind: "failure", ...late } as FetchOutcome),
        stop: unexpected,
      },
      logger: { debug: none, info: none, warn: none, error: none },
      metrics: noMetrics,
    },
    {
      budget: newBudget(),
      frontier: { closeRequest: none, putBack: none, setPace: none },
      robots: { judge: () => Promise.resolve({ kind: "allowed" }) },
      leases: { add: () => 0, noted: () => Promise.resolve(), remove: none },
      finisher: { finish: unexpected, finishResponse: unexpected },
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
        prior: noPrior,
        swarm,
      },
      defaultPeerOptions,
      signal,
    );
    await visitor.visit(lease());
    expect(done).toEqual(["closed", "put back"]);
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
    ["lets an address rest after a request that was cut off", AbortSignal.abort(), true],
    ["lets no address rest after a request that was not made", signal, false],
  ])("%s", async (_, stopped, rests) => {
    const ends: boolean[] = [];
    const closeRequest = (_lease: Lease, end?: object): void => void ends.push(end !== undefined);
    const frontier = { closeRequest, putBack: none, setPace: none };
    await tooLate({ frontier }, stopped).visit(lease());
    expect(ends).toEqual([rests]);
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
    const finish: Parts["finisher"]["finish"] = (_lease, _row, { kind }) =>
      Promise.resolve(void done.push(kind));
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

  describe("with a long body", () => {
    const at = { startedAtMs: 0, finishedAtMs: 0 };
    const failed: FetchOutcome = { kind: "failure", failure: "bad-encoding", detail: "", ...at };
    const aborted: FetchOutcome = { ...failed, failure: "aborted" };
    const body = new Uint8Array();
    const answered: FetchOutcome = {
      kind: "response",
      ...{ status: 200, httpVersion: "1.1", statusText: "OK", headers: [], requestHeaders: [] },
      ...{ encodedBody: body, body, bodyRead: true, headAtMs: 0, ...at },
    };

    it.each([
      ["is settled", answered, () => Promise.resolve()],
      ["cannot be settled", answered, () => Promise.reject(new Error("disk full"))],
      ["has failed", failed, () => Promise.resolve()],
      ["is given up", aborted, () => Promise.resolve()],
    ])("gives its bytes back when it %s, and not before", async (_, outcome, conclude) => {
      const budget = newBudget();
      const seen: number[] = [];
      const look = (): void => void seen.push(budget.bytes);
      const finish = (): Promise<void> => {
        look();
        return conclude();
      };
      const fetch = ({ account }: FetchRequest): Promise<FetchOutcome> => {
        account?.take(1_000_000);
        return Promise.resolve(outcome);
      };
      const visitor = new Visitor(
        {
          clock: new VirtualClock(),
          entropy: { random: () => 0 },
          fetcher: { fetch, stop: () => Promise.resolve() },
          logger: { debug: none, info: none, warn: none, error: none },
          metrics: noMetrics,
        },
        {
          budget,
          frontier: { closeRequest: none, putBack: look, setPace: none },
          robots: { judge: () => Promise.resolve({ kind: "allowed" }) },
          leases: { add: () => 0, noted: () => Promise.resolve(), remove: none },
          finisher: { finish, finishResponse: finish },
          prior: noPrior,
          swarm: undefined,
        },
        defaultPeerOptions,
        signal,
      );
      await Promise.allSettled([visitor.visit(leaseOfGate())]);
      expect(seen).toEqual([1_000_000]);
      expect(budget.bytes).toBe(0);
    });
  });
});
