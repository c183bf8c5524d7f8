import { invariant } from "../../core/errors.ts";
import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import { packedUrl } from "../../core/page/packed-links.ts";
import type { ExcludedLinks, PackedLinks } from "../../core/page/parsed-page.ts";
import { territorialTagOf } from "../../core/record/key-tags.ts";
import { queuedRecord } from "../../core/record/url-state.ts";
import { QueryGuard } from "../../core/sieve/query-guard.ts";
import type { CanonicalUrl, HostName, SiteName } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import { areSeeds, candidateOf, keptOutRow, linksOf, outboxParcelOf } from "./candidate.ts";
import { sieveKeyOf, spaceOf, urlOf, urlRowKeyOf } from "./candidate.ts";
import type { Candidate } from "./candidate.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { Host } from "../frontier/host.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { PeerOptions } from "../peer-options.ts";
import type { Journal } from "../durability/journal.ts";
import { Pulse } from "../pulse.ts";
import { reconcile, withoutMerged, type Reconciled } from "./reconcile.ts";
import { HostPlaces } from "../host-places.ts";
import type { HostPlace } from "../host-places.ts";
import type { Outlet } from "./outlet.ts";
import { MergedUrls } from "./merged-urls.ts";
import { parcelId } from "../swarm/exchange/parcel.ts";
import type { Parcel } from "../swarm/exchange/parcel.ts";
import type { Sequence } from "../durability/sequence.ts";
import type { Settlement } from "../durability/settlement.ts";
import { QueueRows } from "./queue-rows.ts";
import { takeRound } from "./take-round.ts";
import type { Pending } from "./take-round.ts";
import type { SieveKeeper } from "./sieve-keeper.ts";
import { UnsettledOffers } from "./unsettled-offers.ts";

/** URLs discovered together, with what has to become durable together with them. */
export interface AdmissionRequest {
  readonly job: Job;
  readonly links: PackedLinks;
  readonly excluded: readonly ExcludedLinks[];
  /** Links from a seed to these URLs. */
  readonly depth: number;
  /** The page on which they were found, or the first URL that redirected to them; absent where that is a seed. */
  readonly via?: string;
  /**
   * The host of that page; a link to another host's site may have to go to another member. Without it, what is not held here
   * is passed over.
   */
  readonly source?: Host;
  /** URLs that redirected to these, first one first. */
  readonly redirectChain: readonly string[];
  /** What {@link settle} appends to the archive. */
  readonly archiveBytes?: number;
  /** A known page that {@link settle} asks again. */
  readonly backTo?: CanonicalUrl;
  /**
   * Called when the batch is put together: counts, and returns what finishes the page.
   *
   * @param backHost that of {@link backTo}; absent where a link to it would leave
   */
  readonly settle?: (backHost: Host | undefined) => Settlement;
}

export interface AdmissionResult {
  /** Which of the request's links are queued now. */
  readonly added: readonly number[];
  /** Resolves when all of it is durable. */
  readonly durable: Promise<void>;
}

/** Where an offered URL goes. */
interface Sifted {
  readonly candidates: Candidate[];
  /** The store has to say whether it knows them. */
  readonly asked: Candidate[];
  /** Seeds that were seen before. */
  readonly knownSeeds: Candidate[];
  /** For other members, or for another arc of this one. */
  readonly outgoing: Candidate[];
}

const newRecord = queuedRecord(0);

/**
 * Takes in discovered URLs: sieve, exact set, guards, queue. One round at a time, so that no URL can be judged new twice.
 *
 * Invariant: a page's end and the URLs found on it are in one batch of the journal. So a page is done if and only if its
 * links are durable.
 * Invariant: nothing is committed after a round that failed half-way.
 * Invariant: after a failed round every request is refused with its error: keys that were asked and not settled count
 * as seen from then on.
 */
export class Admission {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #store: Store;
  readonly #journal: Journal;
  readonly #frontier: Frontier;
  readonly #sieve: SieveKeeper;
  readonly #queryGuard = new QueryGuard();
  readonly #allowPrivate: boolean;
  readonly #onFailure: (error: unknown) => void;
  readonly #waiting: Pending[] = [];
  readonly #pulse = new Pulse();
  readonly #offers: UnsettledOffers;
  #askedCount = 0;
  #settledCount = 0;
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  readonly #sequence: Sequence;
  readonly #outlet: Outlet | undefined;
  readonly #merged: MergedUrls;
  readonly #places = new HostPlaces();

  constructor(
    ports: { readonly clock: Clock; readonly metrics: Metrics; readonly store: Store },
    parts: {
      readonly journal: Journal;
      readonly frontier: Frontier;
      readonly sieve: SieveKeeper;
      readonly sequence: Sequence;
      readonly outlet?: Outlet;
      readonly merged?: MergedUrls;
    },
    { allowPrivate }: Pick<PeerOptions, "allowPrivate">,
    onFailure: (error: unknown) => void,
  ) {
    this.#clock = ports.clock;
    this.#metrics = ports.metrics;
    this.#store = ports.store;
    this.#journal = parts.journal;
    this.#frontier = parts.frontier;
    this.#sieve = parts.sieve;
    this.#offers = new UnsettledOffers(parts.sieve);
    this.#sequence = parts.sequence;
    this.#outlet = parts.outlet;
    this.#merged = parts.merged ?? new MergedUrls();
    this.#allowPrivate = allowPrivate;
    this.#onFailure = onFailure;
  }

  /** Resolves when the URLs are in the journal; the result says when they are durable. */
  admit(request: AdmissionRequest): Promise<AdmissionResult> {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure.error;
      this.#askedCount += 1;
      this.#waiting.push({ request, resolve, reject });
      this.#running ??= this.#rounds();
    });
  }

  /** Resolves when nothing is being admitted. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Resolves when everything that was asked for before the call is in the journal. */
  async settled(): Promise<void> {
    const asked = this.#askedCount;
    await this.#pulse.until(() => this.#settledCount >= asked || this.#failure !== undefined);
  }

  async #rounds(): Promise<void> {
    while (this.#waiting.length > 0) {
      const round = takeRound(this.#waiting);
      try {
        const isEarly = (): boolean => this.#offers.isTooMany(linksOf(round));
        while (this.#journal.full || isEarly()) await this.#journal.flushed();
        this.#merged.watch();
        await this.#round(round);
        this.#settledCount += round.length;
        this.#pulse.fire();
      } catch (error) {
        this.#onFailure(error);
        this.#failure ??= { error };
        this.#pulse.fire();
        for (const { reject } of [...round, ...this.#waiting.splice(0)]) reject(error);
      }
    }
    this.#merged.unwatch();
    this.#running = undefined;
  }

  async #round(round: readonly Pending[]): Promise<void> {
    const keep = this.#offers.begin();
    const { candidates, knownSeeds, outgoing } = await this.#sift(
      round.map(({ request }) => request),
    );
    const reconciled = await reconcile(candidates, knownSeeds, {
      journal: this.#journal,
      sieve: this.#sieve,
      store: this.#store,
    });
    const hosts = await this.#frontier.hostsFor(this.#hostNames(round, reconciled.candidates));
    try {
      const left = withoutMerged(reconciled, this.#merged);
      const durable = this.#append(round, left, hosts, outgoing);
      if (left.candidates.length > 0) keep(durable);
    } catch (error) {
      // Some of the round is counted and archived, and none of it in the journal: no commit may tell of it.
      this.#journal.fail(error);
      throw error;
    }
  }

  /** Of all that may be queued, with their sites. */
  #hostNames(
    round: readonly Pending[],
    candidates: readonly Candidate[],
  ): ReadonlyMap<HostName, SiteName> {
    const names = new Map<HostName, SiteName>();
    for (const { reason, place } of candidates) if (!reason) names.set(place.host, place.site);
    for (const { request } of round) {
      const back = this.#placeBack(request);
      if (back) names.set(back.host, back.site);
    }
    return names;
  }

  /**
   * The candidates are everything that is seen for the first time, in the order of discovery; but seeds come first, whatever
   * page has a link to them at that moment.
   */
  async #sift(requests: readonly AdmissionRequest[]): Promise<Sifted> {
    const sifted: Sifted = { candidates: [], asked: [], knownSeeds: [], outgoing: [] };
    const { asked, candidates, knownSeeds } = sifted;
    const seeds = requests.filter((request) => areSeeds(request));
    for (const request of new Set([...seeds, ...requests])) {
      this.#offer(request, request.links, undefined, sifted);
      for (const { reason, links } of request.excluded) {
        this.#offer(request, links, reason, sifted);
      }
    }
    if (asked.length === 0) return sifted;
    const known = await this.#store.hasMany(asked.map(urlRowKeyOf));
    this.#metrics.count("sieve_exact_lookups_total", asked.length);
    asked.forEach((candidate, at) => {
      const existed = known[at] === true;
      const { links, index } = candidate;
      this.#sieve.sieve.settle(spaceOf(candidate), links.fingerprints, index * 4, existed);
      if (!existed) candidates.push(candidate);
      else if (areSeeds(candidate.request, candidate.reason)) knownSeeds.push(candidate);
    });
    return sifted;
  }

  #offer(
    request: AdmissionRequest,
    links: PackedLinks,
    reason: ExclusionReason | undefined,
    sifted: Sifted,
  ): void {
    const { candidates, asked, knownSeeds, outgoing } = sifted;
    const space = spaceOf({ request, reason });
    const candidate = (index: number): Candidate =>
      candidateOf({ request, links, index, reason }, this.#places);
    this.#metrics.count("sieve_offers_total", links.ends.length);
    for (let index = 0; index < links.ends.length; index += 1) {
      if (this.#linkLeaves(request, links, index)) {
        // Without a page that holds it, it is for its bringer to bring again: the arc was given up meanwhile.
        if (request.source) outgoing.push(candidate(index));
        continue;
      }
      const answer = this.#sieve.sieve.offer(space, links.fingerprints, index * 4);
      if (answer === "new") candidates.push(candidate(index));
      else if (answer === "ask") asked.push(candidate(index));
      else if (areSeeds(request, reason)) knownSeeds.push(candidate(index));
    }
  }

  /** A peer without an outlet need not know where its links stand: most of a page's are known. */
  #linkLeaves(request: AdmissionRequest, links: PackedLinks, index: number): boolean {
    if (!this.#outlet) return false;
    return this.#leaves(request, this.#places.of(packedUrl(links, index)));
  }

  #leaves({ source }: AdmissionRequest, { position }: HostPlace): boolean {
    return this.#outlet?.takes(source?.position, position) ?? false;
  }

  /** Where the known page is that is asked again here. */
  #placeBack(request: AdmissionRequest): HostPlace | undefined {
    const place = request.backTo && this.#places.of(request.backTo);
    return place && !this.#leaves(request, place) ? place : undefined;
  }

  /** From here on nothing waits: what is appended, counted and put into the frontier belongs together; returns when it is durable. */
  #append(
    round: readonly Pending[],
    { candidates, lifted }: Reconciled,
    hosts: ReadonlyMap<HostName, Host>,
    outgoing: readonly Candidate[],
  ): Promise<void> {
    const added = new Map<AdmissionRequest, number[]>();
    const ops: StoreOp[] = [...this.#sieve.log(candidates.map(sieveKeyOf))];
    const rows = new QueueRows(this.#sequence, this.#clock.nowMs(), ops);
    for (const candidate of candidates) {
      const { request } = candidate;
      const row = urlRowKeyOf(candidate);
      const host = hosts.get(candidate.place.host);
      const reason = candidate.reason ?? (host && this.#guard(candidate, host));
      if (reason !== undefined) {
        ops.push(this.#exclude(candidate, reason, row));
        continue;
      }
      invariant(host !== undefined, "a candidate's host is loaded before it is admitted");
      this.#count(candidate, host);
      ops.push({ type: "put", key: row, value: newRecord });
      rows.add(host, candidate, row);
      const places = added.get(request);
      if (places) places.push(candidate.index);
      else added.set(request, [candidate.index]);
    }
    rows.close();
    for (const host of rows.written.keys()) ops.push(...this.#frontier.keepWaiting(host));
    for (const { job, reason, key } of lifted) {
      if (reason !== undefined) job.counter.addSkipped(reason, -1);
      if (territorialTagOf(key) === "exclusion") ops.push({ type: "del", key });
    }
    const parcels = this.#dispose(outgoing, ops);
    // The ends of pages come last: who has the first part of the batch alone has links too many, never too few.
    const settlements = round.flatMap(({ request }) => {
      const back = this.#placeBack(request);
      return request.settle?.(back && hosts.get(back.host)) ?? [];
    });
    const changed = new Set(rows.written.keys());
    const nowMs = this.#clock.nowMs();
    for (const { host, ops: own, again } of settlements) {
      if (host.leaseEnds(nowMs)) changed.add(host);
      ops.push(...own);
      if (again) {
        rows.addAgain(again);
        ops.push(...this.#frontier.keepWaiting(again.host));
      }
    }
    for (const host of changed) ops.push(host.save());
    for (const { host } of settlements) {
      if (!rows.written.has(host)) ops.push(...this.#frontier.lastEnds(host));
    }
    const durable = this.#journal.append(ops);
    for (const parcel of parcels) this.#outlet?.send(parcel);
    for (const { appended } of settlements) appended(durable);
    for (const [host, added] of rows.written) this.#frontier.added(host, added);
    for (const host of changed) this.#frontier.saved(host, durable);
    for (const { request, resolve } of round) {
      resolve({ added: added.get(request) ?? [], durable });
    }
    return durable;
  }

  /** Puts what is for others, and not on its way yet, into the outbox. */
  #dispose(outgoing: readonly Candidate[], ops: StoreOp[]): Parcel[] {
    const parcels = new Map<string, Parcel>();
    for (const candidate of outgoing) {
      const key = urlRowKeyOf(candidate);
      const isKnown = this.#outlet?.knows(key, sieveKeyOf(candidate));
      if (isKnown === true || parcels.has(parcelId(key))) continue;
      const { parcel, op } = outboxParcelOf(candidate, key, this.#clock.nowMs());
      ops.push(op);
      parcels.set(parcelId(key), parcel);
    }
    return [...parcels.values()];
  }

  /** What the owner has to say: its policy on addresses, and the guards that need to know what was admitted before. */
  #guard(candidate: Candidate, host: Host): ExclusionReason | undefined {
    const { job, depth } = candidate.request;
    const { pagesPerHostMax, queriesPerPathMax } = job.definition.options;
    if (host.isPrivate && !this.#allowPrivate) return "address-forbidden";
    // Seeds, and where they redirect: who names URLs one by one means them, and no site has made them up.
    if (depth === 0) return undefined;
    if (host.admittedFor(job.space) >= pagesPerHostMax) return "host-limit";
    if (!this.#queryGuard.admit(urlOf(candidate), job.space, queriesPerPathMax))
      return "query-explosion";
    return undefined;
  }

  #exclude(candidate: Candidate, reason: ExclusionReason, key: Uint8Array): StoreOp {
    candidate.request.job.counter.addSkipped(reason);
    this.#metrics.count("excluded_urls_total", 1, { reason });
    return { type: "put", key, value: keptOutRow(candidate, reason) };
  }

  #count({ request: { job } }: Candidate, host: Host): void {
    host.countAdmitted(job.space);
    job.counter.add("queued");
    this.#metrics.count("admitted_urls_total");
  }
}
