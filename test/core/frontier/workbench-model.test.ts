import fc from "fast-check";
import { expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { Workbench } from "../../../src/core/frontier/workbench.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, IpAddress, SiteName } from "../../../src/core/units.ts";

const options = defaultPolitenessOptions;

interface Request {
  readonly visit: HostVisit;
  readonly address: IpAddress;
  readonly startedAtMs: number;
}

/** What the server behind an address, or a host, saw of its last request. */
interface Seen {
  readonly atMs: number;
  readonly delayMs: number;
}

/** A workbench, and beside it a log from which each decision is judged by looking at everything. */
class World {
  readonly workbench = new Workbench(options);
  readonly visits: HostVisit[];
  nowMs = 1_000_000;
  readonly #placed = new Map<HostVisit, number>();
  readonly #turns = new Map<HostVisit, { readonly sinceMs: number; requests: number }>();
  readonly #open: Request[] = [];
  readonly #hostSeen = new Map<HostVisit, Seen>();
  readonly #addressSeen = new Map<IpAddress, Seen>();
  /** Turns that made no request after all, while another was open: the address may be held until that one ends. */
  readonly #addressHeld = new Map<IpAddress, Seen>();

  constructor(hosts: readonly { address: number; connectionsMax: number; delayMs: number }[]) {
    this.visits = hosts.map(({ address, connectionsMax, delayMs }, number) => {
      const visit = new HostVisit({
        host: `h${number}.test` as HostName,
        site: `h${number}.test` as SiteName,
        gate: new HostGate(options),
        queue: new HostQueue(1),
        connectionsMax,
        delayMs,
      });
      visit.address = `10.0.0.${address}` as IpAddress;
      return visit;
    });
  }

  get openCount(): number {
    return this.#open.length;
  }

  place(visit: HostVisit): void {
    this.workbench.place(visit, this.nowMs);
    if (visit.openRequests >= visit.connectionsMax) this.#placed.delete(visit);
    else if (!this.#placed.has(visit)) this.#placed.set(visit, this.nowMs);
  }

  remove(visit: HostVisit): void {
    this.workbench.remove(visit);
    this.#placed.delete(visit);
  }

  /** Takes a host, and judges the choice. */
  take(): HostVisit | undefined {
    const polite = this.visits.filter((visit) => this.#placed.has(visit) && this.#isPolite(visit));
    const mayCome = polite.filter((visit) => !this.#hasElderBlocked(visit, false));
    const mayGoOn = polite.filter((visit) => this.#isInTurn(visit));
    const mustCome = polite.filter(
      (visit) => !this.#hasElderBlocked(visit, true) && !this.#isHeld(visit),
    );
    const visit = this.workbench.take(this.nowMs);
    if (visit === undefined) {
      expect(mustCome).toEqual([]);
      const dueAtMs = this.workbench.nextDueAtMs();
      if (dueAtMs !== undefined) expect(dueAtMs).toBeGreaterThan(this.nowMs);
      return undefined;
    }
    if (mayGoOn.length > 0) {
      expect(mayGoOn).toContain(visit);
      const turn = this.#turns.get(visit);
      if (turn !== undefined) turn.requests += 1;
    } else {
      expect(mayCome).toContain(visit);
      this.#turns.set(visit, { sinceMs: this.nowMs, requests: 1 });
    }
    const address = visit.address ?? ("" as IpAddress);
    this.#open.push({ visit, address, startedAtMs: this.nowMs });
    if (visit.openRequests < visit.connectionsMax) this.#placed.set(visit, this.nowMs);
    else this.#placed.delete(visit);
    return visit;
  }

  end(choice: number, kind: "ok" | "failed" | "none", headShare: number): void {
    const [request] = this.#open.splice(choice % Math.max(1, this.#open.length), 1);
    if (request === undefined) return;
    const { visit, startedAtMs } = request;
    const finishedAtMs = this.nowMs;
    if (kind === "none") {
      note(this.#addressHeld, request.address, { atMs: startedAtMs, delayMs: visit.delayMs });
      this.workbench.release(visit, { address: request.address, finishedAtMs, delayMs: 0 });
      return;
    }
    const headAtMs = startedAtMs + (finishedAtMs - startedAtMs) * headShare;
    const { delayMs } = visit;
    visit.gate.record({ kind, startedAtMs, headAtMs, finishedAtMs }, delayMs);
    this.workbench.release(visit, { address: request.address, headAtMs, finishedAtMs, delayMs });
    const seen = { atMs: headAtMs, delayMs };
    note(this.#hostSeen, visit, seen);
    note(this.#addressSeen, request.address, seen);
  }

  #isHeld({ address }: HostVisit): boolean {
    const held = address && this.#addressHeld.get(address);
    if (held === undefined || !this.#open.some((request) => request.address === address)) {
      return false;
    }
    return held.atMs + Math.min(options.addressDelayMs, held.delayMs) > this.nowMs;
  }

  #isInTurn(visit: HostVisit): boolean {
    const turn = this.#turns.get(visit);
    if (turn === undefined || visit.delayMs > 0 || visit.connectionsMax > 1) return false;
    return turn.requests < 16 && this.nowMs < turn.sinceMs + 5_000;
  }

  /** By looking at everything that is open and everything that was seen. */
  #isPolite(visit: HostVisit): boolean {
    if (visit.gate.nextFetchAtMs > this.nowMs) return false;
    const onAddress = this.#open.filter((request) => request.address === visit.address);
    if (visit.openRequests >= visit.connectionsMax) return false;
    if (onAddress.length >= visit.connectionsMax) return false;
    const addressDelayMs = (delayMs: number) => Math.min(options.addressDelayMs, delayMs);
    for (const request of onAddress) {
      if (request.startedAtMs + addressDelayMs(request.visit.delayMs) > this.nowMs) return false;
    }
    const seen = visit.address && this.#addressSeen.get(visit.address);
    if (seen !== undefined && seen.atMs + addressDelayMs(seen.delayMs) > this.nowMs) return false;
    const host = this.#hostSeen.get(visit);
    return host === undefined || host.atMs + host.delayMs <= this.nowMs;
  }

  /** Whether one with fewer connections waits longer (or as long, with `orAsLong`): nobody passes it. */
  #hasElderBlocked(visit: HostVisit, orAsLong: boolean): boolean {
    const open = this.#open.filter((request) => request.address === visit.address).length;
    return this.visits.some(
      (other) =>
        other !== visit &&
        other.address === visit.address &&
        this.#placed.has(other) &&
        other.connectionsMax <= open &&
        (this.#eligibleAtMs(other) < this.#eligibleAtMs(visit) ||
          (orAsLong && this.#eligibleAtMs(other) === this.#eligibleAtMs(visit))),
    );
  }

  #eligibleAtMs(visit: HostVisit): number {
    return Math.max(this.#placed.get(visit) ?? 0, visit.gate.nextFetchAtMs);
  }
}

function note<Key>(log: Map<Key, Seen>, key: Key, seen: Seen): void {
  const known = log.get(key);
  const untilMs = (entry: Seen) => entry.atMs + Math.min(options.addressDelayMs, entry.delayMs);
  if (known === undefined || untilMs(known) <= untilMs(seen)) log.set(key, seen);
}

const delayMs = fc.constantFrom(0, 100, 1_000);

const host = (connectionsMax: fc.Arbitrary<number>) =>
  fc.record({ address: fc.nat(2), connectionsMax, delayMs });

const choice = fc.nat(100);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("place" as const), choice }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), choice }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("take" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(600) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      choice,
      kind: fc.constantFrom("ok", "ok", "ok", "failed", "none"),
      headShare: fc.constantFrom(0, 0.5, 1),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function perform(world: World, made: Step): void {
  const visit = "choice" in made ? world.visits[made.choice % world.visits.length] : undefined;
  switch (made.do) {
    case "place":
      if (visit !== undefined) world.place(visit);
      break;
    case "remove":
      if (visit !== undefined) world.remove(visit);
      break;
    case "take":
      world.take();
      break;
    case "wait":
      world.nowMs += made.ms;
      break;
    case "end":
      world.end(made.choice, made.kind, made.headShare);
      break;
  }
}

it("hands out a host exactly when some host may be asked, and only one that may", () => {
  fc.assert(
    fc.property(
      fc.array(host(fc.constant(1)), { minLength: 1, maxLength: 8 }),
      fc.array(step, { maxLength: 150 }),
      (hosts, steps) => {
        const world = new World(hosts);
        for (const made of steps) {
          perform(world, made);
          expect(world.workbench.openRequests).toBe(world.openCount);
        }
      },
    ),
    { numRuns: 400 },
  );
});

it("does so where jobs allow several connections, too", () => {
  fc.assert(
    fc.property(
      fc.array(host(fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 8 }),
      fc.array(step, { maxLength: 150 }),
      (hosts, steps) => {
        const world = new World(hosts);
        for (const made of steps) perform(world, made);
      },
    ),
    { numRuns: 400 },
  );
});

it("lets no host starve: on one address each has a turn before one has two", () => {
  const hostsOnOneAddress = fc.array(
    fc.record({
      address: fc.constant(0),
      connectionsMax: fc.integer({ min: 1, max: 3 }),
      delayMs: fc.constantFrom(0, 100),
    }),
    { minLength: 2, maxLength: 8 },
  );
  fc.assert(
    fc.property(hostsOnOneAddress, fc.integer({ min: 1, max: 500 }), (hosts, tookMs) => {
      const world = new World(hosts);
      const asked = new Map<HostVisit, number>();
      for (const visit of world.visits) world.place(visit);
      for (let round = 0; round < 2_000 && asked.size < world.visits.length; round += 1) {
        const visit = world.take();
        if (visit !== undefined) {
          asked.set(visit, (asked.get(visit) ?? 0) + 1);
          continue;
        }
        world.nowMs = Math.max(world.workbench.nextDueAtMs() ?? 0, world.nowMs + tookMs);
        world.end(round, "ok", 1);
        for (const again of world.visits) world.place(again);
      }
      expect(asked.size).toBe(world.visits.length);
      for (const [{ delayMs, connectionsMax }, times] of asked) {
        expect(times).toBeLessThanOrEqual(delayMs === 0 && connectionsMax === 1 ? 16 : 1);
      }
    }),
  );
});
