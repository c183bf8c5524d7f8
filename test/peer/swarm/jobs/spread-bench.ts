import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { JobDefinition } from "../../../../src/core/jobs/job-definition.ts";
import type { PageCounts } from "../../../../src/core/messages/claim.ts";
import type { JobNews } from "../../../../src/core/messages/jobs.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { JobSpread } from "../../../../src/peer/swarm/jobs/job-spread.ts";
import type { SwarmView } from "../../../../src/peer/swarm/members/swarm-view.ts";
import { seeded } from "../../../support/seeded.ts";
import { silentLogger } from "../../../support/silent-logger.ts";

export const membersOf = (count: number): MemberId[] =>
  Array.from({ length: count }, (_, at) => `m${at}` as MemberId);

/** What a peer knows of jobs, these or those that it comes to know, among so many others, which answer with `answer`. */
export class SpreadBench {
  readonly clock = new VirtualClock();
  readonly jobs: JobRegistry;
  readonly view: { others: readonly MemberId[]; role: SwarmView["role"] };
  readonly published: Uint8Array[] = [];
  readonly asked: (JobNews & { readonly member: MemberId })[] = [];
  /** Counts of pages that this peer tells others of, and those that it is told of. */
  counts: PageCounts = { pageCounts: [], pastPageCounts: [] };
  readonly counted: unknown[] = [];
  readonly warned: unknown[] = [];
  readonly failures: unknown[] = [];
  /** Counts what is queued of jobs. */
  count: (ids: readonly JobId[]) => Promise<void> = () => Promise.resolve();
  merged = 0;
  answer: readonly JobDefinition[] | undefined = [];
  /** What another member makes of news, where it is not `answer`. */
  other: ((news: JobNews) => JobNews) | undefined;
  readonly spread: JobSpread;

  constructor(others = 0, role: SwarmView["role"] = "active", jobs = new JobRegistry()) {
    this.jobs = jobs;
    this.view = { others: membersOf(others), role };
    const calls = {
      jobs: async (member: MemberId, news: JobNews) => {
        this.asked.push({ member, ...news });
        await this.clock.sleep(10);
        return this.other ? this.other(news) : this.#answer();
      },
    };
    const ports = {
      calls,
      clock: this.clock,
      entropy: { random: seeded(1) },
      logger: { ...silentLogger, warn: (...said: unknown[]) => void this.warned.push(said) },
      overlay: { publish: (claim: Uint8Array) => void this.published.push(claim) },
    } as unknown as ConstructorParameters<typeof JobSpread>[0];
    const view = Object.assign(this.view, { self: "self" as MemberId }) as unknown as SwarmView;
    const take = (...told: unknown[]): void => {
      const { merged } = this;
      if (told[1]?.toString()) this.counted.push({ told, jobs: this.jobs.all().length, merged });
    };
    const tally = { counts: () => this.counts, take, takePast: take };
    const count = (ids: readonly JobId[]): Promise<void> => this.count(ids);
    const onFailure = (error: unknown): void => void this.failures.push(error);
    const events = { onMerged: () => (this.merged += 1), onFailure };
    this.spread = new JobSpread(ports, { view, jobs: this.jobs, tally, count }, events);
  }

  /** That of an earlier version, which tells no digest. */
  #answer(): JobNews | undefined {
    return this.answer && { definitions: this.answer, digest: undefined, ...this.counts };
  }

  get members(): MemberId[] {
    return this.asked.map(({ member }) => member);
  }
}
