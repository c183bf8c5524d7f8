import { isFounded, isGone, stateOf } from "../../../core/membership/member.ts";
import type { Member, MemberRole } from "../../../core/membership/member.ts";
import type {
  MembershipAction,
  MembershipMessage,
} from "../../../core/membership/membership-message.ts";
import { Membership } from "../../../core/membership/membership.ts";
import type { MembershipOptions } from "../../../core/membership/membership-options.ts";
import { encodeClaim } from "../../../core/messages/claim.ts";
import { decodeNotice, encodeNotice } from "../../../core/messages/notice.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Ring } from "../../../core/ring/ring.ts";
import { latestOf, type Clock } from "../../../ports/clock.ts";
import type { Entropy } from "../../../ports/entropy.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import { Alarm } from "../../alarm.ts";
import type { RingBook } from "./ring-book.ts";
import { FarClocks } from "./far-clocks.ts";
import { MemberLog } from "./member-log.ts";
import type { SwarmView } from "./swarm-view.ts";

/** How long a swarm of which nobody is active yet is waited for, before the first of those who are joining begins it. */
const foundingGraceMs: Millis = 3_000;

/**
 * Time between two renewals of the rings, for each member of weight 1. A renewal takes time in proportion to the tokens, and
 * there are bursts of as many changes: where a crowd joins, or a partition heals.
 */
const renewalRestMs: Millis = 0.5;
/** A shorter rest saves nothing. */
const renewalRestMinMs: Millis = 25;
/** A rest as long as the last renewal took is no longer than this: the process may have been stopped meanwhile. */
const renewalRestMaxMs: Millis = 1_000;

interface MemberViewEvents {
  /** Called when others have taken this run for dead. */
  readonly onBuried: () => void;
  /** Called when this run goes on under another number: others have exhausted what it can say under the one before. */
  readonly onMovedOn: (generation: number) => void;
  /** Called when somebody speaks of a later run of this member: it is to be met, or outbid. */
  readonly onLaterRun: (claim: Member) => void;
}

/** Runs the membership protocol over the overlay, and keeps the rings that follow from it. */
export class MemberView implements SwarmView {
  readonly self: MemberId;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #log: MemberLog;
  readonly #overlay: Overlay;
  #toldAddresses = "";
  readonly #newMembership: (generation: number) => Membership;
  #membership: Membership;
  readonly #rings: RingBook;
  readonly #clocks: FarClocks;
  readonly #listeners = new Set<() => void>();
  readonly #events: MemberViewEvents;
  readonly #stop = new AbortController();
  readonly #alarm: Alarm;
  #running: Promise<void> | undefined;
  #wakeAtMs: Millis = Infinity;
  #ring: Ring;
  #futureRing: Ring;
  /** Active members that the ring has no room for. */
  #withoutRoom = 0;
  #renewedAtMs: Millis = -Infinity;
  /** Time that the last renewal took, with what listens to it. */
  #renewalTookMs: Millis = 0;
  /** When the rings are renewed after changes that have not been seen to yet. */
  #renewalAtMs: Millis = Infinity;
  /** Sorted. */
  #others: readonly MemberId[] = [];
  /** Whether any member that runs is more than `joining`. */
  #isFounded = false;
  /** Since when this peer has known of nobody who is active. */
  #unfoundedSinceMs: Millis | undefined;
  /** When this peer begins the swarm, if nobody else does before. */
  #foundingAtMs: Millis = Infinity;

  constructor(
    ports: {
      readonly clock: Clock;
      readonly entropy: Entropy;
      readonly logger: Logger;
      readonly overlay: Overlay;
    },
    rings: RingBook,
    options: {
      readonly membership: MembershipOptions;
      readonly version: string;
      readonly weight: number;
      readonly generation: number;
    },
    events: MemberViewEvents,
  ) {
    this.#clock = ports.clock;
    this.#alarm = new Alarm(ports.clock);
    this.#logger = ports.logger;
    this.#log = new MemberLog(ports);
    this.#overlay = ports.overlay;
    this.#rings = rings;
    this.#clocks = new FarClocks(ports.logger);
    this.#events = events;
    this.self = ports.overlay.self;
    const { version, weight } = options;
    this.#newMembership = (generation) =>
      new Membership(
        { id: this.self, addresses: [...ports.overlay.addresses], weight, version, generation },
        options.membership,
        () => ports.entropy.random(),
      );
    this.#membership = this.#newMembership(options.generation);
    this.#ring = rings.empty;
    this.#futureRing = this.#ring;
  }

  get generation(): number {
    return this.#membership.self.generation;
  }

  get ring(): Ring {
    return this.#ring;
  }

  get futureRing(): Ring {
    return this.#futureRing;
  }

  get others(): readonly MemberId[] {
    return this.#others;
  }

  get role(): MemberRole {
    return this.#membership.self.role;
  }

  /** All members that are remembered, this one first. */
  members(): readonly Member[] {
    const { self } = this.#membership;
    return [self, ...this.#membership.members().filter(({ id }) => id !== self.id)];
  }

  isRunning(member: MemberId, generation: number): boolean {
    return this.generationOf(member) === generation;
  }

  generationOf(member: MemberId): number | undefined {
    if (member === this.self) return this.generation;
    const row = this.#membership.member(member);
    return row && !isGone(row) ? row.generation : undefined;
  }

  /** Calls `listener` after each change. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  setRole(role: Exclude<MemberRole, "joining">): void {
    this.#perform(this.#membership.setRole(role, this.#clock.nowMs()));
    // What this peer does itself holds at once.
    this.#renewIfDue(Infinity);
  }

  /** Whether this run has ever been told of to anybody. */
  get hasStarted(): boolean {
    return this.#running !== undefined;
  }

  /** Whether a member went without a word, and is taken for dead or forgotten by now. */
  get hasLostAny(): boolean {
    return this.#membership.table.hasLostAny;
  }

  /** Greets members that are taken for dead: perhaps only the way to them was cut. */
  greetLost(): void {
    this.#perform(this.#membership.greetLost(this.#clock.nowMs()));
  }

  /** Says which run this is, before anything has been heard or told. */
  runAs(generation: number): void {
    this.#membership = this.#newMembership(generation);
  }

  start(): void {
    this.#overlay.onNotice((from, payload) => {
      const latestMs = latestOf(this.#clock);
      const message = decodeNotice(payload, latestMs);
      if (!message) return;
      if (message.kind === "push-pull") this.#clocks.heard(from, message.sentAtMs, latestMs);
      this.#perform(this.#membership.receive(from, message, this.#clock.nowMs()));
    });
    this.#overlay.onBroken((member) => {
      this.#perform(this.#membership.broken(member, this.#clock.nowMs()));
    });
    this.#tellAddresses();
    this.#perform(this.#membership.start(this.#clock.nowMs()));
    this.#running = this.#run();
  }

  /** Asks these members for the swarm that they belong to. */
  join(contacts: readonly MemberId[]): void {
    this.#perform(this.#membership.join(contacts, this.#clock.nowMs()));
  }

  /** What a member said to all. */
  heard(from: MemberId, members: readonly Member[]): void {
    this.#perform(this.#membership.claims(from, members, this.#clock.nowMs()));
  }

  /** Goes on as a later run than `generation`, which somebody has claimed to be at `addresses`. */
  outbid(generation: Millis, addresses: readonly string[]): void {
    this.#log.outbid(generation, addresses);
    this.#perform(this.#membership.outbid(generation, this.#clock.nowMs()));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#alarm.ring();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#wakeAtMs = this.#nextWakeAtMs();
      await this.#alarm.sleep(this.#wakeAtMs - this.#clock.nowMs());
      if (this.#stop.signal.aborted) return;
      this.#renewIfDue(this.#clock.nowMs());
      this.#tellAddresses();
      const { size } = this.#membership.table;
      this.#carryOut(this.#membership.tick(this.#clock.nowMs()));
      // Who is forgotten counts no more in what follows from all that are remembered.
      if (this.#membership.table.size < size) this.#tellListeners();
      this.#found();
    }
  }

  #nextWakeAtMs(): Millis {
    return Math.min(this.#membership.nextWakeAtMs(), this.#renewalAtMs, this.#foundingAtMs);
  }

  /** Only an overlay that runs knows where it is reached, and that may change. */
  #tellAddresses(): void {
    const addresses = [...this.#overlay.addresses];
    const text = addresses.join(" ");
    if (text === this.#toldAddresses) return;
    this.#toldAddresses = text;
    this.#carryOut(this.#membership.setParticulars({ addresses }, this.#clock.nowMs()));
  }

  /** Does what follows from something that happened, and wakes earlier where that brought something forward. */
  #perform(actions: readonly MembershipAction[]): void {
    this.#carryOut(actions);
    if (this.#nextWakeAtMs() < this.#wakeAtMs) this.#alarm.ring();
  }

  #carryOut(actions: readonly MembershipAction[]): void {
    let changed = false;
    for (const action of actions) {
      switch (action.kind) {
        case "send":
          this.#send(action.to, action.message);
          break;
        case "broadcast":
          this.#overlay.publish(encodeClaim({ members: [action.claim] }));
          break;
        case "changed":
          changed = this.#note(action.member, action.before) || changed;
          break;
        case "buried":
          this.#events.onBuried();
          break;
        case "later-run":
          this.#events.onLaterRun(action.claim);
          break;
      }
    }
    if (changed) this.#renewSoon();
    this.#watchFounding();
  }

  #send(to: MemberId, message: MembershipMessage): void {
    const sentAtMs = Math.floor(latestOf(this.#clock));
    const said = message.kind === "push-pull" ? { ...message, sentAtMs } : message;
    this.#overlay.notify(to, encodeNotice(said));
  }

  #note(member: Member, before: Member | undefined): boolean {
    if (member.id === this.self) {
      if (before && before.generation !== member.generation)
        this.#events.onMovedOn(member.generation);
    } else if (!isGone(member)) {
      this.#overlay.learn(member.id, member.addresses);
    }
    const isSameRun = before?.generation === member.generation;
    const state = stateOf(member);
    if (!isSameRun || stateOf(before) !== state) this.#log.changed(member.id, state);
    const isAsBefore = isSameRun && isGone(before) === isGone(member);
    if (!isAsBefore && member.id !== this.self) {
      const rest = this.#others.filter((id) => id !== member.id);
      this.#others = isGone(member) ? rest : sortedWith(rest, member.id);
    }
    // Who is suspected owns and keeps what it did: a swarm under churn suspects more often than it loses.
    return !isAsBefore || before.role !== member.role || before.weight !== member.weight;
  }

  /** Renews the rings, at once unless they have just been renewed. */
  #renewSoon(): void {
    const weight = Math.max(this.#others.length, this.#futureRing.weight);
    const restMs = Math.max(weight * renewalRestMs, this.#renewalTookMs);
    const dueAtMs = restMs < renewalRestMinMs ? 0 : this.#renewedAtMs + restMs;
    if (this.#clock.nowMs() >= dueAtMs) this.#renew();
    else this.#renewalAtMs = Math.min(this.#renewalAtMs, dueAtMs);
  }

  /** Renews the rings where that has been put off until `atMs` at most. */
  #renewIfDue(atMs: Millis): void {
    if (this.#renewalAtMs < Infinity && this.#renewalAtMs <= atMs) this.#renew();
  }

  #renew(): void {
    const startedAtMs = this.#clock.nowMs();
    this.#renewedAtMs = startedAtMs;
    this.#renewalAtMs = Infinity;
    const running = this.#membership.members().filter((row) => !isGone(row));
    this.#isFounded = isFounded(running);
    const active = running.filter(({ role }) => role === "active");
    const coming = running.filter(({ role }) => role === "active" || role === "joining");
    this.#ring = this.#rings.ringOf(active, this.#ring);
    this.#tellCrowding(active.length);
    this.#futureRing =
      coming.length === active.length ? this.#ring : this.#rings.ringOf(coming, this.#futureRing);
    this.#watchFounding();
    this.#tellListeners();
    this.#renewedAtMs = this.#clock.nowMs();
    this.#renewalTookMs = Math.min(this.#renewedAtMs - startedAtMs, renewalRestMaxMs);
  }

  #tellCrowding(active: number): void {
    const without = active - this.#ring.members.length;
    if (without > 0 && this.#withoutRoom === 0)
      this.#logger.warn("ring-full", { members: this.#ring.members.length, without });
    this.#withoutRoom = without;
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Of members that all are joining, the first one begins: nobody else can tell them what there is. */
  #found(): void {
    if (this.#clock.nowMs() < this.#foundingAtMs) return;
    // Others may have begun since the rings were renewed.
    this.#renewIfDue(Infinity);
    if (this.#foundingAtMs < Infinity) this.setRole("active");
  }

  /** Who knows of nobody has not found the swarm yet, and must not begin another one. */
  #watchFounding(): void {
    const [first] = this.#others;
    if (this.role !== "joining" || this.#isFounded || first === undefined) {
      this.#unfoundedSinceMs = undefined;
      this.#foundingAtMs = Infinity;
      return;
    }
    this.#unfoundedSinceMs ??= this.#clock.nowMs();
    this.#foundingAtMs = first > this.self ? this.#unfoundedSinceMs + foundingGraceMs : Infinity;
  }
}

function sortedWith(sorted: readonly MemberId[], id: MemberId): MemberId[] {
  const behind = sorted.findIndex((other) => other > id);
  return sorted.toSpliced(behind === -1 ? sorted.length : behind, 0, id);
}
