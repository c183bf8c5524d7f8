import { noJobCounts, sumJobCounts } from "../../src/core/answers/job-counts.ts";
import { isListed } from "../../src/core/answers/url-list.ts";
import { CrawlError } from "../../src/core/errors.ts";
import { defaultJobOptions, type JobOptions } from "../../src/core/jobs/job-definition.ts";
import type { JobId } from "../../src/core/units.ts";
import type {
  HostChange,
  HostStatus,
  InjectReport,
  JobChange,
  JobCounts,
  JobReport,
  MemberReport,
  MemberStats,
  PeerControl,
  PeerStats,
  SwarmJobReport,
  SwarmStats,
  UrlFilter,
  UrlList,
  UrlStatus,
} from "../../src/ports/peer-control.ts";
import type { ArchivedResponse } from "../../src/ports/archive.ts";

/** Of a peer that does not break. */
export const neverBroken = new Promise<never>(() => undefined);

/** A job report with the given differences. */
export function jobReport(id: string, counts: Partial<JobCounts> = {}): JobReport {
  const finished = (counts.queued ?? 0) === 0;
  return {
    definition: {
      id: id as JobId,
      revision: 1,
      stateRevision: 1,
      state: finished ? "finished" : "running",
      options: defaultJobOptions,
    },
    counts: { ...noJobCounts, ...counts },
    finished,
  };
}

/** A peer that remembers what it was told and fetches nothing. */
export class FakePeerControl implements PeerControl {
  readonly peerId = "peer-0";
  readonly injected: { job: string; urls: readonly string[]; options?: Partial<JobOptions> }[] = [];
  /** What an injection is told to have changed. */
  changed: InjectReport["changed"];
  readonly changes: { job: string; change: JobChange }[] = [];
  readonly statuses = new Map<string, UrlStatus>();
  readonly archived = new Map<string, ArchivedResponse>();
  readonly reports = new Map<string, JobReport>();
  readonly #known = new Set<string>();
  readonly #waiting = new Set<() => void>();
  /** Other members of its swarm, with what they say of themselves; those without figures are silent. */
  readonly others: { readonly member: MemberReport; readonly stats?: MemberStats }[] = [];
  readonly hosts = new Map<string, HostStatus>();
  /** Hosts that something was done to. */
  readonly hostChanges: [name: string, change: HostChange][] = [];
  /** What every question fails with, when set. */
  broken: Error | undefined;
  /** Whether questions for states are never answered; see {@link asked}. */
  stuck = false;
  /** Resolves when a question for states came. */
  readonly asked = Promise.withResolvers<undefined>();

  /** Questions for a job's end that ever came. */
  waits = 0;

  /** Questions for a job's end that are open. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Ends every job: what was queued is fetched. */
  finish(): void {
    for (const [id, report] of this.reports) {
      const { queued } = report.counts;
      this.reports.set(
        id,
        jobReport(id, { ...report.counts, queued: 0, pages: queued, fetched: queued }),
      );
    }
    for (const wake of this.#waiting) wake();
  }

  inject(job: JobId, urls: readonly string[], options?: Partial<JobOptions>) {
    if (this.broken !== undefined) return Promise.reject(this.broken);
    this.injected.push({ job, urls, ...(options === undefined ? {} : { options }) });
    const sound = urls.filter((url) => /^https?:/.test(url));
    const bad = urls.filter((url) => !/^https?:/.test(url));
    const added = sound.filter((url) => !this.#known.has(url));
    for (const url of added) this.#known.add(url);
    const counts = this.reports.get(job)?.counts ?? noJobCounts;
    this.reports.set(job, jobReport(job, { ...counts, queued: counts.queued + added.length }));
    return Promise.resolve<InjectReport>({
      job,
      ...(this.changed && { changed: this.changed }),
      added: added.length,
      known: sound.length - added.length,
      rejected: bad.slice(0, 100).map((input) => ({ input, reason: "invalid-url" })),
      rejectedCount: bad.length,
    });
  }

  status(urls: readonly string[], job?: JobId): Promise<UrlStatus[]> {
    this.asked.resolve(undefined);
    if (this.stuck) return new Promise(() => undefined);
    if (this.broken !== undefined) return Promise.reject(this.broken);
    return Promise.resolve(
      urls.map((url) => {
        const known = this.statuses.get(url) ?? {
          url,
          state: "unknown",
          attempts: 0,
          owner: "peer-0",
        };
        return job === undefined ? known : { ...known, job };
      }),
    );
  }

  urls(job: JobId, filter: UrlFilter, from?: string): Promise<UrlList> {
    const [first, ...rest] = [...this.statuses.values()].filter((each) => isListed(each, filter));
    const all = from === undefined ? [first] : rest;
    const urls = all.flatMap((each) => (each ? [{ ...each, job }] : []));
    return Promise.resolve({ urls, ...(from === undefined && rest[0] && { next: "1-2-3" }) });
  }

  content(url: string): Promise<ArchivedResponse> {
    const response = this.archived.get(url);
    return response === undefined
      ? Promise.reject(new CrawlError("NOT_ARCHIVED", `${url} is not in the archive`))
      : Promise.resolve(response);
  }

  host(name: string, change?: HostChange): Promise<HostStatus> {
    if (change) this.hostChanges.push([name, change]);
    const nothing = { queued: [], failuresInRow: 0, robots: [] };
    const unknown = { host: name, owner: this.peerId, known: false, ...nothing };
    return Promise.resolve(this.hosts.get(name) ?? unknown);
  }

  members(): readonly MemberReport[] {
    const { peerId: id } = this;
    const rest = { weight: 1, share: 1, generation: 1, version: "1.2.3" };
    const self: MemberReport = { id, addresses: [], state: "active", ...rest };
    return [self, ...this.others.map(({ member }) => member)];
  }

  swarmStats(): Promise<SwarmStats> {
    const { peer, version, upMs, openRequests, activeHosts, queued, pagesPerSecond } = this.stats();
    const own = {
      peer,
      lagMs: 0,
      version,
      upMs,
      openRequests,
      activeHosts,
      queued,
      pagesPerSecond,
    };
    const members = [own, ...this.others.flatMap(({ stats }) => stats ?? [])];
    return Promise.resolve({
      members,
      silent: this.others.flatMap(({ member, stats }) => (stats ? [] : [member.id])),
      jobs: this.jobs().map((job) => this.#overAll(job)),
      openRequests: members.reduce((sum, each) => sum + each.openRequests, 0),
      queued: members.reduce((sum, each) => sum + each.queued, 0),
      pagesPerSecond: members.reduce((sum, each) => sum + each.pagesPerSecond, 0),
    });
  }

  /** Each other member that answers has done as much of a job as this one. */
  #overAll(job: JobReport): SwarmJobReport {
    const peers = [this.peerId, ...this.others.flatMap(({ stats }) => stats?.peer ?? [])];
    const shares = peers.map((peer) => ({ peer, counts: job.counts }));
    const counts = sumJobCounts(shares.map((share) => share.counts));
    return { ...job, counts, shares };
  }

  jobs(): readonly JobReport[] {
    return [...this.reports.values()];
  }

  job(id: JobId): JobReport {
    const report = this.reports.get(id);
    if (report === undefined) throw new CrawlError("JOB_UNKNOWN", `there is no job ${id}`);
    return report;
  }

  findJob(id: JobId): Promise<JobReport> {
    return new Promise((resolve) => resolve(this.job(id)));
  }

  changeJob(id: JobId, change: JobChange): Promise<JobReport> {
    this.changes.push({ job: id, change });
    const report = this.job(id);
    const state = change === "pause" ? "paused" : change === "resume" ? "running" : "cancelled";
    const changed = { ...report, definition: { ...report.definition, state } } as const;
    this.reports.set(id, changed);
    return Promise.resolve(changed);
  }

  stats(): PeerStats {
    if (this.broken !== undefined) throw this.broken;
    return {
      peer: this.peerId,
      version: "1.2.3",
      upMs: 3_725_000,
      jobs: this.jobs(),
      openRequests: 3,
      activeHosts: 2,
      queued: this.jobs().reduce((sum, { counts }) => sum + counts.queued, 0),
      pagesPerSecond: 12.5,
      archiveFiles: ["a.warc.gz"],
    };
  }

  async jobFinished(id: JobId, signal: AbortSignal): Promise<void> {
    this.waits += 1;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = (): void => resolve(undefined);
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    if (this.job(id).finished || signal.aborted) wake();
    await promise;
    this.#waiting.delete(wake);
  }
}

/** A member of the fake's swarm, with figures unless it is silent. */
export function otherMember(
  id: string,
  stats?: Partial<MemberStats>,
): FakePeerControl["others"][number] {
  const rest = { weight: 1, share: 0.25, generation: 2, version: "1.2.4" };
  const addresses = ["/ip4/127.0.0.1/tcp/7781", "/ip4/192.0.2.7/tcp/7781/p2p/12D3KooWabc"];
  const member: MemberReport = { id, addresses, state: stats ? "active" : "suspect", ...rest };
  const figures = { openRequests: 1, activeHosts: 4, queued: 10, pagesPerSecond: 2 };
  const said = { peer: id, lagMs: 1_234.56, version: "1.2.4", upMs: 60_000, ...figures };
  return { member, ...(stats && { stats: { ...said, ...stats } }) };
}
