import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, HostName, JobId, MemberId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { HeldAnswers } from "../../../../src/peer/swarm/answers/held-answers.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";

const [self, other, third] = ["self", "other", "third"] as MemberId[] as [
  MemberId,
  MemberId,
  MemberId,
];
const url = "http://a.example/" as CanonicalUrl;
const host = "a.example" as HostName;

interface World {
  /** Whether this peer holds the site; else another member does, as far as this one knows. */
  readonly holds?: boolean;
  readonly isDazed?: boolean;
  readonly isConfirmed?: boolean;
  readonly isSynced?: boolean;
  /** How many of the two members have a copy; this peer is the second. */
  readonly copies?: number;
  readonly isRunning?: boolean;
  readonly ringOwner?: MemberId | undefined;
  readonly state?: string;
}

function heldAnswers(world: World) {
  const { holds = false, isDazed = false, isConfirmed = true, isSynced = true } = world;
  const { copies = 2, isRunning = true, state = "done" } = world;
  const territory = new Territory();
  if (holds) territory.take(ArcSet.whole);
  else territory.note(ArcSet.whole, { member: other, generation: 1, synced: isSynced });
  const ring = {
    ownerOf: () => ("ringOwner" in world ? world.ringOwner : other),
    preferenceOf: (_: unknown, count: number) => [other, self].slice(0, count),
  };
  const done: unknown[] = [];
  const say = <T>(what: string, answer: T): Promise<T> => {
    done.push(what);
    return Promise.resolve(answer);
  };
  const later = async (what: string): Promise<void> => {
    await Promise.resolve();
    done.push(what);
  };
  const jobs = new JobRegistry();
  jobs.define("one");
  const parts = {
    jobs,
    urls: {
      known: (urls: string[]) =>
        say(
          "read",
          urls.map(() => ({ state, owner: self })),
        ),
    },
    scan: {
      stretch: async (_: unknown, arcs: ArcSet) => {
        await later("scan");
        return { urls: [], looked: arcs };
      },
    },
    hosts: {
      release: () => later("release"),
      rests: (_: unknown, ms: number) => later(`rest ${ms}`),
      known: () => {
        done.push("known");
        return Promise.resolve({ known: true, owner: self });
      },
    },
    replicator: {
      replicatedOf: (positions: ReadonlySet<RingPosition>) =>
        say("copies", isConfirmed ? positions : new Set()),
    },
    territory,
    view: { self, ring, isRunning: () => isRunning },
    isDazed: () => isDazed,
  };
  type Parts = ConstructorParameters<typeof HeldAnswers>[0];
  return { done, territory, held: new HeldAnswers(parts as unknown as Parts, copies) };
}

describe("what a peer says of a URL", () => {
  const copy = { state: "done", owner: other, replica: true };

  it.each<[string, World, answer: object]>([
    ["as its holder", { holds: true }, { state: "done", owner: self }],
    ["whose copies lack it", { holds: true, isConfirmed: false }, { unconfirmed: true }],
    ["having stood still", { holds: true, isDazed: true }, {}],
    ["from a copy", {}, copy],
    ["from one that is not complete", { isSynced: false }, { holder: other }],
    ["from one that is not kept up", { copies: 1 }, { holder: other }],
    ["whose owner is another by now", { ringOwner: third }, { ...copy, owner: third }],
    ["whose holder was lost", { ringOwner: third, isRunning: false }, copy],
    ["that is to come here", { ringOwner: self }, copy],
    ["before a ring of nobody", { ringOwner: undefined }, copy],
  ])("is what it may say %s", async (_, world, answer) => {
    const { held } = heldAnswers(world);
    const { jobs, answers } = await held.status({ urls: [url], fromCopy: true });
    expect(jobs).toBe(1);
    const whole = "unconfirmed" in answer ? { state: "done", owner: self, ...answer } : answer;
    expect(answers).toEqual([whole]);
  });

  it("is read in its turn, which is over before copies are waited for", async () => {
    const { done, held } = heldAnswers({ holds: true });
    const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
      done.push("begin");
      const result = await work();
      done.push("end");
      return result;
    };
    await held.status({ urls: [url], fromCopy: false }, inTurn);
    expect(done).toEqual(["begin", "read", "end", "copies"]);
  });

  it("is never unconfirmed where nothing is known", async () => {
    const { held } = heldAnswers({ holds: true, isConfirmed: false, state: "unknown" });
    const { answers } = await held.status({ urls: [url], fromCopy: false });
    expect(answers).toEqual([{ state: "unknown", owner: self }]);
  });

  it("is who holds its site, where no copy is asked for, and that one runs", async () => {
    const question = { urls: [url], fromCopy: false };
    for (const isRunning of [true, false]) {
      const { answers } = await heldAnswers({ isRunning }).held.status(question);
      expect(answers).toEqual([isRunning ? { holder: other } : {}]);
    }
  });

  it("is nothing in another form than its own, beside what is said of others", async () => {
    const { held } = heldAnswers({ holds: true });
    const urls = ["http://a.example", url] as CanonicalUrl[];
    const { answers } = await held.status({ urls, fromCopy: false });
    expect(answers).toEqual([{}, { state: "done", owner: self }]);
  });

  it("is nothing where its job is not known", async () => {
    const { held } = heldAnswers({ holds: true });
    const question = { urls: [url], fromCopy: false };
    const [one, none] = ["one" as JobId, "none" as JobId];
    expect(await held.status({ ...question, job: none })).toEqual({ jobs: 0, answers: [{}] });
    expect(await held.status({ ...question, job: one })).toMatchObject({ jobs: 1 });
  });
});

describe("a host that another member asks about", () => {
  it.each<[string, World, done: string[], answer: object]>([
    [
      "is released, and rests, before its holder tells of it",
      { holds: true },
      ["release", "rest 0", "known"],
      { known: true, owner: self },
    ],
    ["stays as it is where a copy tells of it", {}, ["known"], { owner: other, replica: true }],
    ["is left to its holder", { isSynced: false }, [], { holder: other }],
  ])("%s", async (_, world, done, answer) => {
    const bench = heldAnswers(world);
    const question = { host, fromCopy: true, change: "release", restMs: 0 } as const;
    expect(await bench.held.host(question)).toMatchObject(answer);
    expect(bench.done).toEqual(done);
  });

  it("is neither released nor at rest for a question alone", async () => {
    const { done, held } = heldAnswers({ holds: true });
    await held.host({ host, fromCopy: false });
    expect(done).toEqual(["known"]);
    await held.host({ host, fromCopy: false, change: "release" });
    expect(done).toEqual(["known", "release", "known"]);
  });
});

describe("a list of what a peer holds", () => {
  const question = {} as Parameters<HeldAnswers["list"]>[0];

  it("is of nothing after it has stood still", async () => {
    for (const isDazed of [false, true]) {
      const { held } = heldAnswers({ holds: true, isDazed });
      const arcs = isDazed ? ArcSet.empty : ArcSet.whole;
      expect(await held.list(question)).toEqual({ urls: [], looked: arcs, arcs });
    }
  });

  it("is of what it held from its beginning to its end", async () => {
    const { held, territory } = heldAnswers({ holds: false });
    const [one, two, three] = [0, 1, 2].map((at) =>
      ArcSet.of([{ from: at as RingPosition, to: (at + 1) as RingPosition }]),
    ) as [ArcSet, ArcSet, ArcSet];
    territory.take(one.union(two));
    const listed = held.list(question);
    territory.give(one, { member: other, generation: 1, synced: true });
    territory.take(three);
    expect(await listed).toMatchObject({ looked: one.union(two), arcs: two });
  });
});
