import type { noJob } from "../../core/messages/activity.ts";
import { decodeClaim } from "../../core/messages/claim.ts";
import type { LendingOptions } from "../../core/politeness/address-loan.ts";
import { ArcSet } from "../../core/ring/arc-set.ts";
import type { CanonicalUrl, JobId, MemberId, Millis } from "../../core/units.ts";
import { latestOf, type Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Overlay } from "../../ports/overlay.ts";
import type { Store } from "../../ports/store.ts";
import type { Admission } from "../admission/admission.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { Job, JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";
import type { MissedTime } from "../robots/missed-time.ts";
import type { Sequence } from "../durability/sequence.ts";
import type { SieveKeeper } from "../admission/sieve-keeper.ts";
import { AddressLending } from "./addresses/address-lending.ts";
import { Exchange } from "./exchange/exchange.ts";
import { ForwardDesk } from "./exchange/forward-desk.ts";
import { Homecoming } from "./ownership/homecoming.ts";
import { Holdings } from "./ownership/holdings.ts";
import { injectSeeds } from "./exchange/inject-seeds.ts";
import { joinSwarm } from "./members/join-swarm.ts";
import { JobSpread } from "./jobs/job-spread.ts";
import { leaveSwarm } from "./members/leave-swarm.ts";
import { LaterRuns } from "./members/later-runs.ts";
import { MemberView } from "./members/member-view.ts";
import { MinorityWatch } from "./ownership/minority-watch.ts";
import { MixedQueues } from "./replication/mixed-queues.ts";
import { newOwnership } from "./ownership/new-ownership.ts";
import type { Ownership } from "./ownership/ownership.ts";
import { PageTally } from "./jobs/page-tally.ts";
import type { Delivery, Parcel } from "./exchange/parcel.ts";
import { PeerCalls } from "./peer-calls.ts";
import { PeerHandlers } from "./peer-handlers.ts";
import { ReplicaKeeper } from "./replication/replica-keeper.ts";
import { Replicator } from "./replication/replicator.ts";
import { RingBook } from "./members/ring-book.ts";
import { beginGeneration, generationOp } from "./members/saved-generation.ts";
import type { SwarmOptions } from "./swarm-options.ts";
import { StallWatch } from "./ownership/stall-watch.ts";
import { Termination } from "./jobs/termination.ts";
import { Territory } from "./ownership/territory.ts";
import { whyBusy } from "./jobs/why-busy.ts";

interface SwarmPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly overlay: Overlay;
  readonly store: Store;
}

/** What the swarm needs of the peer that takes part in it. */
export interface SwarmParts {
  readonly frontier: Frontier;
  readonly jobs: JobRegistry;
  readonly journal: Journal;
  readonly missed: MissedTime;
  readonly sequence: Sequence;
  readonly sieve: SieveKeeper;
  /** To be called when what held requests back is over. */
  readonly wake: () => void;
}

/** Time for the word that this peer has left to reach the others: it is told twice. */
const farewellMs: Millis = 800;

/** What a peer that stops leaves its replicas, at least, to take in the rest. */
const replicasWithinMs: Millis = 3_000;

/**
 * A peer's part in the swarm.
 *
 * Reading on: {@link MemberView} knows who is there and what the ring is; {@link Ownership} decides what is crawled here;
 * {@link Exchange} sends discovered URLs to their owners and {@link ForwardDesk} receives them; {@link Replicator} sends every change
 * to the members that keep copies, where a {@link ReplicaKeeper} takes it in; {@link Termination} knows when a job is over.
 */
export class Swarm {
  readonly view: MemberView;
  readonly territory = new Territory();
  readonly replicator: Replicator;
  readonly exchange: Exchange;
  readonly ownership: Ownership;
  readonly homecoming: Homecoming;
  readonly termination: Termination;
  readonly jobs: JobSpread;
  readonly calls: PeerCalls;
  readonly tally: PageTally;
  readonly #stalls: StallWatch;
  readonly #minority: MinorityWatch;
  /** A request was held back because too much was on its way to other members. */
  #heldBack = false;
  /** Absent where addresses keep no clock. */
  readonly lending: AddressLending | undefined;
  readonly #ports: SwarmPorts;
  readonly #parts: SwarmParts;
  readonly #options: SwarmOptions;
  readonly keeper: ReplicaKeeper;
  readonly #mixed = new MixedQueues();
  readonly #holdings: Holdings;
  readonly #onFailure: (error: unknown) => void;
  readonly #stop = new AbortController();
  #admission: Admission | undefined;
  #desk: ForwardDesk | undefined;
  #background: Promise<unknown> = Promise.resolve();

  constructor(
    ports: SwarmPorts,
    parts: SwarmParts,
    options: SwarmOptions & {
      readonly version: string;
      readonly rings?: RingBook;
      readonly lending: LendingOptions;
    },
    onFailure: (error: unknown) => void,
  ) {
    this.#ports = ports;
    this.#parts = parts;
    this.#options = options;
    this.#onFailure = onFailure;
    const rings = options.rings ?? new RingBook(options.cluster.ring);
    const generation = Math.floor(ports.clock.nowMs());
    const heard = {
      onBuried: () => this.lending?.forfeit(),
      onMovedOn: (moved: number) => this.#movedOn(moved),
      onLaterRun: new LaterRuns(ports.overlay, () => this.view, this.#stop.signal, onFailure).heard,
    };
    this.view = new MemberView(ports, rings, { ...options, generation }, heard);
    const { view, territory } = this;
    this.calls = new PeerCalls({ ...ports, missed: parts.missed }, view, this.#stop.signal);
    const called = { ...ports, calls: this.calls };
    this.replicator = new Replicator(
      called,
      { view, territory },
      {
        replicator: { replicas: options.cluster.replicas, queuedRowsMax: options.queuedRowsMax },
        stream: options.stream,
      },
      () => this.#progressed(),
    );
    const send = (parcel: Parcel): void => this.exchange.send(parcel);
    this.keeper = new ReplicaKeeper(ports, { ...parts, mixed: this.#mixed, territory, send });
    this.homecoming = new Homecoming(called, { view, territory });
    this.#holdings = new Holdings(
      ports.store,
      {
        ...parts,
        mixed: this.#mixed,
        keeper: this.keeper,
        territory,
        exchange: () => this.exchange,
      },
      () => this.ownership.look(),
    );
    this.termination = this.#newTermination(called);
    this.tally = new PageTally(ports, { ...parts, view });
    const count = (ids: readonly JobId[]): Promise<void> => this.#holdings.count(ids);
    const spreadEvents = { onMerged: () => this.#merged(), onFailure };
    this.jobs = new JobSpread(called, { ...parts, view, tally: this.tally, count }, spreadEvents);
    const events = { onStall: () => this.#stoodStill(), onCleared: () => this.#goesOn() };
    this.#stalls = new StallWatch(called, { ...parts, view, territory }, this.#stop.signal, events);
    this.#minority = new MinorityWatch(ports.logger, options.minority, parts.wake);
    this.exchange = new Exchange(
      ports,
      { ...parts, view, territory, deliver: (to, parcels) => this.#deliver(to, parcels) },
      { ...options.exchange, replicas: options.cluster.replicas },
      onFailure,
    );
    this.ownership = this.#newOwnership(called);
    if (options.lending.addressDelayMs > 0) {
      const lent = { view, bench: parts.frontier.turns };
      this.lending = new AddressLending(ports, lent, options.lending);
    }
    parts.journal.observe((ops, durable) => this.replicator.observe(ops, durable));
    parts.journal.observe((ops) => this.termination.observe(ops, this.replicator.sequence));
  }

  /** Nothing is crawled until the swarm says what. Serves the other members from here on. */
  async start(admission: Admission): Promise<void> {
    const { clock, overlay, store } = this.#ports;
    const { replicator, territory, view } = this;
    this.#admission = admission;
    this.#desk = new ForwardDesk({
      ...this.#parts,
      admission,
      replicator,
      territory,
      view,
      onUnknownJob: (from) => void this.jobs.learn(from),
    });
    this.#parts.jobs.forgetQueued();
    this.#parts.frontier.crawl(ArcSet.empty);
    new PeerHandlers(this.#ports, {
      ...this.#parts,
      desk: this.#desk,
      keeper: this.keeper,
      replicator,
      spread: this.jobs,
      termination: this.termination,
      territory,
      view,
      keptAt: (member) => this.replicator.stream(member)?.synced ?? ArcSet.empty,
      accept: async (from, arcs, doubtAgeMs) => {
        await this.#holdings.take(arcs, doubtAgeMs);
        this.ownership.taken(from, arcs);
      },
      onNoted: () => this.ownership.look(),
    }).serve(overlay);
    this.lending?.serve(overlay);
    overlay.onClaim((from, payload) => this.#heard(from, payload));
    view.onChange(() => this.#viewChanged());
    view.runAs(await beginGeneration(store, clock.nowMs()));
    await overlay.start();
    view.start();
    this.ownership.start();
    const { signal } = this.#stop;
    this.#background = Promise.all([
      this.jobs.run(signal),
      this.tally.run(signal),
      this.#stalls.run(),
      this.homecoming.run(signal),
      joinSwarm(this.#ports, this.view, this.#options.join, signal),
    ]);
    this.#background.catch(this.#onFailure);
  }

  /** Passes everything on, as {@link leaveSwarm} does; with whether that is done. */
  leave(): Promise<boolean> {
    const { view, homecoming, territory, termination } = this;
    return leaveSwarm(
      this.#ports.clock,
      { view, homecoming, territory, termination, isSettled: () => this.isSettled },
      this.#options.leaveTimeoutMs,
      this.#stop.signal,
    );
  }

  /**
   * To be called when nothing is under way any more: the replicas get the rest, and the others are told.
   *
   * @param drainedByMs when the last request should have ended; what it did not need of that time is the replicas'
   */
  async stop(drainedByMs: Millis): Promise<void> {
    if (!this.#admission) return;
    this.exchange.sweep();
    await this.replicator.emptied(drainedByMs + replicasWithinMs);
    this.lending?.stop();
    this.#stop.abort();
    this.exchange.stop();
    this.replicator.stop();
    await this.ownership.stop();
    await this.#background.catch(() => undefined);
    // Whoever asks during the farewell shall hear that nothing is held here any more.
    this.territory.abandon();
    // One that could not listen never was a member.
    if (this.view.hasStarted) this.view.setRole("left");
    if (this.view.others.length > 0) await this.#ports.clock.sleep(farewellMs);
    this.tally.save();
    await this.view.stop();
    await this.#ports.overlay.stop();
  }

  /** Ends at once, without a word to the others. */
  async abandon(): Promise<void> {
    this.lending?.abandon();
    this.#stop.abort();
    this.exchange.stop();
    this.replicator.stop();
    await this.#ports.overlay.stop();
  }

  /** Brings seeds to their owners; see {@link injectSeeds}. */
  inject(job: Job, urls: readonly CanonicalUrl[]): Promise<number> {
    const { clock } = this.#ports;
    const { injectTimeoutMs } = this.#options;
    return injectSeeds(
      { clock, exchange: this.exchange },
      job,
      urls,
      injectTimeoutMs,
      this.#stop.signal,
    );
  }

  /** Whether every arc is where it belongs, with all that is known of it. */
  get isSettled(): boolean {
    return this.ownership.isSettled && this.homecoming.isDone;
  }

  /** True while as much waits for other members as may wait; callers take up no new work. */
  get full(): boolean {
    return this.exchange.full || this.replicator.full;
  }

  /** Whether no request may go out now; the peer is woken when that is over. */
  get holdsRequests(): boolean {
    this.#heldBack = this.full;
    return this.#heldBack || this.#stalls.isHolding || this.#minority.isHolding;
  }

  /** Whether this process has stood still, and not learnt yet what has been done without it. */
  get isDazed(): boolean {
    return this.#stalls.isHolding;
  }

  /** How often this process has stood still. */
  get standstills(): number {
    return this.#stalls.count;
  }

  /** The same, as it was when a host was last let out. */
  get standstillsSeen(): number {
    return this.#stalls.seen;
  }

  /** What was lent to this run under its number so far is free to its lenders. */
  #movedOn(generation: number): void {
    void this.#parts.journal.append([generationOp(generation)]);
    this.lending?.forfeit();
  }

  #stoodStill(): void {
    this.homecoming.again();
    this.lending?.forfeit();
  }

  /** Others may have asked the hosts of what is held here until now. */
  #goesOn(): void {
    this.#parts.frontier.doubts.add(this.territory.held);
    this.#parts.wake();
  }

  #progressed(): void {
    if (!this.#heldBack || this.full) return;
    this.#heldBack = false;
    this.#parts.wake();
  }

  #newOwnership(called: SwarmPorts & { readonly calls: PeerCalls }): Ownership {
    return newOwnership(
      called,
      {
        ...this.#parts,
        holdings: this.#holdings,
        homecoming: this.homecoming,
        jobs: this.jobs,
        keeper: this.keeper,
        mixed: this.#mixed,
        replicator: this.replicator,
        termination: this.termination,
        territory: this.territory,
        view: this.view,
        admissionsDone: async () => this.#admission?.settled(),
        look: () => this.ownership.look(),
      },
      this.#options,
      this.#onFailure,
    );
  }

  async #deliver(to: MemberId, parcels: readonly Parcel[]): Promise<Delivery> {
    const entries = parcels.map(({ entry }) => entry);
    if (to !== this.view.self) return this.calls.forward(to, entries);
    return this.#desk?.receive(this.view.self, entries) ?? { kind: "later", afterMs: 100 };
  }

  #heard(from: MemberId, payload: Uint8Array): void {
    const claim = decodeClaim(payload, latestOf(this.#ports.clock));
    if (!claim) return;
    if ("members" in claim) this.view.heard(from, claim.members);
    else if ("pageCounts" in claim) this.tally.take(from, claim.pageCounts);
    else if ("pastPageCounts" in claim) this.tally.takePast(from, claim.pastPageCounts);
    else this.jobs.take([claim.jobDefinition]);
  }

  #viewChanged(): void {
    this.lending?.membersChanged();
    this.#minority.look(this.view.members());
    this.exchange.reroute();
    this.ownership.look();
  }

  #merged(): void {
    void this.#parts.journal.append(this.#parts.jobs.takeUnsaved());
    this.#parts.frontier.jobsChanged();
  }

  #newTermination(called: SwarmPorts & { readonly calls: PeerCalls }): Termination {
    const busy = (id: JobId | typeof noJob, changedAt: number): string | undefined => {
      const { exchange, isSettled, replicator } = this;
      return whyBusy(id, changedAt, { ...this.#parts, exchange, isSettled, replicator });
    };
    return new Termination(called, { view: this.view, homecoming: this.homecoming, busy });
  }
}
