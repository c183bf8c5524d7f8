import { jobSpace, jobSpaceOfUrlKey } from "../../../core/record/url-keys.ts";
import { jobSpaceOfQueueKey } from "../../../core/record/queue-keys.ts";
import { readOutboxKey } from "../../../core/record/outbox-key.ts";
import { territorialTagOf } from "../../../core/record/key-tags.ts";
import { hash64 } from "../../../core/hash/hash64.ts";
import { noJob } from "../../../core/messages/activity.ts";
import type { ActivityReply } from "../../../core/messages/activity.ts";
import type { JobId, MemberId } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { StoreOp } from "../../../ports/store.ts";
import type { Job } from "../../jobs/job-registry.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { Homecoming } from "../ownership/homecoming.ts";
import type { SwarmView } from "../members/swarm-view.ts";

type View = Pick<SwarmView, "generation" | "generationOf" | "others" | "ring" | "self">;

/** Jobs whose changes are counted apart, at most: more than there may be. Rows of others are another member's invention. */
const jobsCountedMax = 65_536;

/** What was written of a job here. */
interface Changes {
  count: number;
  /** The replicator's unit of the last one. */
  sequence: number;
}

/** What every member said in one wave. */
type Wave = ReadonlyMap<string, ActivityReply>;

/** One wait for the end of a job. */
interface Search {
  readonly job: Job;
  before: Wave | undefined;
  /** The member that kept the last wave from coming to the end. */
  busy: MemberId | undefined;
}

const nothing: Readonly<Changes> = { count: 0, sequence: 0 };

/** Time between two waves. */
const waveIntervalMs = 500;

/**
 * Tells when a job is finished, without a master that counts.
 *
 * Two successive waves ask every member, and both find nothing queued, leased, on its way or unreplicated, the same members,
 * and the same activity counters. A URL always counts somewhere: it is in an outbox until its owner and the owner's
 * replicas have it; so if it was passed on behind the back of the first wave, a counter tells in the second
 * (Mattern 1987, "Algorithms for distributed termination detection", section 6: the four-counter method).
 *
 * What a dead member had in work counts at its heirs from when they have heard of the death. So all must see the same
 * members running: one that has not heard of it yet has nothing to do, and does not know better.
 */
export class Termination {
  readonly #clock: Clock;
  readonly #calls: Pick<PeerCalls, "activity">;
  readonly #logger: Logger;
  readonly #view: View;
  readonly #busy: (job: JobId | typeof noJob, changedAt: number) => string | undefined;
  readonly #homecoming: Pick<Homecoming, "isDone">;
  readonly #changes = new Map<number, Changes>();
  /** Of all that are not counted apart. */
  readonly #otherChanges: Changes = { count: 0, sequence: 0 };
  /** The digest of the members, until another one runs. */
  #members:
    | { readonly generation: number; readonly others: readonly MemberId[]; readonly digest: bigint }
    | undefined;

  constructor(
    ports: {
      readonly clock: Clock;
      readonly calls: Pick<PeerCalls, "activity">;
      readonly logger: Logger;
    },
    parts: {
      readonly view: View;
      /**
       * Why the job, last changed in that unit of the replicator, is not over at this peer; where it is none, why the peer
       * itself is not at rest.
       */
      readonly busy: (job: JobId | typeof noJob, changedAt: number) => string | undefined;
      readonly homecoming: Pick<Homecoming, "isDone">;
    },
  ) {
    this.#clock = ports.clock;
    this.#calls = ports.calls;
    this.#logger = ports.logger;
    this.#view = parts.view;
    this.#busy = parts.busy;
    this.#homecoming = parts.homecoming;
  }

  /** Called by the journal with each atomic change, after the replicator, whose unit it is. */
  observe(ops: readonly StoreOp[], sequence: number): void {
    let last: number | undefined;
    for (const { key } of ops) {
      const space = jobSpaceOf(key);
      // Most rows of a change are of one job, and once is enough.
      if (space === undefined || space === last) continue;
      last = space;
      const changes = this.#changesOf(space);
      changes.count += 1;
      changes.sequence = sequence;
    }
  }

  /** What this peer says of a job, or of itself alone where it is none. */
  report(job: JobId | typeof noJob): ActivityReply {
    const { generation } = this.#view;
    const { count: activity, sequence } =
      job === noJob ? nothing : (this.#changes.get(jobSpace(job)) ?? this.#otherChanges);
    const busy = this.#busy(job, sequence);
    const returning = !this.#homecoming.isDone;
    return { busy, activity, generation, members: this.#membersDigest(), returning };
  }

  /** Whether every other member says that nothing is being copied, passed on or claimed there, and sees who this one sees. */
  async areOthersSettled(): Promise<boolean> {
    const reports = await this.#othersReports();
    const members = this.#membersDigest();
    return reports.every((report) => report?.members === members && report.busy === undefined);
  }

  /** Whether those who hold arcs know all that every other member has on its disk, as far as these say. */
  async areOthersHome(): Promise<boolean> {
    const reports = await this.#othersReports();
    return reports.every((report) => report?.returning === false);
  }

  /**
   * Resolves when the job is finished in the whole swarm, or `signal` aborts. While it goes on, one member is asked at a time,
   * the one that had work last: a wave of all would cost as many questions as there are members.
   */
  async finished(job: Job, signal: AbortSignal): Promise<void> {
    const search: Search = { job, before: undefined, busy: undefined };
    while (!signal.aborted) {
      const wave = (await this.#isBusyStill(search)) ? undefined : await this.#wave(search);
      if (wave && search.before && areEqual(wave, search.before)) return;
      search.before = wave;
      await this.#clock.sleep(waveIntervalMs, signal);
    }
  }

  /** Those to which another change of the job counts. */
  #changesOf(space: number): Changes {
    const known = this.#changes.get(space);
    if (known) return known;
    if (this.#changes.size >= jobsCountedMax) return this.#otherChanges;
    const changes = { count: 0, sequence: 0 };
    this.#changes.set(space, changes);
    return changes;
  }

  /** What every other member says of itself. */
  #othersReports(): Promise<(ActivityReply | undefined)[]> {
    const { others } = this.#view;
    return Promise.all(others.map((member) => this.#calls.activity(member, noJob)));
  }

  /** Whether the member that had work last has some still. */
  async #isBusyStill({ job, busy }: Search): Promise<boolean> {
    if (busy === undefined || !this.#view.others.includes(busy)) return false;
    const report = await this.#calls.activity(busy, job.definition.id);
    return report?.busy !== undefined;
  }

  /** Nothing when a member is busy or does not answer, or the members change meanwhile. */
  async #wave(search: Search): Promise<Wave | undefined> {
    const { job } = search;
    const { others, ring, self } = this.#view;
    search.busy = undefined;
    const own = this.report(job.definition.id);
    if (own.busy !== undefined) {
      this.#goesOn(job, self, own.busy);
      return;
    }
    const reports = await Promise.all(
      others.map(async (member) => ({
        member,
        report: await this.#calls.activity(member, job.definition.id),
      })),
    );
    const { busy, members } = this.report(job.definition.id);
    if (ring !== this.#view.ring || members !== own.members || busy !== undefined) return undefined;
    const wave = new Map<string, ActivityReply>([[self, own]]);
    const notReady: MemberId[] = [];
    for (const { member, report } of reports) {
      const why = report ? (report.busy ?? differenceOf(report, own)) : "no answer";
      if (report && why === undefined) {
        wave.set(member, report);
        continue;
      }
      notReady.push(member);
      this.#goesOn(job, member, why);
    }
    // Each of those who wait asks another one from now on, where several have work.
    search.busy = notReady.find((member) => member > self) ?? notReady[0];
    return notReady.length === 0 ? wave : undefined;
  }

  /** Equal at two members that see the same ones running, whatever else they know of them. */
  #membersDigest(): bigint {
    const { generation, others, self } = this.#view;
    const known = this.#members;
    if (known?.generation === generation && known.others === others) return known.digest;
    let digest = digestOf(self, generation);
    for (const member of others) digest ^= digestOf(member, this.#view.generationOf(member));
    this.#members = { generation, others, digest };
    return digest;
  }

  #goesOn(job: Job, member: MemberId, why: string | undefined): void {
    this.#logger.debug("job-goes-on", { job: job.definition.id, member, why });
  }
}

function jobSpaceOf(key: Uint8Array): number | undefined {
  const tag = territorialTagOf(key);
  if (tag === "queue") return jobSpaceOfQueueKey(key);
  if (tag === "outbox") return readOutboxKey(key).space;
  return tag === "url" || tag === "exclusion" ? jobSpaceOfUrlKey(key) : undefined;
}

function digestOf(member: MemberId, generation: number | undefined): bigint {
  return hash64(`${member} ${generation}`);
}

function differenceOf({ members }: ActivityReply, own: ActivityReply): string | undefined {
  return members === own.members ? undefined : "sees other members";
}

function areEqual(one: Wave, other: Wave): boolean {
  if (one.size !== other.size) return false;
  for (const [member, { activity, generation, members }] of one) {
    const there = other.get(member);
    if (there?.activity !== activity || there.generation !== generation) return false;
    if (there.members !== members) return false;
  }
  return true;
}
