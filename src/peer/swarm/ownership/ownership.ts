import { ArcSet } from "../../../core/ring/arc-set.ts";
import { preferredArcs } from "../../../core/ring/preferred-arcs.ts";
import type { Ring } from "../../../core/ring/ring.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import { Alarm } from "../../alarm.ts";
import { ArcInquiry } from "./arc-inquiry.ts";
import { mayClaim, type ArcClaim } from "./arc-claim.ts";
import type { ArcTransfer } from "./arc-transfer.ts";
import type { BlindClaims } from "./blind-claims.ts";
import { Copies } from "../replication/copies.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { RangeSync } from "../replication/range-sync.ts";
import type { Replicator } from "../replication/replicator.ts";
import type { OwnershipOptions } from "./ownership-options.ts";
import type { QueueWeeding } from "./queue-weeding.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "./territory.ts";

/** Changes that come together are looked at together; after a long look it rests as long, where it was not merely stopped. */
const settleMs = { min: 20, max: 1_000 };

/**
 * Brings what this peer holds into line with the ring: the one place where arcs begin and end to be crawled.
 *
 * The life of an arc's right: it is claimed when nobody has it, by the member with the best copy; its holder keeps the
 * members that the ring names supplied with copies; when the ring names another owner, the holder stops crawling the arc,
 * completes the copy, and passes the right on. So a join is: copies to the one that joins, then the ring changes, then
 * transfers. A leave is: the ring changes, copies where there are none yet, transfers. A crash is: the ring changes, claims,
 * new copies. A healed partition is: copies both ways between the two holders, then a transfer to the one that the ring
 * names. What of that is done now each look decides anew; {@link Copies} has the copies made.
 */
export class Ownership {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #replicator: Replicator;
  readonly #transfer: ArcTransfer;
  readonly #claim: ArcClaim;
  readonly #blind: Pick<BlindClaims, "known">;
  readonly #weeding: Pick<QueueWeeding, "isDue" | "next" | "run">;
  readonly #copies: Copies;
  readonly #inquiry: ArcInquiry;
  readonly #options: OwnershipOptions;
  readonly #onCrawl: (arcs: ArcSet) => void;
  readonly #onFailure: (error: unknown) => void;
  /** What is on its way to each member; at this peer's own name, what is being weeded and is not to go anywhere. */
  readonly #transferring = new Map<
    MemberId,
    { readonly arcs: ArcSet; readonly done: Promise<void> }
  >();
  #ownedIn: { readonly ring: Ring; readonly arcs: ArcSet } | undefined;
  #claiming: Promise<void> | undefined;
  /** Owned by the ring and without a trace of a holder. */
  #orphans: { readonly arcs: ArcSet; readonly sinceMs: Millis } | undefined;
  readonly #alarm: Alarm;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    ports: { readonly calls: PeerCalls; readonly clock: Clock; readonly logger: Logger },
    parts: {
      readonly view: SwarmView;
      readonly territory: Territory;
      readonly replicator: Replicator;
      readonly sync: RangeSync;
      readonly transfer: ArcTransfer;
      readonly claim: ArcClaim;
      readonly blind: Pick<BlindClaims, "known">;
      readonly weeding: Pick<QueueWeeding, "isDue" | "next" | "run">;
    },
    options: { readonly replicas: number; readonly ownership: OwnershipOptions },
    events: {
      /** The arcs that are to be crawled from now on, and no others. */
      readonly onCrawl: (arcs: ArcSet) => void;
      readonly onFailure: (error: unknown) => void;
    },
  ) {
    this.#clock = ports.clock;
    this.#alarm = new Alarm(ports.clock);
    this.#logger = ports.logger;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#replicator = parts.replicator;
    this.#transfer = parts.transfer;
    this.#claim = parts.claim;
    this.#blind = parts.blind;
    this.#weeding = parts.weeding;
    const { inquiryAfterMs } = options.ownership;
    this.#inquiry = new ArcInquiry(ports, parts, inquiryAfterMs, this.#stop.signal);
    this.#options = options.ownership;
    this.#onCrawl = events.onCrawl;
    this.#onFailure = events.onFailure;
    this.#copies = new Copies(
      ports,
      parts,
      { ...options.ownership, replicas: options.replicas },
      this.#stop.signal,
      { onEnd: () => this.look(), onFailure: events.onFailure },
    );
  }

  start(): void {
    this.#running = this.#run().catch(this.#onFailure);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#alarm.ring();
    await this.#running;
    await this.#copies.settled();
    await Promise.allSettled([...this.#transferring.values()].map(({ done }) => done));
    await this.#claiming;
    await this.#inquiry.settled();
  }

  /** A member has passed arcs on to this peer. */
  taken(from: MemberId, arcs: ArcSet): void {
    this.#copies.taken(from, arcs);
    this.look();
  }

  /** Something has changed: the ring, who holds what, how far a copy has come. */
  look(): void {
    this.#alarm.ring();
  }

  /** Whether ring and holdings agree and nothing is being copied, passed on or claimed. */
  get isSettled(): boolean {
    return (
      this.#view.role !== "joining" &&
      !this.#copies.areUnderWay &&
      this.#transferring.size === 0 &&
      this.#claiming === undefined &&
      this.#territory.bereft(this.#view).isEmpty &&
      this.#territory.held.equals(this.#owned()) &&
      this.#copies.areComplete
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const startedAtMs = this.#clock.nowMs();
      this.#step();
      const tookMs = this.#clock.nowMs() - startedAtMs;
      await this.#alarm.sleep(this.#options.lookIntervalMs);
      await this.#clock.sleep(Math.min(Math.max(settleMs.min, tookMs), settleMs.max), signal);
    }
  }

  #step(): void {
    this.#copies.setNeeds();
    this.#crawlOpen();
    this.#startClaim();
    this.#copies.make();
    this.#copies.compare();
    this.#startTransfers();
    this.#inquiry.look(this.#awaited(), () => this.look());
    // The copies of one that leaves may be lost before others are made.
    if (this.#view.role === "active") this.#copies.release();
    this.#becomeActive();
    this.#startWeeding();
  }

  #crawlOpen(): void {
    this.#onCrawl(this.#blind.known(this.#territory.open.intersect(this.#owned())));
  }

  #owned(): ArcSet {
    const { ring, self } = this.#view;
    if (this.#ownedIn?.ring !== ring) this.#ownedIn = { ring, arcs: ring.arcsOf(self) };
    return this.#ownedIn.arcs;
  }

  #startTransfers(): void {
    const { ring } = this.#view;
    let strange = this.#blind.known(this.#territory.held.subtract(this.#owned()));
    // What is on its way to one member is not offered to another: the ring may have changed meanwhile.
    for (const { arcs } of this.#transferring.values()) strange = strange.subtract(arcs);
    if (strange.isEmpty) return;
    for (const [member, arcs] of preferredArcs(ring, 1, strange)) {
      const stream = this.#replicator.stream(member);
      if (this.#transferring.has(member) || !stream) continue;
      const ready = arcs.intersect(stream.synced);
      if (ready.isEmpty) continue;
      const done = this.#transfer
        .run(stream, ready, this.#stop.signal)
        .catch(this.#onFailure)
        .finally(() => {
          this.#transferring.delete(member);
          this.look();
        });
      this.#transferring.set(member, { arcs: ready, done });
    }
  }

  /** When nobody else holds any of it, and no copy brings back any more what is taken out. */
  #startWeeding(): void {
    if (!this.#weeding.isDue || !this.isSettled) return;
    const sites = this.#weeding.next();
    const { self } = this.#view;
    const done = this.#weeding
      .run(sites, () => this.#crawlOpen())
      .catch(this.#onFailure)
      .finally(() => {
        this.#transferring.delete(self);
        this.look();
      });
    this.#transferring.set(self, { arcs: sites, done });
  }

  /** Claims what was lost with its holder, and what this peer should hold and nobody is known to hold. */
  #startClaim(): void {
    const lost = this.#territory.bereft(this.#view);
    const orphans = this.#ripeOrphans(lost);
    const arcs = lost.union(orphans);
    if (arcs.isEmpty || this.#claiming || !mayClaim(this.#view.role)) return;
    this.#claiming = this.#claim
      .run(arcs, orphans, this.#stop.signal)
      .catch(this.#onFailure)
      .finally(() => {
        this.#claiming = undefined;
        this.look();
      });
  }

  /** What should have come to this peer from others by now. */
  #awaited(): ArcSet {
    const { role } = this.#view;
    if (role === "active") return this.#owned().subtract(this.#territory.held);
    return role === "joining" ? this.#uncopied() : ArcSet.empty;
  }

  #ripeOrphans(lost: ArcSet): ArcSet {
    const arcs = this.#untraced().subtract(lost);
    if (arcs.isEmpty) {
      this.#orphans = undefined;
      return arcs;
    }
    const nowMs = this.#clock.nowMs();
    if (!this.#orphans?.arcs.covers(arcs)) this.#orphans = { arcs, sinceMs: nowMs };
    const ripeAtMs = this.#orphans.sinceMs + this.#options.orphanGraceMs;
    return this.#view.others.length === 0 || nowMs >= ripeAtMs ? arcs : ArcSet.empty;
  }

  /** Owned by the ring, not held here, and by nobody who runs as far as is known. */
  #untraced(): ArcSet {
    const missing = this.#owned().subtract(this.#territory.held);
    if (missing.isEmpty) return missing;
    const traced = this.#territory.notedWhere(({ member, generation }) =>
      this.#view.isRunning(member, generation),
    );
    return missing.subtract(traced);
  }

  /** What will be this peer's own when it has joined, and of which it has no complete copy yet. */
  #uncopied(): ArcSet {
    const { self, futureRing } = this.#view;
    const copied = this.#territory.liveCopies(this.#view);
    return futureRing.arcsOf(self).subtract(copied).subtract(this.#territory.held);
  }

  /** A joining peer has become a member when it has a copy of all that will be its own. */
  #becomeActive(): void {
    const { self, futureRing, role } = this.#view;
    if (role !== "joining" || !futureRing.has(self) || !this.#uncopied().isEmpty) return;
    this.#logger.info("joined", { members: this.#view.others.length + 1 });
    this.#view.setRole("active");
  }
}
