import { ownForEver } from "../../../core/frontier/address-entry.ts";
import type { AddressLoans } from "../../../core/frontier/workbench.ts";
import {
  decodeCallAddresses,
  decodeHandOverAddresses,
  decodeLendAddresses,
  encodeCallAddressesReply,
  encodeHandOverAddressesReply,
  encodeLendAddressesReply,
  lendingItemsMax,
} from "../../../core/messages/address-lending.ts";
import { AddressBorrower } from "../../../core/politeness/address-borrower.ts";
import type {
  AddressUse,
  BorrowerStep,
  LoanSpan,
} from "../../../core/politeness/address-borrower.ts";
import { AddressLender } from "../../../core/politeness/address-lender.ts";
import { longestLoanMs } from "../../../core/politeness/address-loan.ts";
import type {
  Borrower,
  LenderCall,
  LendingOptions,
  LoanAnswer,
} from "../../../core/politeness/address-loan.ts";
import { AddressStewards, positionOfAddress } from "../../../core/politeness/address-stewards.ts";
import type { IpAddress, MemberId, Millis } from "../../../core/units.ts";
import type { Cancel, Clock } from "../../../ports/clock.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import { isStandIn } from "../../fetching/host-addresses.ts";
import { AddressCalls } from "./address-calls.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import { reply, serve, type Answer } from "../serve.ts";

/** The addresses of the hosts that a peer crawls. */
export interface AddressBench {
  /** From now on addresses are lent; returns those in use. */
  borrowAddresses(loans: AddressLoans): IpAddress[];
  /** Requests to the address may start within this span. */
  lendAddress(address: IpAddress, span: LoanSpan): void;
  addressUse(address: IpAddress): AddressUse | undefined;
}

/** What happens within this time is said in one message. */
const gatherMs: Millis = 5;

/** What is not told to a member in this time is told anew: its steward may be another one by then. */
const stepsWaitingMax = 4 * lendingItemsMax;

/**
 * One open request and one clock for each IP address, over the whole swarm.
 *
 * The life of a loan: a host is placed on an address that is not lent; the address's steward is asked, by message or, if
 * this peer is it, at once; requests start while the slice lasts, and it is renewed in time. When others want the
 * address, they take turns of short slices.
 *
 * A peer that has never seen another member lends and borrows nothing: its addresses are its own. Hosts without a delay
 * and an address delay of 0 need no loans either, as they keep no clock of an address.
 *
 * Not kept through a partition: each side has its own stewards. When it is over, whoever was taken for dead asks anew.
 */
export class AddressLending {
  readonly #clock: Clock;
  readonly #view: SwarmView;
  readonly #bench: AddressBench;
  readonly #stewards: AddressStewards;
  readonly #lender: AddressLender;
  readonly #borrower: AddressBorrower;
  readonly #calls: AddressCalls;
  readonly #stop = new AbortController();
  /** What waits for stewards with whom a message is under way. */
  readonly #steps = new Map<MemberId, BorrowerStep[]>();
  readonly #talking = new Set<MemberId>();
  readonly #keepsClocks: boolean;
  #sequence = 0;
  #missedUntilMs: Millis = -Infinity;
  #isOn = false;
  #isOver = false;
  #timer: { readonly atMs: Millis; readonly cancel: Cancel } | undefined;

  constructor(
    ports: { readonly clock: Clock; readonly overlay: Overlay },
    parts: { readonly view: SwarmView; readonly bench: AddressBench },
    options: LendingOptions,
  ) {
    const { view, bench } = parts;
    this.#clock = ports.clock;
    this.#view = view;
    this.#bench = bench;
    this.#keepsClocks = options.addressDelayMs > 0;
    this.#calls = new AddressCalls(ports.overlay, this.#stop.signal);
    this.#stewards = new AddressStewards(view.self, view.ring, longestLoanMs(options), (member) =>
      view.generationOf(member),
    );
    this.#lender = new AddressLender(options, {
      missedUntilMs: () => this.#missedUntilMs,
      isRunning: ({ member, generation }) => view.isRunning(member, generation),
      isReplaced: ({ member, generation }) => (view.generationOf(member) ?? 0) > generation,
      predecessorOf: (address, nowMs) => this.#stewards.predecessorOf(address, nowMs),
    });
    this.#borrower = new AddressBorrower(options, {
      useOf: (address) => bench.addressUse(address),
      onSpan: (address, span) => bench.lendAddress(address, span),
    });
  }

  /** This run, whose number may move on. */
  get #self(): Borrower {
    const { self: member, generation } = this.#view;
    return { member, generation };
  }

  /** Addresses that this peer has on loan or wants, and those that it keeps as their steward. */
  get size(): { readonly borrowed: number; readonly lent: number } {
    return { borrowed: this.#borrower.size, lent: this.#lender.size };
  }

  /** Answers other members; before the overlay starts. */
  serve(overlay: Overlay): void {
    serve(overlay, "lendAddresses", (from, payload) => this.#lend(from, payload));
    serve(overlay, "callAddresses", (from, payload) => this.#called(from, payload));
    serve(overlay, "handOverAddresses", (from, payload) => this.#handOver(from, payload));
  }

  /** To be called after each change of the members. */
  membersChanged(): void {
    // That this peer itself has left is a change too.
    if (this.#isOver) return;
    const nowMs = this.#clock.nowMs();
    const isOther = this.#stewards.update(this.#view.ring, nowMs);
    const mayLend = this.#keepsClocks && this.#view.others.length > 0;
    if (!this.#isOn && mayLend) this.#turnOn(nowMs);
    if (!this.#isOn || !isOther) return;
    this.#borrower.stewardsChanged((address) => this.#stewards.stewardOf(address), nowMs);
    this.#arm();
  }

  /**
   * To be called when this process has stood still, was taken for dead, or goes on as a later run: the stewards may have lent to
   * others what it has on loan. It asks for all of it anew. And others may have lent what it is the steward of: it waits for
   * their borrowers' word.
   */
  forfeit(): void {
    if (!this.#isOn) return;
    const nowMs = this.#clock.nowMs();
    this.#missedUntilMs = nowMs;
    this.#borrower.forfeit(nowMs);
    this.#arm();
  }

  /** Gives back what is not in use; the last that others hear of this peer's loans. */
  stop(): void {
    if (this.#isOn) {
      const nowMs = this.#clock.nowMs();
      this.#tellStewards(this.#borrower.giveUp(nowMs));
    }
    this.#isOver = true;
    this.#isOn = false;
    this.#timer?.cancel();
  }

  /** Ends everything under way. */
  abandon(): void {
    this.#isOver = true;
    this.#isOn = false;
    this.#timer?.cancel();
    this.#stop.abort();
  }

  /** Until now this peer was alone: what it uses, it has lent to itself. */
  #turnOn(nowMs: Millis): void {
    this.#isOn = true;
    const used = this.#bench.borrowAddresses({
      spanOf: (address) => (isStandIn(address) ? ownForEver : this.#borrower.spanOf(address)),
      wanted: (address) => {
        this.#borrower.want(address, this.#clock.nowMs());
        this.#arm();
      },
      ended: (address) => {
        this.#borrower.ended(address, this.#clock.nowMs());
        this.#arm();
      },
    });
    for (const address of used) {
      if (isStandIn(address)) continue;
      const sliceMs = this.#lender.adopt(this.#self, this.#sequence, address, nowMs);
      if (sliceMs !== undefined) {
        this.#borrower.adopt(address, this.#self.member, sliceMs, nowMs);
      }
    }
    this.#arm();
  }

  #arm(): void {
    if (!this.#isOn) return;
    const times = [this.#borrower.nextWakeAtMs, this.#lender.nextWakeAtMs];
    const nextAtMs = Math.min(...times.map((time) => time ?? Infinity));
    if (nextAtMs === Infinity || (this.#timer && this.#timer.atMs <= nextAtMs)) return;
    this.#timer?.cancel();
    const nowMs = this.#clock.nowMs();
    const atMs = Math.max(nextAtMs, nowMs + gatherMs);
    const cancel = this.#clock.call(atMs - nowMs, () => {
      this.#timer = undefined;
      if (this.#isOn) this.#work();
    });
    this.#timer = { atMs, cancel };
  }

  #work(): void {
    const nowMs = this.#clock.nowMs();
    this.#lender.tick(nowMs);
    this.#tellStewards(this.#borrower.due(nowMs));
    this.#tellBorrowers();
    this.#arm();
  }

  #tellStewards(steps: readonly BorrowerStep[]): void {
    const stewards = new Set<MemberId>();
    for (const step of steps) {
      const to = this.#stewards.stewardOf(step.address);
      if (to === undefined) continue;
      stewards.add(to);
      const waiting = this.#steps.get(to);
      if (!waiting) this.#steps.set(to, [step]);
      else if (waiting.length < stepsWaitingMax) waiting.push(step);
    }
    // All others for whom something waits are being talked to, and there may be hundreds of them.
    for (const to of stewards) this.#talk(to);
  }

  /** Tells a steward what waits for it, one message at a time. */
  #talk(to: MemberId): void {
    while (!this.#talking.has(to)) {
      const steps = this.#steps.get(to);
      if (!steps) return;
      const now = steps.splice(0, lendingItemsMax);
      if (steps.length === 0) this.#steps.delete(to);
      this.#tell(to, now);
    }
  }

  #tell(to: MemberId, now: readonly BorrowerStep[]): void {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const sentAtMs = this.#clock.nowMs();
    const items = now.flatMap((step) => {
      if (step.kind === "return") return [step];
      return this.#borrower.ask(step.address, to, sequence, sentAtMs) ?? [];
    });
    if (items.length === 0) return;
    const asked = items.filter(({ kind }) => kind === "ask");
    const done = (answers: readonly LoanAnswer[] | undefined): void => {
      const nowMs = this.#clock.nowMs();
      asked.forEach(({ address }, index) => {
        this.#borrower.answered(address, sequence, answers?.[index], { sentAtMs, nowMs });
      });
    };
    if (to === this.#self.member) {
      done(this.#answers(this.#self, sequence, items));
      this.#tellBorrowers();
      return;
    }
    this.#talking.add(to);
    const { generation } = this.#self;
    void this.#calls.lend(to, { generation, sequence, items }).then((answers) => {
      this.#talking.delete(to);
      if (!this.#isOn) return;
      done(answers);
      this.#talk(to);
      this.#arm();
    });
  }

  #answers(from: Borrower, sequence: number, items: readonly BorrowerStep[]): LoanAnswer[] {
    const nowMs = this.#clock.nowMs();
    return items.flatMap((item) => {
      if (item.kind === "ask") return [this.#lender.ask(from, sequence, item, nowMs)];
      this.#lender.giveBack(from, sequence, item, nowMs);
      return [];
    });
  }

  /** Tells borrowers, and former stewards, what the lender has to say. */
  #tellBorrowers(): void {
    const calls = Map.groupBy(this.#lender.takeCalls(), ({ member }) => member);
    for (const [member, told] of calls) {
      const of = (kind: LenderCall["kind"]): IpAddress[] =>
        told.filter((call) => call.kind === kind).map(({ address }) => address);
      const [recalled, turns] = [of("recall"), of("turn")];
      if (recalled.length + turns.length > 0) void this.#call(member, recalled, turns);
      const inquired = of("inquire");
      if (inquired.length > 0) void this.#inquire(member, inquired);
    }
  }

  async #call(
    member: MemberId,
    recalled: readonly IpAddress[],
    turns: readonly IpAddress[],
  ): Promise<void> {
    const generation = this.#view.generationOf(member);
    if (generation === undefined) return;
    const borrower = { member, generation };
    const message = { generation, recalled, turns };
    const isSelf = member === this.#self.member;
    const reply = isSelf ? this.#obey(member, message) : await this.#calls.call(member, message);
    if (reply?.generation !== generation || !this.#isOn) return;
    const nowMs = this.#clock.nowMs();
    recalled.forEach((address, index) => {
      const restMs = reply.restsMs[index];
      if (restMs === undefined) return;
      this.#lender.giveBack(borrower, reply.sequence, { address, restMs }, nowMs);
    });
    this.#tellBorrowers();
    this.#arm();
  }

  async #inquire(member: MemberId, addresses: readonly IpAddress[]): Promise<void> {
    const states = await this.#calls.handOver(member, addresses);
    if (!states || !this.#isOn) return;
    const nowMs = this.#clock.nowMs();
    addresses.forEach((address, index) => {
      const state = states[index];
      if (state) this.#lender.inherit(address, state, nowMs);
    });
    this.#tellBorrowers();
    this.#arm();
  }

  #lend(from: MemberId, payload: Uint8Array): Answer | undefined {
    const message = decodeLendAddresses(payload);
    if (!message || !this.#isOn) return undefined;
    const { generation, sequence, items } = message;
    if (!this.#view.isRunning(from, generation)) return undefined;
    // A steward by nobody's ring but the sender's would lend what another one lends.
    if (!items.every(({ address }) => this.#isSteward(address))) return undefined;
    const answers = this.#answers({ member: from, generation }, sequence, items);
    this.#tellBorrowers();
    this.#arm();
    return reply(encodeLendAddressesReply(answers));
  }

  #isSteward(address: IpAddress): boolean {
    return this.#stewards.stewardOf(address) === this.#self.member;
  }

  #called(from: MemberId, payload: Uint8Array): Answer | undefined {
    const message = decodeCallAddresses(payload);
    if (!message || !this.#isOn || message.generation !== this.#self.generation) return undefined;
    return reply(encodeCallAddressesReply(this.#obey(from, message)));
  }

  #obey(
    from: MemberId,
    { recalled, turns }: { recalled: readonly IpAddress[]; turns: readonly IpAddress[] },
  ): { generation: number; sequence: number; restsMs: (Millis | undefined)[] } {
    const nowMs = this.#clock.nowMs();
    const restsMs = recalled.map((address) => {
      // Only who lends it may have it back.
      const isHeard =
        this.#borrower.stewardOf(address) === from || this.#stewards.stewardOf(address) === from;
      return isHeard ? this.#borrower.recalled(address, nowMs) : undefined;
    });
    for (const address of turns) this.#borrower.called(address, nowMs);
    this.#arm();
    return { generation: this.#self.generation, sequence: this.#sequence + 1, restsMs };
  }

  /** Only to a member that is, was, or will be the steward by this peer's own view. */
  #handOver(from: MemberId, payload: Uint8Array): Answer | undefined {
    const addresses = decodeHandOverAddresses(payload);
    if (!addresses || !this.#isOn) return undefined;
    const nowMs = this.#clock.nowMs();
    const { futureRing } = this.#view;
    const mayAsk = (address: IpAddress): boolean =>
      this.#stewards.isOrWas(from, address, nowMs) ||
      futureRing.ownerOf(positionOfAddress(address)) === from;
    if (!addresses.every(mayAsk)) return undefined;
    const states = addresses.map((address) => this.#lender.handOver(address, nowMs));
    this.#tellBorrowers();
    this.#arm();
    return reply(encodeHandOverAddressesReply(states));
  }
}
