import { byName, type JobOptions } from "../core/jobs/job-definition.ts";
import { optionChanges } from "../core/jobs/option-changes.ts";
import { packLinks, unpackLinks } from "../core/page/packed-links.ts";
import type { PackedLinks } from "../core/page/parsed-page.ts";
import { roundFigure } from "../core/round-figure.ts";
import type { JobId } from "../core/units.ts";
import type { ArchivedResponse } from "../ports/archive.ts";
import { Admission } from "./admission/admission.ts";
import { Dispatcher } from "./fetching/dispatcher.ts";
import { Frontier } from "./frontier/frontier.ts";
import { setGauges } from "./gauges.ts";
import { JobLog } from "./jobs/job-log.ts";
import { isFinished, JobRegistry, reportOf, type Job } from "./jobs/job-registry.ts";
import { isOfClosedJournal, Journal } from "./durability/journal.ts";
import { refusalOfAll, SeedJudge, seedsOf } from "./admission/seed-judge.ts";
import { LeaseLog } from "./durability/lease-log.ts";
import { newDesk } from "./answers/new-desk.ts";
import { newVisitor } from "./fetching/new-visitor.ts";
import { newOutages } from "./fetching/new-outages.ts";
import { closeData } from "./durability/close-data.ts";
import { openData } from "./durability/open-data.ts";
import { Pace } from "../core/answers/pace.ts";
import type {
  HostChange,
  HostStatus,
  InjectReport,
  JobChange,
  JobReport,
  MemberReport,
  PeerControl,
  PeerStats,
  SwarmStats,
  UrlFilter,
  UrlList,
  UrlStatus,
} from "../ports/peer-control.ts";
import type { PeerOptions } from "./peer-options.ts";
import type { PeerPorts } from "./peer-ports.ts";
import { MissedTime } from "./robots/missed-time.ts";
import type { QuestionDesk } from "./answers/question-desk.ts";
import { Sequence } from "./durability/sequence.ts";
import { timeOp } from "./durability/set-back-clock.ts";
import { SieveKeeper } from "./admission/sieve-keeper.ts";
import { Pulse } from "./pulse.ts";
import { takeInOutbox } from "./swarm/exchange/take-in-outbox.ts";
import { newSwarm } from "./swarm/new-swarm.ts";
import type { Swarm } from "./swarm/swarm.ts";
import { isWorkedOn, WorkTime } from "./jobs/work-time.ts";

/** How often rates are taken, ends of jobs looked for, and the sieve's snapshot considered. */
const tickMs = 250;

/**
 * A peer: the one orchestration that the daemon and the simulation run.
 *
 * Reading on: a URL enters by {@link Admission}, waits in the {@link Frontier}, is sent out by the {@link Dispatcher},
 * fetched by the {@link Visitor}, finished by the {@link PageFinisher}, and made durable by the {@link Journal}.
 */
export class Peer implements PeerControl {
  readonly peerId: string;
  readonly #ports: PeerPorts;
  readonly #options: PeerOptions;
  readonly #abort = new AbortController();
  readonly #failed = Promise.withResolvers<unknown>();
  readonly #jobLog: JobLog;
  readonly #jobs = new JobRegistry((...change) => this.#jobLog.changed(...change));
  readonly #sequence = new Sequence();
  readonly #journal: Journal;
  readonly #leases: LeaseLog;
  readonly #sieve: SieveKeeper;
  readonly #frontier: Frontier;
  readonly #admission: Admission;
  readonly #seeds: SeedJudge;
  readonly #dispatcher: Dispatcher;
  readonly #questions: QuestionDesk;
  readonly #swarm: Swarm | undefined;
  #state: "new" | "running" | "stopped" = "new";
  #startedAtMs = 0;
  #pace = new Pace(0, 0);
  readonly #workTime = new WorkTime();
  #starting: Promise<void> | undefined;
  #ticking: Promise<void> | undefined;
  #failure: { readonly error: unknown; readonly wasRunning: boolean } | undefined;
  readonly #tickAbort = new AbortController();
  /** Fires when a job may have come to its end. */
  readonly #looks = new Pulse();

  constructor(ports: PeerPorts, options: PeerOptions) {
    this.peerId = options.peerId;
    this.#ports = ports;
    this.#options = options;
    const onFailure = (error: unknown): void => this.#fail(error);
    const { signal } = this.#abort;
    this.#seeds = new SeedJudge(ports.parser, options, signal);
    this.#jobLog = new JobLog(ports.logger, ports.overlay === undefined);
    this.#journal = new Journal(ports, options.journal, onFailure);
    this.#leases = new LeaseLog(ports.leases, onFailure);
    this.#sieve = new SieveKeeper(options.sieve, ports.logger);
    this.#frontier = new Frontier(ports, { jobs: this.#jobs, journal: this.#journal }, options, {
      signal,
      onDue: () => this.#dispatcher.wake(),
      // What it still reads at the end fails as the database closes, and nobody wants it any more.
      onFailure: (error) => (signal.aborted ? undefined : onFailure(error)),
    });
    const shared = {
      frontier: this.#frontier,
      jobs: this.#jobs,
      journal: this.#journal,
      missed: new MissedTime(ports.clock),
      sequence: this.#sequence,
      sieve: this.#sieve,
      wake: () => this.#dispatcher.wake(),
    };
    this.#swarm = newSwarm(ports, shared, options, onFailure);
    this.#admission = new Admission(
      ports,
      {
        journal: this.#journal,
        frontier: this.#frontier,
        sieve: this.#sieve,
        sequence: this.#sequence,
        ...(this.#swarm && { outlet: this.#swarm.exchange, merged: this.#swarm.keeper.merged }),
      },
      options,
      onFailure,
    );
    const own = { admission: this.#admission, leases: this.#leases, swarm: this.#swarm };
    const outages = newOutages(ports, { ...shared, swarm: this.#swarm }, onFailure, signal);
    const parts = { ...shared, ...own, outages };
    const visitor = newVisitor(ports, parts, options, signal);
    this.#dispatcher = new Dispatcher(
      ports.clock,
      {
        frontier: this.#frontier,
        journal: this.#journal,
        visit: (lease) => visitor.visit(lease),
        isHeldBack: () => this.#swarm?.holdsRequests ?? false,
        onRest: () => this.#looks.fire(),
        parserPlaces: ports.parser.pendingMax,
        ...(ports.load && { load: ports.load }),
      },
      options.dispatcher,
      onFailure,
    );
    this.#questions = newDesk(ports, { ...parts, stats: () => this.stats() }, options, signal);
    setGauges(ports.metrics, options.version, { ...parts, dispatcher: this.#dispatcher });
    this.#journal.contribute(() => this.#jobs.takeUnsaved());
    this.#journal.contribute(() => this.#sequence.takeUnsaved());
    this.#journal.contribute(() => [timeOp(ports.clock.nowMs(), ports.clock.wallMs())]);
  }

  /** Resolves with the reason when the peer cannot go on; what is durable then stays so. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /** Opens what it was given, takes up where the last run ended, and starts to crawl, unless it is stopped meanwhile. */
  async start(): Promise<void> {
    this.#starting = this.#begin();
    await this.#starting;
  }

  async #begin(): Promise<void> {
    const { clock, parser } = this.#ports;
    // Threads take as long to start as a database to open; a page that is fetched meanwhile waits for them.
    parser.start().catch((error: unknown) => {
      // A peer that stops before its threads have started has no use for them.
      if (this.#state !== "stopped") this.#fail(error);
    });
    await openData(this.#ports, {
      jobs: this.#jobs,
      journal: this.#journal,
      leases: this.#leases,
      sequence: this.#sequence,
      sieve: this.#sieve,
    });
    const isStopped = (): boolean => this.#state === "stopped";
    if (isStopped()) return;
    this.#state = "running";
    this.#startedAtMs = clock.nowMs();
    this.#pace = new Pace(this.#jobs.pages, this.#startedAtMs);
    if (this.#swarm) await this.#swarm.start(this.#admission);
    else await takeInOutbox(this.#ports.store, this.#admission, this.#jobs, this.#journal);
    if (isStopped()) return;
    this.#frontier.start();
    this.#dispatcher.start();
    this.#ticking = this.#tick();
  }

  /**
   * Lets requests in flight end, makes everything durable, waits for `atRest`, which never rejects, and closes what it was
   * given; idempotent. Rejects where that fails, unless the peer had failed before: then {@link failed} has said why.
   */
  async stop(atRest?: () => Promise<void>): Promise<void> {
    if (this.#state === "stopped") return;
    const ran = this.#state === "running";
    const drainedByMs = this.#ports.clock.nowMs() + this.#options.drainMs;
    this.#state = "stopped";
    this.#dispatcher.stop();
    this.#tickAbort.abort();
    await this.#starting?.catch(() => undefined);
    await this.#ticking;
    if (ran) {
      await this.#drain();
      await this.#questions.handOver();
      if (this.#failure === undefined) await atRest?.();
    }
    await this.#swarm?.stop(drainedByMs);
    await closeData(this.#ports, this.#journal, {
      isSound: () => this.#failure === undefined,
      onFailure: (error) => this.#fail(error),
    });
    if (this.#failure && !this.#failure.wasRunning) throw this.#failure.error;
  }

  async inject(
    id: JobId,
    urls: readonly string[],
    options: Partial<JobOptions> = {},
  ): Promise<InjectReport> {
    if (!this.#jobs.isAs(id, options)) await this.#swarm?.jobs.hearLatest(id);
    const { seeds, rejections } = await this.#seeds.judge(this.#jobs.draft(id, options), urls);
    // Others may have made, changed or cancelled it meanwhile.
    const known = this.#jobs.find(id)?.definition;
    const refusal = !known && seeds.length === 0 && refusalOfAll(id, rejections);
    if (refusal) return refusal;
    const job = this.#jobs.define(id, options);
    // As this call has left it: others may change it while its seeds are admitted.
    const { definition } = job;
    const links = packLinks(seeds, definition.options.normalizeQuery);
    const goesOn = isWorkedOn(job);
    await this.#saveJobs();
    this.#swarm?.jobs.tell(job.definition);
    // Before the seeds: where their owners do not answer, what the options let go on does so all the same. Not for seeds
    // alone, which may come one by one: to prepare ten thousand hosts takes a twelfth of a second.
    if (definition !== known) this.#frontier.jobsChanged();
    const sinceMs = this.#ports.clock.nowMs();
    const added = await this.#admitSeeds(job, links);
    if (added > 0 || goesOn) this.#workTime.begin(job, sinceMs);
    return {
      job: definition.id,
      ...(known && { changed: optionChanges(known.options, definition.options) }),
      added,
      known: links.ends.length - added,
      ...rejections,
    };
  }

  async status(urls: readonly string[], job?: JobId): Promise<UrlStatus[]> {
    await this.#heardOf(job);
    return this.#questions.status(urls, job);
  }

  async urls(job: JobId, filter: UrlFilter, from?: string, signal?: AbortSignal): Promise<UrlList> {
    await this.#heardOf(job);
    return this.#questions.urls(job, filter, from, signal);
  }

  async content(url: string, job?: JobId, signal?: AbortSignal): Promise<ArchivedResponse> {
    await this.#heardOf(job);
    return this.#questions.content(url, job, signal);
  }

  host(name: string, change?: HostChange): Promise<HostStatus> {
    return this.#questions.host(name, change);
  }

  members(): readonly MemberReport[] {
    return this.#questions.members();
  }

  swarmStats(): Promise<SwarmStats> {
    return this.#questions.swarmStats();
  }

  jobs(): readonly JobReport[] {
    return byName(this.#jobs.all()).map(reportOf);
  }

  job(id: JobId): JobReport {
    return reportOf(this.#jobs.get(id));
  }

  async findJob(id: JobId): Promise<JobReport> {
    await this.#heardOf(id);
    return this.job(id);
  }

  async changeJob(id: JobId, change: JobChange): Promise<JobReport> {
    await this.#swarm?.jobs.hearLatest(id);
    const job = this.#jobs.changeState(id, change);
    if (isWorkedOn(job)) this.#workTime.begin(job, this.#ports.clock.nowMs());
    this.#frontier.jobsChanged();
    await this.#saveJobs();
    this.#swarm?.jobs.tell(job.definition);
    return reportOf(job);
  }

  stats(): PeerStats {
    const jobs = this.jobs();
    return {
      peer: this.peerId,
      version: this.#options.version,
      upMs: Math.round(this.#ports.clock.nowMs() - this.#startedAtMs),
      jobs,
      openRequests: this.#frontier.openRequests,
      activeHosts: this.#frontier.activeHosts,
      queued: jobs.reduce((sum, { counts }) => sum + counts.queued, 0),
      pagesPerSecond: roundFigure(this.#pace.perSecond),
      archiveFiles: this.#ports.archive.files(),
    };
  }

  async jobFinished(id: JobId, signal: AbortSignal): Promise<void> {
    await this.#heardOf(id);
    const job = this.#jobs.get(id);
    const over = AbortSignal.any([signal, this.#abort.signal]);
    await (this.#swarm?.termination.finished(job, over) ?? this.#finishedHere(job, over));
    if (this.#failure && !signal.aborted) throw this.#failure.error;
  }

  async #finishedHere(job: Job, over: AbortSignal): Promise<void> {
    over.addEventListener("abort", () => this.#looks.fire(), { once: true });
    do {
      await this.#looks.until(() => over.aborted || this.#isOver(job));
      if (!over.aborted) await this.#journal.flushed();
    } while (!over.aborted && !this.#isOver(job));
  }

  /** Passes what this peer holds on to the others; false when that could not be done in time. */
  async leave(): Promise<boolean> {
    return (await this.#swarm?.leave()) ?? true;
  }

  /** What this peer does in the swarm; nothing where it crawls alone. */
  get swarm(): Swarm | undefined {
    return this.#swarm;
  }

  async #admitSeeds(job: Job, links: PackedLinks): Promise<number> {
    if (this.#swarm) return this.#swarm.inject(job, unpackLinks(links));
    const { added } = await this.#admission.admit(seedsOf(job, links));
    await this.#journal.flushed();
    return added.length;
  }

  async #saveJobs(): Promise<void> {
    void this.#journal.append(this.#jobs.takeUnsaved());
    await this.#journal.flushed();
  }

  async #tick(): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#tickAbort;
    this.#workTime.count(this.#jobs.all(), clock.nowMs());
    while (!signal.aborted) {
      await clock.sleep(tickMs, signal);
      const nowMs = clock.nowMs();
      this.#jobLog.observe(this.#workTime.count(this.#jobs.all(), nowMs), nowMs);
      this.#pace.observe(this.#jobs.pages, nowMs);
      // Where others held it back, nothing else tells that they do no more.
      this.#dispatcher.wake();
      this.#looks.fire();
      if (this.#sieve.snapshotDue) void this.#journal.append(this.#sieve.snapshotPart());
    }
  }

  async #drain(): Promise<void> {
    const { clock } = this.#ports;
    const inTime = new AbortController();
    const cut = clock.sleep(this.#options.drainMs, inTime.signal).then(() => {
      if (!inTime.signal.aborted) this.#abort.abort();
    });
    await this.#dispatcher.drained();
    inTime.abort();
    await cut;
    this.#abort.abort();
    await this.#admission.idle();
    // A failure has been reported already; what matters here is that nothing is under way any more.
    await this.#sieve.save(this.#journal).catch(() => undefined);
    await this.#saveJobs().catch(() => undefined);
  }

  #fail(error: unknown): void {
    if (isOfClosedJournal(error)) return;
    this.#failure ??= { error, wasRunning: this.#state === "running" };
    this.#dispatcher.stop();
    this.#abort.abort();
    this.#failed.resolve(error);
  }

  #isOver(job: Job): boolean {
    return isFinished(job) || this.#frontier.isStalled(job);
  }

  /** Asks other members for a job of which this peer has not heard; it may be unknown all the same. */
  async #heardOf(id: JobId | undefined): Promise<void> {
    if (id !== undefined) await this.#swarm?.jobs.hearOf(id);
  }
}
