import { invariant } from "../errors.ts";
import type { MemberId, Millis } from "../units.ts";
import { ActionList } from "./action-list.ts";
import { Announcer } from "./announcer.ts";
import { Awareness } from "./awareness.ts";
import { Contacts } from "./contacts.ts";
import { isFounded, isGone, roleRank, textOf } from "./member.ts";
import type { Member, MemberRole } from "./member.ts";
import type { MemberTable } from "./member-table.ts";
import type { MembershipAction, MembershipMessage } from "./membership-message.ts";
import { exchangeScale } from "./membership-options.ts";
import type { MembershipOptions } from "./membership-options.ts";
import { ProbeSchedule } from "./probe-schedule.ts";
import { firstPatience, Prober, signsOfIllness } from "./prober.ts";
import type { ProbeEvent } from "./prober.ts";
import { Roster, type MembershipSelf } from "./roster.ts";
import type { Suspicion } from "./suspicion.ts";

const recurring = ["probe", "pushPull", "reconnect"] as const;
/** Lost members greeted at once. */
const greetedMax = 16;

/**
 * Who is in the swarm, as one member knows it.
 *
 * The life of a member: it starts as `joining` and sends its table to a contact, which answers with its own and tells
 * the others. From then on each probes another one every interval (SWIM, Das et al. 2002). A probe without an answer is
 * tried through others; if that fails too, the member is suspected, and all are told. The suspect hears of it, from the
 * broadcast or with the next probe, and refutes it by a higher incarnation. Else it is dead when the time is over, which
 * the more members confirm the sooner it is (Lifeguard, Dadgar et al. 2018). What a broadcast did not reach is healed by
 * exchanges of whole tables: now and then with anyone, at once when the digests that travel with each probe stay
 * different, and with dead members, so that a healed partition is found.
 *
 * Pure and synchronous: each method takes the time and returns what is to be done. The caller wakes it by `tick` at
 * `nextWakeAtMs`, which may change with every call. What is handed to it has passed `readMessage` or `readClaims`.
 *
 * An exchange never kills: a death heard of in one is taken as a suspicion, since after a partition each side calls the
 * other dead, and believing it would spread that to those who know better.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #random: () => number;
  readonly #roster: Roster;
  readonly #actions = new ActionList();
  readonly #schedule: ProbeSchedule;
  readonly #prober = new Prober();
  readonly #awareness: Awareness;
  readonly #announcer: Announcer;
  /** Nobody once it knows of a swarm. */
  readonly #contacts = new Contacts();
  /** When each recurring thing is next to be done. */
  readonly #nextAtMs = { probe: Infinity, pushPull: Infinity, reconnect: Infinity };
  /** Since when all tables that were heard of differ from this one. */
  #differsSinceMs: Millis | undefined;

  constructor(self: MembershipSelf, options: MembershipOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
    this.#schedule = new ProbeSchedule(random);
    this.#awareness = new Awareness(options.awarenessMax);
    this.#announcer = new Announcer(options.probeTimeoutMs, options.probeIntervalMs);
    this.#roster = new Roster(self, {
      options,
      random,
      awareness: this.#awareness,
      announcer: this.#announcer,
      actions: this.#actions,
      onArrival: (id) => this.#schedule.add(id),
    });
  }

  /** Its own row. */
  get self(): Member {
    return this.#roster.self;
  }

  /** Digest of the table: members of the same opinion have the same. */
  get tableHash(): bigint {
    return this.#roster.table.hash;
  }

  /** All rows, its own and those of members that are gone included. */
  members(): Member[] {
    return this.#roster.table.members();
  }

  /** What of the table {@link members} does not tell. */
  get table(): Pick<MemberTable, "hasLostAny" | "size"> {
    return this.#roster.table;
  }

  member(id: MemberId): Member | undefined {
    return this.#roster.table.get(id);
  }

  /** Begins; the first turns are spread at random, so that members that start together do not act together. */
  start(nowMs: Millis): MembershipAction[] {
    this.#nextAtMs.probe = nowMs + this.#random() * this.#options.probeIntervalMs;
    this.#nextAtMs.pushPull = nowMs + this.#random() * this.#options.pushPullIntervalMs;
    this.#nextAtMs.reconnect = nowMs + this.#random() * this.#options.reconnectIntervalMs;
    this.#actions.changed({ member: this.#roster.self, before: undefined });
    this.#announcer.changed(nowMs);
    return this.#flush(nowMs);
  }

  /** Asks the contacts, and those of earlier calls, for their table, one after the other, until one tells of a swarm. */
  join(contacts: readonly MemberId[], nowMs: Millis): MembershipAction[] {
    const others = contacts.filter((id) => id !== this.#roster.self.id);
    this.#contacts.add(others, nowMs);
    this.#askContact(nowMs);
    return this.#flush(nowMs);
  }

  /** Moves on in life; `left` is the end, after which it only tells of it. */
  setRole(role: Exclude<MemberRole, "joining">, nowMs: Millis): MembershipAction[] {
    if (role === this.#roster.self.role) return [];
    invariant(
      roleRank(role) > roleRank(this.#roster.self.role),
      `a member that is ${this.#roster.self.role} cannot become ${role}`,
    );
    this.#contacts.clear();
    this.#roster.changeSelf({ role }, nowMs);
    return this.#flush(nowMs);
  }

  /** Where others reach it, and its share of the ring. */
  setParticulars(
    change: Partial<Pick<Member, "addresses" | "weight">>,
    nowMs: Millis,
  ): MembershipAction[] {
    const { self } = this.#roster;
    if (textOf({ ...self, ...change }) !== textOf(self)) this.#roster.changeSelf(change, nowMs);
    return this.#flush(nowMs);
  }

  /** There is no run of this member as late as `generation`, whatever others have heard. */
  outbid(generation: Millis, nowMs: Millis): MembershipAction[] {
    this.#roster.outbid(generation, nowMs);
    return this.#flush(nowMs);
  }

  nextWakeAtMs(): Millis {
    if (this.#roster.self.role === "left") return this.#announcer.nextAtMs;
    const { nextAtMs } = this.#contacts;
    let nextMs = Math.min(this.#announcer.nextAtMs, this.#prober.nextAtMs(), nextAtMs);
    for (const thing of recurring) nextMs = Math.min(nextMs, this.#nextAtMs[thing]);
    for (const suspicion of this.#roster.suspicions.values()) {
      nextMs = Math.min(nextMs, suspicion.nextAtMs);
    }
    return nextMs;
  }

  /** Greets the members that were lost last, without waiting for their turns. */
  greetLost(nowMs: Millis): MembershipAction[] {
    for (const id of this.#roster.table.lostIds().slice(-greetedMax)) this.#sendTable(id, false);
    return this.#flush(nowMs);
  }

  /** Does what is due. */
  tick(nowMs: Millis): MembershipAction[] {
    this.#forgiveStall(nowMs);
    if (this.#roster.self.role === "left") return this.#flush(nowMs);
    for (const event of this.#prober.due(nowMs)) this.#onProbeEvent(event, nowMs);
    for (const [id, suspicion] of this.#roster.suspicions) this.#pursue(id, suspicion, nowMs);
    this.#askContact(nowMs);
    if (nowMs >= this.#nextAtMs.probe) this.#probeNext(nowMs);
    if (nowMs >= this.#nextAtMs.pushPull) this.#exchangeAtRandom(nowMs);
    if (nowMs >= this.#nextAtMs.reconnect) this.#greetAnyLost(nowMs);
    return this.#flush(nowMs);
  }

  /** A datagram came. */
  receive(from: MemberId, message: MembershipMessage, nowMs: Millis): MembershipAction[] {
    switch (message.kind) {
      case "ping":
        for (const claim of message.claims) this.#roster.takeGently(claim, nowMs);
        this.#sendAck(from, message.sequence, message.claims.length > 0);
        this.#compareTables(from, message.tableHash, nowMs);
        break;
      case "ack":
        this.#onAck(from, message, nowMs);
        break;
      case "ping-request":
        this.#onPingRequest(from, message, nowMs);
        break;
      case "nack":
        this.#prober.nacked(from, message.sequence);
        break;
      case "push-pull":
        this.#onPushPull(from, message, nowMs);
        break;
    }
    // Behind what it said of itself: a newcomer begins with its table.
    this.#roster.meet(from);
    return this.#flush(nowMs);
  }

  /** A broadcast of `from` came. Who is no member speaks for itself alone, but to one that has yet to hear who is one. */
  claims(from: MemberId, members: readonly Member[], nowMs: Millis): MembershipAction[] {
    const isStranger = this.#contacts.isEmpty && this.#roster.table.get(from) === undefined;
    const heard = !isStranger ? members : members.filter(({ id }) => id === from);
    for (const claim of heard) this.#roster.take(claim, nowMs, from);
    return this.#flush(nowMs);
  }

  /** The connection to a member broke: it is probed at once. */
  broken(id: MemberId, nowMs: Millis): MembershipAction[] {
    if (this.#mayProbe(id)) this.#probe(id, nowMs);
    return this.#flush(nowMs);
  }

  #mayProbe(id: MemberId): boolean {
    const member = this.#roster.table.get(id);
    if (member === undefined || id === this.#roster.self.id || isGone(member)) return false;
    return !this.#prober.isProbing(id) && this.#prober.hasRoom;
  }

  #probe(target: MemberId, nowMs: Millis, patience = 1): void {
    const { probeTimeoutMs, probeIntervalMs } = this.#options;
    const timeoutMs = this.#awareness.scale(probeTimeoutMs * patience);
    const failMs = this.#awareness.scale(probeIntervalMs * patience);
    const sequence = this.#prober.begin(target, nowMs, timeoutMs, failMs);
    this.#sendPing(target, sequence, this.#roster.doubtsAbout(target));
  }

  #probeNext(nowMs: Millis): void {
    this.#roster.table.forget(nowMs);
    this.#roster.tellMore();
    const target = this.#schedule.next(this.#roster.table.presentIds(), (id) => this.#mayProbe(id));
    if (target !== undefined) {
      this.#probe(target, nowMs, this.#roster.hasMet(target) ? 1 : firstPatience);
    }
    this.#nextAtMs.probe = nowMs + this.#awareness.scale(this.#options.probeIntervalMs);
  }

  #onProbeEvent(event: ProbeEvent, nowMs: Millis): void {
    switch (event.kind) {
      case "ask-others": {
        const { target, sequence } = event;
        const helpers = this.#roster.helpersFor(target, this.#options.indirectProbes);
        this.#prober.asked(sequence, helpers);
        const claims = this.#roster.doubtsAbout(target);
        for (const helper of helpers) {
          this.#actions.send(helper, { kind: "ping-request", sequence, target, claims });
        }
        break;
      }
      case "failed":
        this.#awareness.note(signsOfIllness(event, (id) => this.#roster.hasMet(id)));
        this.#roster.accuse(event.target, nowMs);
        break;
      case "nack":
        this.#actions.send(event.to, { kind: "nack", sequence: event.sequence });
        break;
    }
  }

  #pursue(id: MemberId, suspicion: Suspicion, nowMs: Millis): void {
    const due = suspicion.due(nowMs);
    if (due === "bury") this.#roster.bury(id, nowMs);
    if (due !== "look") return;
    const { probeIntervalMs } = this.#options;
    if (this.#mayProbe(id)) this.#probe(id, nowMs);
    if (this.#prober.isProbing(id)) {
      suspicion.looked(nowMs, this.#awareness.scale(probeIntervalMs));
    } else {
      suspicion.postponeLook(nowMs + probeIntervalMs);
    }
  }

  #onAck(
    from: MemberId,
    message: Extract<MembershipMessage, { kind: "ack" }>,
    nowMs: Millis,
  ): void {
    for (const claim of message.claims) this.#roster.takeGently(claim, nowMs);
    this.#compareTables(from, message.tableHash, nowMs);
    const answer = this.#prober.acked(from, message.sequence);
    if (answer?.kind === "own") {
      this.#awareness.note(-1);
    } else if (answer?.kind === "errand") {
      const { sequence, to } = answer;
      const tableHash = this.#roster.table.hash;
      this.#actions.send(to, { kind: "ack", sequence, tableHash, claims: message.claims });
    }
  }

  #onPingRequest(
    from: MemberId,
    message: Extract<MembershipMessage, { kind: "ping-request" }>,
    nowMs: Millis,
  ): void {
    const { sequence, target, claims } = message;
    const { probeTimeoutMs: timeoutMs, probeIntervalMs: endMs } = this.#options;
    const known = target !== this.#roster.self.id && this.#roster.table.get(target) !== undefined;
    const errand = known
      ? this.#prober.beginErrand(target, { to: from, sequence }, nowMs, { timeoutMs, endMs })
      : undefined;
    if (errand === undefined) this.#actions.send(from, { kind: "nack", sequence });
    else this.#sendPing(target, errand, claims);
  }

  #onPushPull(
    from: MemberId,
    message: Extract<MembershipMessage, { kind: "push-pull" }>,
    nowMs: Millis,
  ): void {
    const joining = !this.#contacts.isEmpty;
    const sender = this.#roster.table.get(from);
    const self = this.#roster.self;
    for (const claim of message.members) this.#roster.takeGently(claim, nowMs);
    if (this.#isFounded) this.#contacts.clear();
    else this.#contacts.knewNone(from, nowMs);
    if (!message.reply) this.#sendTable(from, true);
    else if (this.#roster.self !== self) {
      this.#actions.send(from, { kind: "push-pull", members: [this.#roster.self], reply: true });
    }
    const met = this.#roster.table.get(from);
    const isNew = sender === undefined || isGone(sender) || sender.generation !== met?.generation;
    if (!joining && met !== undefined && !isGone(met) && isNew) this.#actions.broadcast(met);
  }

  /** Whether it knows of a swarm. */
  get #isFounded(): boolean {
    return this.#roster.self.role !== "joining" || isFounded(this.members());
  }

  #compareTables(from: MemberId, tableHash: bigint, nowMs: Millis): void {
    const member = this.#roster.table.get(from);
    if (member === undefined || isGone(member)) {
      if (!this.#isFounded) this.#contacts.meet(from, nowMs);
      return;
    }
    if (tableHash === this.#roster.table.hash) {
      this.#differsSinceMs = undefined;
      return;
    }
    this.#differsSinceMs ??= nowMs;
    const patienceMs =
      this.#options.digestPatienceMs * exchangeScale(this.#roster.table.presentCount);
    if (nowMs - this.#differsSinceMs < patienceMs) return;
    this.#differsSinceMs = nowMs;
    this.#sendTable(from, false);
  }

  #askContact(nowMs: Millis): void {
    const contact = this.#contacts.next(nowMs);
    if (contact !== undefined) this.#sendTable(contact, false);
  }

  #exchangeAtRandom(nowMs: Millis): void {
    const [partner] = this.#roster.someAlive(1);
    if (partner !== undefined) this.#sendTable(partner, false);
    const scale = exchangeScale(this.#roster.table.presentCount);
    this.#nextAtMs.pushPull = nowMs + this.#options.pushPullIntervalMs * scale;
  }

  #greetAnyLost(nowMs: Millis): void {
    const lost = this.#roster.table.lostIds();
    const partner = lost[Math.floor(this.#random() * lost.length)];
    if (partner !== undefined) this.#sendTable(partner, false);
    this.#nextAtMs.reconnect = nowMs + this.#options.reconnectIntervalMs;
  }

  #sendPing(to: MemberId, sequence: number, claims: readonly Member[]): void {
    this.#actions.send(to, { kind: "ping", sequence, tableHash: this.#roster.table.hash, claims });
  }

  #sendAck(to: MemberId, sequence: number, doubted: boolean): void {
    const own = doubted || this.#roster.self.role === "left" ? [this.#roster.self] : [];
    const claims = [...own, ...this.#roster.doubtsAbout(to)];
    this.#actions.send(to, { kind: "ack", sequence, tableHash: this.#roster.table.hash, claims });
  }

  #sendTable(to: MemberId, reply: boolean): void {
    this.#actions.sendTable(to, this.#roster.table.members(), reply);
  }

  #flush(nowMs: Millis): MembershipAction[] {
    if (this.#announcer.take(nowMs)) this.#actions.broadcast(this.#roster.self);
    return this.#actions.take();
  }

  /**
   * A tick that comes late means that this process did not run: what it missed was said meanwhile and waits unread. So
   * everything is put off by as long, and a little more in which to read.
   */
  #forgiveStall(nowMs: Millis): void {
    const lateMs = nowMs - this.nextWakeAtMs();
    const { probeTimeoutMs } = this.#options;
    if (lateMs <= probeTimeoutMs) return;
    const byMs = lateMs + probeTimeoutMs;
    this.#awareness.note(1);
    this.#contacts.shift(byMs);
    this.#prober.shift(byMs);
    for (const suspicion of this.#roster.suspicions.values()) suspicion.shift(byMs);
    const next = this.#nextAtMs;
    for (const thing of recurring) next[thing] += byMs;
  }
}
