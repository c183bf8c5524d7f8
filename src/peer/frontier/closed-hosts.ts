import { BinaryHeap } from "../../core/frontier/binary-heap.ts";
import type { ArcSet } from "../../core/ring/arc-set.ts";
import type { RingPosition } from "../../core/ring/ring-position.ts";
import type { HostName, JobId, Millis } from "../../core/units.ts";
import type { Cancel, Clock } from "../../ports/clock.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { Host } from "./host.ts";

/** Closed hosts that are remembered for each place in memory: they take some 200 bytes, a twentieth of an active host. */
const closedPerPlace = 8;

/** Beyond, so many give their places up without being remembered, in so long: they are looked for on disk when it is over. */
const forgottenMax = 256;
const forgottenForMs: Millis = 60_000;

/** Hosts that come back in one go. */
const openedMax = 256;

/** A timer is set for no longer: whatever the options say, it is one that every clock can have. */
const alarmMaxMs: Millis = 3_600_000;

interface ClosedHost {
  readonly name: HostName;
  readonly position: RingPosition;
  /** Those that have URLs of it, or may have. */
  readonly jobs: Set<JobId>;
  untilMs: Millis;
  isHalted: boolean;
  /** It is open: all that it has queued is put off. */
  readonly isPutOff: boolean;
}

/**
 * Hosts that have given their places in memory up because they are closed for long: what they have queued waits on disk, and
 * here it is remembered when they open, so that nobody reads them before.
 *
 * Invariant: a host that is in here is not active, and its gate and the row by which it is found are on disk or on their way.
 */
export class ClosedHosts {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #onOpen: (names: readonly HostName[], hasForgotten: boolean) => Promise<void>;
  readonly #hosts = new Map<HostName, ClosedHost>();
  readonly #byTime = new BinaryHeap<ClosedHost>();
  #forgotten = 0;
  #forgottenUntilMs: Millis = 0;
  #alarm: { readonly atMs: Millis; readonly cancel: Cancel } | undefined;
  #isOpening = false;
  #isOver = false;

  constructor(
    clock: Clock,
    placesMax: number,
    events: {
      readonly signal: AbortSignal;
      /**
       * Brings those of these names back, that are open, and takes each out of here as it becomes active, or just before it is
       * left on disk as others are; and looks on disk for those of which nothing is remembered.
       */
      readonly onOpen: (names: readonly HostName[], hasForgotten: boolean) => Promise<void>;
    },
  ) {
    this.#clock = clock;
    this.#max = placesMax * closedPerPlace;
    this.#onOpen = events.onOpen;
    events.signal.addEventListener("abort", () => {
      this.#isOver = true;
      this.#alarm?.cancel();
    });
  }

  /** Hosts that may give their places up at present. */
  get room(): number {
    const room = this.#max - this.#hosts.size;
    return room > 0 ? room : forgottenMax - this.#forgotten;
  }

  /** Hosts that are remembered. */
  get size(): number {
    return this.#hosts.size;
  }

  /** Whether there are some of which nothing is remembered. */
  get hasForgotten(): boolean {
    return this.#forgotten > 0;
  }

  has(name: HostName): boolean {
    return this.#hosts.has(name);
  }

  /** When URLs of the host come back that are all put off. */
  backAtMs(name: HostName): Millis | undefined {
    const host = this.#hosts.get(name);
    return host?.isPutOff === true ? host.untilMs : undefined;
  }

  /** The host gives its place up until then and until its gate opens; there has to be {@link ClosedHosts.room}. */
  add({ jobs, position, visit }: Host, fromMs: Millis = 0): void {
    const { gate, host: name, queue } = visit;
    if (this.#hosts.size < this.#max) {
      const ids = [...jobs].map(({ definition }) => definition.id);
      const waiting = new Set(ids.filter((id) => queue.mayHave(id)));
      const isHalted = gate.hold(this.#clock.nowMs()) === "halted";
      const untilMs = Math.max(fromMs, gate.nextFetchAtMs);
      const isPutOff = gate.nextFetchAtMs < untilMs;
      const closed = { name, position, jobs: waiting, untilMs, isHalted, isPutOff };
      this.#hosts.set(name, closed);
      this.#byTime.set(closed, closed.untilMs);
    } else {
      if (this.#forgotten === 0) this.#forgottenUntilMs = this.#clock.nowMs() + forgottenForMs;
      this.#forgotten += 1;
    }
    this.#setAlarm();
  }

  /** It is active, or waits on disk as others do. */
  delete(name: HostName): void {
    const host = this.#hosts.get(name);
    if (!host) return;
    this.#hosts.delete(name);
    this.#byTime.remove(host);
  }

  /** Forgets those outside: they are not crawled here. */
  keepWithin(arcs: ArcSet): void {
    for (const { name, position } of this.#hosts.values()) {
      if (!arcs.contains(position)) this.delete(name);
    }
  }

  /**
   * URLs of the jobs are queued on a host that is in here; false where it is not, or no longer: of one whose URLs are put
   * off, others may be fetched.
   */
  queued(name: HostName, jobs: Iterable<JobId>): boolean {
    const host = this.#hosts.get(name);
    if (host?.isPutOff === true) {
      this.delete(name);
      return false;
    }
    for (const job of jobs) host?.jobs.add(job);
    return host !== undefined;
  }

  /** The gate of a host has changed, which may be in here. */
  moved({ visit: { host: name, gate } }: Host): void {
    const host = this.#hosts.get(name);
    if (!host) return;
    host.untilMs = Math.max(host.isPutOff ? host.untilMs : 0, gate.nextFetchAtMs);
    host.isHalted = gate.hold(this.#clock.nowMs()) === "halted";
    this.#byTime.set(host, host.untilMs);
    this.#setAlarm();
  }

  /** Whether all that have URLs of the job are halted; nothing where none has. */
  areHalted(job: Job): boolean | undefined {
    const nowMs = this.#clock.nowMs();
    let areHalted: boolean | undefined;
    for (const { isHalted, jobs, untilMs } of this.#hosts.values()) {
      if (!jobs.has(job.definition.id)) continue;
      if (!isHalted || untilMs <= nowMs) return false;
      areHalted = true;
    }
    return areHalted;
  }

  #setAlarm(): void {
    const opensAtMs = this.#byTime.peekKey() ?? Infinity;
    const atMs = Math.min(opensAtMs, this.#forgotten > 0 ? this.#forgottenUntilMs : Infinity);
    if (atMs === Infinity || this.#isOver || this.#isOpening) return;
    if (this.#alarm && this.#alarm.atMs <= atMs) return;
    this.#alarm?.cancel();
    const waitMs = Math.min(Math.max(0, atMs - this.#clock.nowMs()), alarmMaxMs);
    const cancel = this.#clock.call(waitMs, () => {
      this.#alarm = undefined;
      void this.#open();
    });
    this.#alarm = { atMs, cancel };
  }

  async #open(): Promise<void> {
    this.#isOpening = true;
    const nowMs = this.#clock.nowMs();
    const hasForgotten = this.#forgotten > 0 && this.#forgottenUntilMs <= nowMs;
    if (hasForgotten) this.#forgotten = 0;
    await this.#onOpen(this.#openedBy(nowMs), hasForgotten);
    this.#isOpening = false;
    this.#setAlarm();
  }

  #openedBy(nowMs: Millis): HostName[] {
    const opened: ClosedHost[] = [];
    while (opened.length < openedMax && (this.#byTime.peekKey() ?? Infinity) <= nowMs) {
      const host = this.#byTime.pop();
      if (host) opened.push(host);
    }
    for (const host of opened) this.#byTime.set(host, host.untilMs);
    return opened.map(({ name }) => name);
  }
}
