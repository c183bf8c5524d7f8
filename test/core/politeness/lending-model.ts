import { AddressBorrower, notLent } from "../../../src/core/politeness/address-borrower.ts";
import type { LoanSpan } from "../../../src/core/politeness/address-borrower.ts";
import { AddressLender } from "../../../src/core/politeness/address-lender.ts";
import { defaultLendingOptions, longestLoanMs } from "../../../src/core/politeness/address-loan.ts";
import type { LendingOptions } from "../../../src/core/politeness/address-loan.ts";
import type { IpAddress, MemberId } from "../../../src/core/units.ts";
import { seeded } from "../../support/seeded.ts";

/** A run of the model; all times are true times. */
export interface LendingRun {
  readonly seed: number;
  readonly borrowers: number;
  readonly lossRate: number;
  readonly duplicateRate: number;
  readonly delayMaxMs: number;
  readonly offsetMaxMs: number;
  readonly driftPpm: number;
  /** Share of requests that take up to a minute. */
  readonly slowShare: number;
  readonly borrowerDiesAtMs: number | undefined;
  readonly stewardDiesAtMs: number | undefined;
}

export interface ModelRequest {
  readonly by: number;
  readonly startMs: number;
  endMs: number;
}

export const modelAddress = "192.0.2.1" as IpAddress;
const durationMs = 150_000;
const answerWithinMs = 2_000;

interface Skew {
  readonly offsetMs: number;
  readonly rate: number;
}

/** Borrowers of one address and its steward, with clocks of their own and a network that does what it likes. */
export class LendingModel {
  readonly requests: ModelRequest[] = [];
  readonly run: LendingRun;
  readonly options: LendingOptions;
  readonly chance: () => number;
  nowMs = 0;
  #order = 0;
  readonly #events: { readonly atMs: number; readonly order: number; readonly act: () => void }[] =
    [];
  readonly #borrowers: ModelBorrower[];
  readonly #stewards: ModelSteward[] = [];

  constructor(run: LendingRun, options: Partial<LendingOptions> = {}) {
    this.run = run;
    // Messages are lost here for longer than borrowers usually need to tell of their loans.
    const registerMs = longestLoanMs(defaultLendingOptions);
    this.options = { ...defaultLendingOptions, registerMs, ...options };
    this.chance = seeded(run.seed);
    this.#stewards.push(new ModelSteward(this, undefined));
    this.#borrowers = Array.from({ length: run.borrowers }, (_, index) => {
      return new ModelBorrower(this, index, this.steward(0));
    });
  }

  play(): readonly ModelRequest[] {
    for (const borrower of this.#borrowers)
      this.after(this.chance() * 3_000, () => borrower.wake());
    const { borrowerDiesAtMs, stewardDiesAtMs } = this.run;
    if (borrowerDiesAtMs !== undefined) this.after(borrowerDiesAtMs, () => this.borrower(0).die());
    if (stewardDiesAtMs !== undefined) this.after(stewardDiesAtMs, () => this.#stewardDies());
    for (;;) {
      this.#events.sort((a, b) => b.atMs - a.atMs || b.order - a.order);
      const next = this.#events.pop();
      if (!next || next.atMs > durationMs) return this.requests;
      this.nowMs = next.atMs;
      next.act();
    }
  }

  after(ms: number, act: () => void): void {
    this.#order += 1;
    this.#events.push({ atMs: this.nowMs + Math.max(0, ms), order: this.#order, act });
  }

  /** Delivers never, once or twice. */
  send(act: () => void): void {
    const { delayMaxMs, duplicateRate, lossRate } = this.run;
    if (this.chance() >= lossRate) this.after(this.chance() * delayMaxMs, act);
    if (this.chance() < duplicateRate) this.after(this.chance() * delayMaxMs * 5, act);
  }

  skew(): Skew {
    const { driftPpm, offsetMaxMs } = this.run;
    const rate = 1 + ((this.chance() * 2 - 1) * driftPpm) / 1e6;
    return { offsetMs: this.chance() * offsetMaxMs, rate };
  }

  borrower(index: number): ModelBorrower {
    const borrower = this.#borrowers[index];
    if (!borrower) throw new Error("no such borrower");
    return borrower;
  }

  steward(index: number): ModelSteward {
    const steward = this.#stewards[index];
    if (!steward) throw new Error("no such steward");
    return steward;
  }

  /** Each member notices at its own time. */
  #stewardDies(): void {
    this.steward(0).isDead = true;
    this.after(1_000 + this.chance() * 4_000, () => {
      const heir = new ModelSteward(this, this.nowMs);
      this.#stewards.push(heir);
      for (const borrower of this.#borrowers) {
        this.after(this.chance() * 2_000, () => borrower.turnTo(heir));
      }
    });
  }
}

class ModelSteward {
  readonly lender: AddressLender;
  readonly name: MemberId;
  isDead = false;
  readonly #model: LendingModel;
  readonly #skew: Skew;

  constructor(model: LendingModel, heirSinceMs: number | undefined) {
    this.#model = model;
    this.#skew = model.skew();
    this.name = `steward-${heirSinceMs ?? 0}` as MemberId;
    const sinceMs = heirSinceMs === undefined ? undefined : this.nowMs;
    const keptMs = longestLoanMs(model.options);
    this.lender = new AddressLender(model.options, {
      missedUntilMs: () => -Infinity,
      isRunning: ({ member }) => !model.borrower(Number(member)).isKnownDead,
      isReplaced: () => false,
      predecessorOf: (_, nowMs) =>
        sinceMs === undefined || sinceMs + keptMs <= nowMs
          ? undefined
          : { member: undefined, untilMs: sinceMs },
    });
  }

  get nowMs(): number {
    return (this.#model.nowMs + 1e6) * this.#skew.rate + this.#skew.offsetMs;
  }

  work(): void {
    if (this.isDead) return;
    this.lender.tick(this.nowMs);
    for (const { kind, member } of this.lender.takeCalls()) {
      const borrower = this.#model.borrower(Number(member));
      this.#model.send(() => borrower.hear(kind, this));
    }
    const wakeAtMs = this.lender.nextWakeAtMs;
    if (wakeAtMs === undefined) return;
    this.#model.after(Math.max(5, wakeAtMs - this.nowMs + 1), () => {
      if (wakeAtMs <= this.nowMs) this.work();
    });
  }
}

class ModelBorrower {
  isKnownDead = false;
  readonly #model: LendingModel;
  readonly #skew: Skew;
  readonly #index: number;
  readonly #borrower: AddressBorrower;
  #steward: ModelSteward;
  #isDead = false;
  #span: LoanSpan = notLent;
  #sequence = 0;
  #open: ModelRequest | undefined;
  #clockAtMs = 0;
  #gateAtMs = 0;

  constructor(model: LendingModel, index: number, steward: ModelSteward) {
    this.#model = model;
    this.#index = index;
    this.#steward = steward;
    this.#skew = model.skew();
    this.#borrower = new AddressBorrower(model.options, {
      useOf: () => ({
        busy: this.#open !== undefined,
        nextAtMs: this.#open ? undefined : Math.max(this.#clockAtMs, this.#gateAtMs),
        clockAtMs: this.#clockAtMs,
      }),
      onSpan: (_, span) => {
        this.#span = span;
      },
    });
  }

  get #nowMs(): number {
    return (this.#model.nowMs + 1e6) * this.#skew.rate + this.#skew.offsetMs;
  }

  wake(): void {
    if (this.#isDead) return;
    const nowMs = this.#nowMs;
    this.#mayStart(nowMs);
    if (!this.#open && nowMs >= this.#span.untilMs) this.#borrower.want(modelAddress, nowMs);
    for (const step of this.#borrower.due(nowMs)) {
      this.#sequence += 1;
      if (step.kind === "ask") this.#ask(this.#sequence);
      else this.#giveBack(this.#sequence, step.restMs);
    }
    this.#model.after(20 + this.#model.chance() * 30, () => this.wake());
  }

  hear(kind: string, steward: ModelSteward): void {
    if (this.#isDead) return;
    if (kind === "turn") this.#borrower.called(modelAddress, this.#nowMs);
    if (kind !== "recall" || this.#borrower.stewardOf(modelAddress) !== steward.name) return;
    const restMs = this.#borrower.recalled(modelAddress, this.#nowMs);
    if (restMs !== undefined) this.#giveBack(this.#sequence + 1, restMs, steward);
  }

  turnTo(steward: ModelSteward): void {
    this.#steward = steward;
    this.#borrower.stewardsChanged(() => steward.name, this.#nowMs);
  }

  die(): void {
    this.#isDead = true;
    if (this.#open) this.#open.endMs = this.#model.nowMs;
    this.#model.after(2_000 + this.#model.chance() * 5_000, () => {
      this.isKnownDead = true;
    });
  }

  #mayStart(nowMs: number): void {
    const dueAtMs = Math.max(this.#clockAtMs, this.#gateAtMs, this.#span.fromMs);
    if (this.#open || nowMs < dueAtMs || nowMs >= this.#span.untilMs) return;
    const { chance, run } = this.#model;
    const tookMs = chance() < run.slowShare ? chance() * 60_000 : 20 + chance() * 400;
    const request = { by: this.#index, startMs: this.#model.nowMs, endMs: Infinity };
    this.#open = request;
    this.#model.requests.push(request);
    this.#model.after(tookMs, () => {
      if (this.#isDead) return;
      request.endMs = this.#model.nowMs;
      this.#open = undefined;
      this.#clockAtMs = this.#nowMs + this.#model.options.addressDelayMs;
      this.#gateAtMs = this.#nowMs + chance() * 1_500;
      this.#borrower.ended(modelAddress, this.#nowMs);
    });
  }

  #ask(sequence: number): void {
    const steward = this.#steward;
    const sentAtMs = this.#nowMs;
    const ask = this.#borrower.ask(modelAddress, steward.name, sequence, sentAtMs);
    if (!ask) return;
    const from = { member: String(this.#index) as MemberId, generation: 1 };
    const end = (answer?: Parameters<AddressBorrower["answered"]>[2]): void => {
      if (this.#isDead) return;
      const times = { sentAtMs, nowMs: this.#nowMs };
      this.#borrower.answered(modelAddress, sequence, answer, times);
    };
    this.#model.send(() => {
      if (steward.isDead) return;
      const answer = steward.lender.ask(from, sequence, ask, steward.nowMs);
      steward.work();
      this.#model.send(() => end(answer));
    });
    this.#model.after(answerWithinMs, () => end());
  }

  #giveBack(sequence: number, restMs: number, steward = this.#steward): void {
    const from = { member: String(this.#index) as MemberId, generation: 1 };
    this.#model.send(() => {
      if (steward.isDead) return;
      const told = { address: modelAddress, restMs };
      steward.lender.giveBack(from, sequence, told, steward.nowMs);
      steward.work();
    });
  }
}
