import { HostQueue } from "../../core/frontier/host-queue.ts";
import { HostVisit } from "../../core/frontier/host-visit.ts";
import type { AddressLoans, RequestEnd, Workbench } from "../../core/frontier/workbench.ts";
import type { AddressUse, LoanSpan } from "../../core/politeness/address-borrower.ts";
import { HostGate } from "../../core/politeness/host-gate.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import type { HostName, IpAddress, Millis } from "../../core/units.ts";
import { siteOfHost } from "../../core/url/site-of.ts";
import type { Clock } from "../../ports/clock.ts";
import { Alarm } from "../alarm.ts";

/** Whoever waits for a turn looks for it so often while the peer has no room for visits, and hands out none. */
const lookMs: Millis = 500;

/** A request to a host that is none of a URL of the queue. */
export interface Errand {
  readonly host: HostName;
  readonly address: IpAddress;
  readonly delayMs: Millis;
  /** Not before. */
  readonly fromMs: Millis;
  /** And not after. */
  readonly untilMs: Millis;
  /** Aborted when no turn is needed any more. */
  readonly signal: AbortSignal;
}

/** One request that may be made: to which host, and at which address. */
export interface Turn {
  readonly visit: HostVisit;
  readonly address: IpAddress;
}

/**
 * The turns at addresses: those that other members lend, and those of requests beside the queue, which stand in line with the
 * hosts.
 */
export class AddressTurns {
  readonly #workbench: Workbench;
  readonly #clock: Clock;
  readonly #politeness: PolitenessOptions;
  readonly #signal: AbortSignal;
  readonly #onDue: () => void;
  /** Errands in line, with what tells them that their turn has come. */
  readonly #waiting = new Map<HostVisit, Alarm>();

  constructor(
    workbench: Workbench,
    clock: Clock,
    politeness: PolitenessOptions,
    events: { readonly signal: AbortSignal; readonly onDue: () => void },
  ) {
    this.#workbench = workbench;
    this.#clock = clock;
    this.#politeness = politeness;
    this.#signal = events.signal;
    this.#onDue = events.onDue;
    this.#signal.addEventListener("abort", () => {
      for (const alarm of this.#waiting.values()) alarm.ring();
    });
  }

  /** From now on addresses are lent by other members; returns those in use. */
  borrowAddresses(loans: AddressLoans): IpAddress[] {
    return this.#workbench.borrowFrom(loans);
  }

  /** Requests to the address may start within this span. */
  lendAddress(address: IpAddress, span: LoanSpan): void {
    this.#workbench.lend(address, span);
    if (span.untilMs > this.#clock.nowMs()) this.#onDue();
  }

  addressUse(address: IpAddress): AddressUse | undefined {
    return this.#workbench.useOf(address);
  }

  /** The turn's request has ended; none was made where no `end` is given. */
  close({ visit, address }: Turn, end?: { headAtMs?: Millis; finishedAtMs: Millis }): void {
    const ended = { finishedAtMs: this.#clock.nowMs(), delayMs: end ? visit.delayMs : 0 };
    this.#workbench.release(visit, { ...ended, ...end, address });
  }

  /** Waits for the errand's turn, which lasts until {@link end}; resolves with nothing where it does not come in time. */
  async begin(errand: Errand): Promise<HostVisit | undefined> {
    const { host, address, delayMs, fromMs, untilMs, signal } = errand;
    const gate = new HostGate(this.#politeness);
    gate.opened(fromMs, 0);
    const parts = { host, site: siteOfHost(host), queue: new HostQueue(1), connectionsMax: 1 };
    const visit = new HostVisit({ ...parts, gate, delayMs });
    visit.address = address;
    const alarm = new Alarm(this.#clock);
    this.#waiting.set(visit, alarm);
    signal.addEventListener("abort", () => alarm.ring());
    this.#workbench.place(visit, this.#clock.nowMs());
    this.#onDue();
    while (this.#waiting.has(visit)) {
      const leftMs = untilMs - this.#clock.nowMs();
      if (this.#workbench.takeThis(visit, this.#clock.nowMs())) break;
      if (leftMs <= 0 || this.#signal.aborted || signal.aborted) {
        this.#waiting.delete(visit);
        this.#workbench.remove(visit);
        return undefined;
      }
      await alarm.sleep(Math.min(leftMs, lookMs));
    }
    this.#waiting.delete(visit);
    return visit;
  }

  end(visit: HostVisit, end: Omit<RequestEnd, "address">): void {
    this.#workbench.release(visit, { ...end, address: this.#workbench.openedAt(visit) });
    this.#onDue();
  }

  /** The next host of the queue to ask. Errands whose turn comes before begin. */
  take(): Turn | undefined {
    for (;;) {
      const visit = this.#workbench.take(this.#clock.nowMs());
      if (!visit) return undefined;
      const errand = this.#waiting.get(visit);
      if (!errand) return { visit, address: this.#workbench.openedAt(visit) };
      this.#waiting.delete(visit);
      errand.ring();
    }
  }
}
