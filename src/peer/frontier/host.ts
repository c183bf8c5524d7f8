import type { HostAnswer } from "../../core/answers/host-status.ts";
import type { HostVisit } from "../../core/frontier/host-visit.ts";
import { LazySet } from "../../core/lazy-collections.ts";
import { isPrivateHost } from "../../core/net/address-policy.ts";
import { LearnedDelay } from "../../core/politeness/learned-delay.ts";
import { type HostJob, HostRecord } from "../../core/record/record.pb.ts";
import { hostAddress, hostKey } from "../../core/record/host-keys.ts";
import type { HostAddress } from "../../core/record/host-keys.ts";
import { positionOfHash } from "../../core/ring/ring-position.ts";
import type { RingPosition } from "../../core/ring/ring-position.ts";
import type { Millis, OriginName } from "../../core/units.ts";
import type { ResolveFailure } from "../../ports/resolver.ts";
import type { StoreOp } from "../../ports/store.ts";
import { isRunnable, jobHold } from "../jobs/job-registry.ts";
import type { Job } from "../jobs/job-registry.ts";

/** A name that had no address when it was looked up. */
export interface Unresolved {
  readonly failure: ResolveFailure;
  readonly detail: string;
  /** A visit has ended with it, or it was made for none; no other one is to. */
  isTold: boolean;
}

/** A host with queued URLs: what the workbench needs of it, and what the database keeps of it. */
export class Host {
  readonly visit: HostVisit;
  readonly keys: HostAddress;
  /** Where its site stands on the ring. */
  readonly position: RingPosition;
  /** Known from the database, so that an earlier process may have asked it a moment ago. */
  readonly isInherited: boolean;
  /** Leads to an address that is not public, by its form alone. */
  readonly isPrivate: boolean;
  /** Longest Crawl-delay that a robots.txt of this host has asked for since one was read again. */
  crawlDelayMs: Millis | undefined;
  /** The delay that it was found to need by its refusals. */
  readonly learnedDelay: LearnedDelay;
  /** Origins of it whose robots.txt a visit asks for at present. */
  readonly askedOrigins = new LazySet<OriginName>();
  /** When the visit's address must be looked up again. */
  addressExpiresAtMs: Millis = 0;
  /** Whether that was so when its latest turn came, which it has lost for that. */
  wasAddressOld = false;
  /** Whether its name had more than one when it was last looked up. */
  hasOtherAddresses = false;
  /** No connection was made to the visit's address: another takes its place when it is looked up. */
  isPassedOver = false;
  /** How it failed last, while it has not been well since. */
  lastFailure: HostAnswer | undefined;
  /** Set while the host has no address. */
  unresolved: Unresolved | undefined;
  /** Jobs that have, or may have, URLs of this host; others may, too, while it is {@link Host.isUnread}. */
  readonly jobs = new LazySet<Job>();
  /** What was done last to the row by which a start finds it, where that is known. */
  waitingRow: "written" | "deleted" | undefined;
  /** True while its queue or its address is being looked up. */
  preparing = false;
  /** URLs admitted so far, by job: there are few. */
  #admitted: HostJob[];
  /** What the latest row that was written here says for good; undefined until there is one. */
  #written:
    { readonly hasFailures: boolean; readonly crawlDelayMs: Millis | undefined } | undefined;
  /** What the latest row says of when it opens. */
  #writtenOpensAtMs: Millis;
  /** How often the database was expected to have URLs of it, and how often it had been when its jobs were read. */
  #expected = 0;
  #read = 0;
  /** Leases have ended of which the latest row does not know. */
  #isAhead = false;

  /** @param keys where the keys of its rows stand */
  constructor(
    visit: HostVisit,
    record: HostRecord | undefined,
    keys: HostAddress = hostAddress(visit.site, visit.host),
  ) {
    this.visit = visit;
    this.keys = keys;
    this.position = positionOfHash(this.keys.position);
    this.isPrivate = isPrivateHost(visit.host);
    this.isInherited = record !== undefined;
    this.crawlDelayMs = record?.crawlDelayMs;
    this.learnedDelay = new LearnedDelay(record?.learnedDelayMs);
    this.#writtenOpensAtMs = record?.nextFetchAtMs ?? 0;
    this.#admitted = record?.jobs.map((count) => ({ ...count })) ?? [];
  }

  /** Whether the database has a row of it, or will have. */
  get isStored(): boolean {
    return this.isInherited || this.#written !== undefined;
  }

  /** Whether the job asks something of the host at present, or may, and so has a say in its pace. */
  mayBeAskedBy(job: Job): boolean {
    const isAtRest = job.leases === 0 && !isRunnable(job);
    return !isAtRest && this.mayHave(job);
  }

  /** The database may have URLs of it, nobody knows of which jobs. */
  expectOnDisk(): void {
    this.#expected += 1;
    this.visit.queue.expectAllOnDisk();
  }

  /** Whether it is still to be read of which jobs the database has URLs of it. */
  get isUnread(): boolean {
    return this.#read < this.#expected;
  }

  /** Announces that it is read now; what is called when it has been, with those jobs. */
  beginRead(): (jobs: Iterable<Job>) => void {
    const expected = this.#expected;
    return (jobs) => {
      this.#read = expected;
      for (const job of jobs) {
        this.jobs.add(job);
        this.visit.queue.expectOnDisk(job.definition.id);
      }
    };
  }

  /**
   * Lets go of what it has in memory of jobs of which nothing will be fetched before they are changed. What a cancelled one
   * has queued is no work at all: it stays on disk, to be told of.
   */
  unloadHeld(): void {
    // Who reads its queue reads on of each job that had more, and does this at the end.
    if (this.preparing) return;
    for (const job of this.jobs) {
      const hold = jobHold(job);
      if (hold === undefined) continue;
      const { queue } = this.visit;
      if (hold !== "cancelled") queue.unload(job.definition.id);
      else if (queue.drop(job.definition.id)) this.jobs.delete(job);
    }
  }

  /** Whether it has URLs of the job, or may have. */
  mayHave(job: Job): boolean {
    return this.isUnread || this.visit.queue.mayHave(job.definition.id);
  }

  admittedFor(space: number): number {
    return this.#countOf(space)?.admitted ?? 0;
  }

  countAdmitted(space: number): void {
    const count = this.#countOf(space);
    if (count) count.admitted += 1;
    // To push one would make room for 16 more.
    else this.#admitted = this.#admitted.concat({ space, admitted: 1 });
  }

  #countOf(space: number): HostJob | undefined {
    return this.#admitted.find((count) => count.space === space);
  }

  /**
   * A lease of it ends. Returns whether the host's row has to be written for that: not where nothing of its request is
   * left behind but the pace. Whoever reads the row later without having asked the host lets it rest for a full delay,
   * and a host that is forgotten here leaves its pace behind ({@link Host.leave}).
   */
  leaseEnds(nowMs: Millis): boolean {
    this.#isAhead = true;
    const { gate, delayMs } = this.visit;
    const written = this.#written;
    if (!written || written.hasFailures || written.crawlDelayMs !== this.crawlDelayMs) return true;
    return gate.hasFailures || gate.nextFetchAtMs > nowMs + delayMs;
  }

  /** It is to be forgotten here: the write of what its row does not say yet, and what may matter to who reads it. */
  leave(nowMs: Millis): readonly StoreOp[] {
    return this.#isAhead && this.visit.gate.nextFetchAtMs > nowMs ? [this.save()] : [];
  }

  /** It gives its place up until it opens: the write of what its row does not say yet, all of which matters then. */
  close(): readonly StoreOp[] {
    const isWritten = !this.#isAhead && this.#writtenOpensAtMs === this.visit.gate.nextFetchAtMs;
    return isWritten ? [] : [this.save()];
  }

  /** The write that makes the host's clocks and counts as durable as the batch it goes into. */
  save(): StoreOp {
    const { hasFailures } = this.visit.gate;
    const { ms: learnedDelayMs } = this.learnedDelay;
    this.#written = { hasFailures, crawlDelayMs: this.crawlDelayMs };
    this.#isAhead = false;
    this.#writtenOpensAtMs = this.visit.gate.nextFetchAtMs;
    const value = HostRecord.encode({
      host: this.visit.host,
      ...this.visit.gate.snapshot(),
      jobs: this.#admitted,
      ...(this.crawlDelayMs === undefined ? {} : { crawlDelayMs: this.crawlDelayMs }),
      ...(learnedDelayMs > 0 && { learnedDelayMs }),
    });
    return { type: "put", key: hostKey("host", this.keys), value };
  }
}

/** What a host's queued URLs wait for while its gate is open. */
export function turnOf(host: Host | undefined): "in-flight" | "waiting-turn" {
  return host && host.visit.openRequests > 0 ? "in-flight" : "waiting-turn";
}
