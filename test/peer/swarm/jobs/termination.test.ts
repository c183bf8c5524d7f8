import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { noJob, type ActivityReply } from "../../../../src/core/messages/activity.ts";
import { Ring } from "../../../../src/core/ring/ring.ts";
import { hostAddress, hostKey } from "../../../../src/core/record/host-keys.ts";
import { outboxKey } from "../../../../src/core/record/outbox-key.ts";
import { queueKey } from "../../../../src/core/record/queue-keys.ts";
import { retag, urlKey } from "../../../../src/core/record/url-keys.ts";
import type {
  CanonicalUrl,
  HostName,
  JobId,
  MemberId,
  SiteName,
} from "../../../../src/core/units.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { JobRegistry, type Job } from "../../../../src/peer/jobs/job-registry.ts";
import { Termination } from "../../../../src/peer/swarm/jobs/termination.ts";

const [a, b, self, z] = ["a" as MemberId, "b" as MemberId, "m" as MemberId, "z" as MemberId];

const jobs = new JobRegistry();
const [one, two] = [jobs.define("one"), jobs.define("two")];

/** Several waves. */
const whileMs = 5_000;

const ring = Ring.of([], { virtualNodes: 4, hashSeed: 0 });
const view = { generation: 1, generationOf: () => 1, others: [a, b, z], ring, self };

/** Who runs, as every member sees it. */
const { members } = newTermination(new Map()).termination.report(noJob);

type OwnWork = ConstructorParameters<typeof Termination>[1]["busy"];

/** A member among others that say what `reports` has. */
function newTermination(
  reports: Map<MemberId, ActivityReply>,
  ownWork: OwnWork = () => undefined,
  seen = view,
) {
  const clock = new VirtualClock();
  const none = (): void => undefined;
  const logger = { debug: none, info: none, error: none, warn: none };
  const asked: MemberId[] = [];
  const calls = {
    activity: (member: MemberId): Promise<ActivityReply | undefined> => {
      asked.push(member);
      return Promise.resolve(reports.get(member));
    },
  };
  const termination = new Termination(
    { clock, calls, logger },
    { view: seen, busy: ownWork, homecoming: { isDone: true } },
  );
  return { clock, asked, termination };
}

/** Who waits for the end of a job, before members that say what `reports` has. */
function newWait(reports: Map<MemberId, ActivityReply>, ownWork?: OwnWork, seen?: typeof view) {
  const { clock, asked, termination } = newTermination(reports, ownWork, seen);
  const job = new JobRegistry().define("one");
  const stop = new AbortController();
  return { clock, asked, stop, finished: termination.finished(job, stop.signal) };
}

function idle(activity = 0): ActivityReply {
  return { busy: undefined, activity, generation: 1, members, returning: false };
}

function busy(): ActivityReply {
  return { busy: "1 queued", activity: 0, generation: 1, members, returning: false };
}

describe("Termination", () => {
  it("asks one member at a time while that one has work, and all of them twice before the end", async () => {
    const reports = new Map([
      [a, busy()],
      [b, idle()],
      [z, busy()],
    ]);
    const { clock, asked, finished } = newWait(reports);
    await clock.run(clock.sleep(whileMs));
    expect(asked.slice(0, 3)).toEqual([a, b, z]);
    expect(new Set(asked.slice(3))).toEqual(new Set([z]));
    reports.set(z, idle());
    await clock.run(clock.sleep(whileMs));
    expect(asked.at(-1)).toBe(a);
    reports.set(a, idle());
    asked.length = 0;
    await clock.run(finished);
    expect(asked).toEqual([a, a, b, z, a, b, z]);
  });

  it("counts what a job does, once for each change, and nothing else", () => {
    const { termination } = newTermination(new Map());
    const report = (id: JobId): number => termination.report(id).activity;
    const key = urlRow("http://e.org/" as CanonicalUrl, one).key;
    const host = hostAddress("e.org" as SiteName, "e.org" as HostName);
    const queued = queueKey(host, one.space, 1, 1, [key]);
    const excluded = retag(key, "exclusion");
    const ofJob = [[key, key], [queued], [outboxKey(1n, key)], [excluded]];
    for (const keys of [...ofJob, [hostKey("host", host)]]) {
      const ops = keys.map((of) => ({ type: "del", key: of }) as const);
      termination.observe(ops, 1);
    }
    expect([one, two].map(({ definition }) => report(definition.id))).toEqual([4, 0]);
  });

  it("asks about a job by the unit that changed it last, and about none by no unit", () => {
    const asked: [JobId | typeof noJob, number][] = [];
    const ownWork = (job: JobId | typeof noJob, changedAt: number): undefined => {
      asked.push([job, changedAt]);
    };
    const { termination } = newTermination(new Map(), ownWork);
    const change = (job: Job, sequence: number): void => {
      const { key } = urlRow("http://e.org/" as CanonicalUrl, job);
      termination.observe([{ type: "del", key }], sequence);
    };
    change(one, 4);
    change(two, 5);
    change(one, 6);
    change(two, 9);
    const ids = [one.definition.id, two.definition.id, noJob] as const;
    for (const id of ids) termination.report(id);
    expect(asked).toEqual([
      [ids[0], 6],
      [ids[1], 9],
      [noJob, 0],
    ]);
  });

  it.each([
    ["has been active", idle(2)],
    ["was restarted", { ...idle(1), generation: 2 }],
  ])("begins anew where a member that was idle %s since", async (_, since) => {
    const reports = new Map([
      [a, idle()],
      [b, idle(1)],
      [z, idle()],
    ]);
    const { clock, asked, finished } = newWait(reports);
    await clock.run(Promise.resolve());
    reports.set(b, since);
    await clock.run(finished);
    expect(asked).toHaveLength(9);
  });

  it("begins anew where a member had work between two waves that found none", async () => {
    const reports = new Map([a, b, z].map((member) => [member, idle()]));
    const { clock, asked, finished } = newWait(reports);
    await clock.run(Promise.resolve());
    reports.set(b, busy());
    await clock.run(clock.sleep(whileMs));
    reports.set(b, idle());
    asked.length = 0;
    await clock.run(finished);
    expect(asked).toEqual([b, a, b, z, a, b, z]);
  });

  it.each([
    ["the ring changes", { ring: Ring.of([], { virtualNodes: 4, hashSeed: 0 }) }],
    ["a member is restarted", { generationOf: () => 2, others: [b, a, z] }],
  ])("begins anew where %s during a wave", async (_, change) => {
    const seen = { ...view };
    const { generationOf, others } = view;
    const meanwhile = [{}, change, { generationOf, others }];
    const reports = new Map([a, b, z].map((member) => [member, idle()]));
    const { clock, asked, finished } = newWait(
      reports,
      () => void Object.assign(seen, meanwhile.shift()),
      seen,
    );
    await clock.run(finished);
    expect(asked).toHaveLength(9);
  });

  it("asks nobody while it has work itself, and anew where that comes in meanwhile", async () => {
    const works = ["1 leased", undefined, "1 queued"];
    const reports = new Map([a, b, z].map((member) => [member, idle()]));
    const { clock, asked, finished } = newWait(reports, () => works.shift());
    await clock.run(Promise.resolve());
    expect(asked).toEqual([]);
    await clock.run(finished);
    expect(asked).toEqual([a, b, z, a, b, z, a, b, z]);
  });

  it("waits for a member that does not answer", async () => {
    const reports = new Map([
      [a, idle()],
      [b, idle()],
    ]);
    const { clock, asked, finished } = newWait(reports);
    await clock.run(clock.sleep(whileMs));
    expect(asked.at(-1)).toBe(z);
    reports.set(z, idle());
    await clock.run(finished);
    expect(asked.slice(-6)).toEqual([a, b, z, a, b, z]);
  });

  it.each([
    ["others", 0n],
    ["nobody can tell which", undefined],
  ])("waits for a member that sees %s running", async (_, seen) => {
    const reports = new Map([
      [a, idle()],
      [b, { ...idle(), members: seen }],
      [z, idle()],
    ]);
    const { clock, asked, finished } = newWait(reports);
    let isFinished = false;
    void finished.then(() => (isFinished = true));
    await clock.run(clock.sleep(whileMs));
    expect(isFinished).toBe(false);
    reports.set(b, idle());
    await clock.run(finished);
    expect(asked.slice(-6)).toEqual([a, b, z, a, b, z]);
  });

  it("takes the others for settled only where all see the same members running", async () => {
    const reports = new Map([
      [a, idle()],
      [b, idle()],
      [z, { ...idle(), members: 0n }],
    ]);
    const { termination } = newTermination(reports);
    expect(await termination.areOthersSettled()).toBe(false);
    reports.set(z, idle());
    expect(await termination.areOthersSettled()).toBe(true);
    reports.set(a, busy());
    expect(await termination.areOthersSettled()).toBe(false);
  });

  it("knows whether all others have brought home what they have", async () => {
    const reports = new Map<MemberId, ActivityReply>([
      [a, busy()],
      [b, idle()],
    ]);
    const { termination } = newTermination(reports);
    expect(await termination.areOthersHome()).toBe(false);
    reports.set(z, { ...idle(), returning: true });
    expect(await termination.areOthersHome()).toBe(false);
    reports.set(z, idle());
    expect(await termination.areOthersHome()).toBe(true);
  });

  it("stops to ask when it is told to", async () => {
    const { clock, asked, finished, stop } = newWait(new Map([[a, busy()]]));
    await clock.run(clock.sleep(whileMs));
    stop.abort();
    await clock.run(finished);
    const count = asked.length;
    await clock.run(clock.sleep(whileMs));
    expect(asked).toHaveLength(count);
  });
});

it("counts the changes of jobs that nobody has in a bounded memory, and those of jobs apart from them", () => {
  const { termination } = newTermination(new Map());
  const change = (space: number): void => {
    const key = outboxKey(0n, urlKey("url", 0n, Uint32Array.of(1, 2, 3, 4), 0, space));
    termination.observe([{ type: "del", key }], 1);
  };
  change(one.space);
  for (let space = 0; space < 65_536; space += 1) change(space);
  const [before, of] = [termination.report("two" as JobId), termination.report("one" as JobId)];
  change(70_000);
  expect(termination.report("two" as JobId).activity).toBe(before.activity + 1);
  expect(termination.report("one" as JobId).activity).toBe(of.activity);
});
