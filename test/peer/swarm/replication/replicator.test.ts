import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { hostAddress, hostKey } from "../../../../src/core/record/host-keys.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOfKey, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import type { OverlayOutcome } from "../../../../src/ports/overlay.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import {
  defaultReplicaStreamOptions,
  type ReplicaStreamOptions,
} from "../../../../src/peer/swarm/replication/replica-stream.ts";
import type { SwarmView } from "../../../../src/peer/swarm/members/swarm-view.ts";
import { Replicator } from "../../../../src/peer/swarm/replication/replicator.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { heapBytes } from "../../../support/heap-bytes.ts";
import { stillView } from "../still-view.ts";

const self = "a" as MemberId;
const replica = "b" as MemberId;

const newcomer = "c" as MemberId;

const rings = new RingBook({ virtualNodes: 8, hashSeed: 0 });

function rowOf(site: string) {
  const key = hostKey("host", hostAddress(site as SiteName, `www.${site}` as HostName));
  return { key, value: Uint8Array.of(1) };
}

const row = rowOf("a.example");
const position = positionOfKey(row.key);

/** A holder of everything that sends its rows by `rows`. */
function replicatorBy(
  view: SwarmView,
  rows: (to: MemberId) => Promise<OverlayOutcome>,
  options: Partial<ReplicaStreamOptions> = {},
) {
  const territory = new Territory();
  territory.take(ArcSet.whole);
  const none = (): void => undefined;
  const clock = new VirtualClock();
  const replicator = new Replicator(
    {
      clock,
      logger: { debug: none, info: none, warn: none, error: none },
      calls: { rows },
    },
    { view, territory },
    {
      replicator: { replicas: 2, queuedRowsMax: 1_000 },
      stream: { ...defaultReplicaStreamOptions, ...options },
    },
    none,
  );
  return { clock, replicator, territory };
}

/** A holder of everything with one replica, whose messages are acknowledged when the test says so. */
function newReplicator() {
  const view = { ...stillView(self, replica) };
  const acknowledge: (() => void)[] = [];
  const rows = (): Promise<OverlayOutcome> =>
    new Promise((resolve) => {
      acknowledge.push(() => resolve({ kind: "reply", payload: new Uint8Array(0) }));
    });
  const { clock, replicator, territory } = replicatorBy(view, rows, { rowsPerMessage: 1 });
  replicator.setNeeds(new Map([[replica, ArcSet.whole]]));
  const stream = replicator.stream(replica);
  if (stream === undefined) throw new Error("no stream to the replica");
  /** Writes a row, as the journal tells of it. */
  const write = (written = row, durable = Promise.resolve()): void =>
    replicator.observe([{ type: "put", ...written }], durable);
  /** Acknowledges the message under way, and lets what follows from it happen. */
  const next = async (): Promise<void> => {
    await new Promise(setImmediate);
    acknowledge.shift()?.();
    await new Promise(setImmediate);
  };
  /** Puts the newcomer in the place of the replica; returns whose copies of what go on no more. */
  const replace = (): ReadonlyMap<MemberId, ArcSet> => {
    const members = [self, newcomer].map((id) => ({ id, weight: 1 }));
    view.ring = view.futureRing = rings.ringOf(members);
    view.others = [newcomer];
    return replicator.setNeeds(new Map([[newcomer, ArcSet.whole]]));
  };
  /** Whether what has been written of the row's site is said to be at all who must have it. */
  const isReplicated = (): Promise<boolean> =>
    Promise.race([replicator.replicated([position], 1_000), Promise.resolve(false)]);
  return { clock, replicator, territory, view, stream, write, next, replace, isReplicated };
}

describe("a replicator", () => {
  it("goes on with a copy when what was sent before it is durable, however much the crawl writes", async () => {
    const { replicator, stream, write, next } = newReplicator();
    const { signal } = new AbortController();
    write();
    let hasRoom = false;
    const rows = Array.from({ length: 300 }, () => row);
    void replicator.copy(stream, rows, signal).then(() => (hasRoom = true));
    for (let n = 0; n < 200; n += 1) write();
    await new Promise(setImmediate);
    expect(stream.queuedRows).toBe(501);
    expect(hasRoom).toBe(false);
    await next();
    expect(hasRoom).toBe(true);
    expect(stream.queuedRows).toBe(500);
  });

  it("has drained when what was sent is durable, however much comes behind it", async () => {
    const { replicator, stream, write, next } = newReplicator();
    let hasDrained = false;
    write();
    write();
    const { signal } = new AbortController();
    void replicator.drained(stream, signal).then(() => (hasDrained = true));
    // As a crawl that goes on: for each row that is taken another one is written.
    write();
    await next();
    write();
    expect(hasDrained).toBe(false);
    await next();
    write();
    expect(hasDrained).toBe(true);
    expect(stream.queuedRows).toBe(3);
  });

  it("has drained at once where nothing is under way, and where the stream has ended", async () => {
    const { replicator, stream, write } = newReplicator();
    const { signal } = new AbortController();
    await replicator.drained(stream, signal);
    write();
    const drained = replicator.drained(stream, signal);
    replicator.stop();
    await drained;
    expect(stream.queuedRows).toBe(0);
  });

  it("is full while as many rows as may be are on their way to one replica", async () => {
    const { replicator, write, next } = newReplicator();
    for (let n = 0; n < 999; n += 1) write();
    expect(replicator.full).toBe(false);
    write();
    expect(replicator.full).toBe(true);
    await next();
    expect(replicator.full).toBe(false);
    write();
    expect(replicator.full).toBe(true);
  });

  it("has room as soon as it is full no more, or nobody asks for it any more", async () => {
    const { replicator, write, next } = newReplicator();
    const given = new AbortController();
    const steps: string[] = [];
    const wait = (name: string, signal: AbortSignal): void =>
      void replicator.room(signal).then(() => steps.push(name));
    for (let n = 0; n < 1_001; n += 1) write();
    wait("first", new AbortController().signal);
    wait("given up", given.signal);
    given.abort();
    await next();
    expect(steps).toEqual(["given up"]);
    await next();
    expect(steps).toEqual(["given up", "first"]);
  });

  it("sends all that one change writes to those who need it, now or when all have joined", () => {
    const { replicator, view, stream } = newReplicator();
    view.futureRing = rings.ringOf([self, newcomer].map((id) => ({ id, weight: 1 })));
    const needs = new Map([replica, newcomer].map((id) => [id, ArcSet.whole]));
    replicator.setNeeds(needs);
    const ops = [row, row, rowOf("b.example")].map((one) => ({ type: "put" as const, ...one }));
    replicator.observe(ops, Promise.resolve());
    expect(stream.queuedRows).toBe(3);
    expect(replicator.stream(newcomer)?.queuedRows).toBe(3);
    expect(replicator.queuedRows).toBe(6);
    const half = ArcSet.of([{ from: position, to: (position + 1) as typeof position }]);
    replicator.setNeeds(new Map([...needs, [replica, half]]));
    expect(stream.live.equals(half)).toBe(true);
  });

  it("keeps nothing of those who have waited as long as they may", async () => {
    const { clock, replicator, write } = newReplicator();
    write();
    const before = heapBytes();
    const sites = 100_000;
    for (let count = 0; count < 50; count += 1) {
      const positions = new Array<RingPosition>(sites).fill(position);
      expect(await clock.run(replicator.replicated(positions, 10))).toBe(false);
    }
    expect(heapBytes() - before).toBeLessThan(10 * 8 * sites);
  });

  it("waits for the replicas as long as it may, and for what is on its way at its end", async () => {
    const { clock, replicator, write, next } = newReplicator();
    const startMs = clock.nowMs();
    write();
    expect(await clock.run(replicator.replicated([position], 700))).toBe(false);
    expect(clock.nowMs() - startMs).toBe(700);
    await clock.run(replicator.emptied(startMs + 900));
    expect(clock.nowMs() - startMs).toBe(900);
    await next();
    await clock.run(replicator.emptied(startMs + 5_000));
    expect(clock.nowMs() - startMs).toBe(900);
  });

  it("sends what a commit has made durable, and never what one has failed to", async () => {
    const { replicator, stream, write, next, isReplicated } = newReplicator();
    const [first, second] = [
      Promise.withResolvers<undefined>(),
      Promise.withResolvers<undefined>(),
    ];
    write(row, first.promise);
    write(row, first.promise);
    write(row, second.promise);
    await next();
    expect(stream.queuedRows).toBe(3);
    first.resolve(undefined);
    await next();
    await next();
    expect(stream.queuedRows).toBe(1);
    second.reject(new Error("the disk is full"));
    await next();
    expect(replicator.queuedRows).toBe(0);
    expect(await isReplicated()).toBe(false);
  });

  it("says of nothing that it is at the replicas because it stops", async () => {
    const { replicator, write } = newReplicator();
    write();
    await new Promise(setImmediate);
    const replicated = replicator.replicated([position], 1_000);
    replicator.stop();
    expect(await replicated).toBe(false);
  });

  it("sends a member that is taken for dead for a moment what is written meanwhile", () => {
    const { replicator, view, stream, write } = newReplicator();
    const { ring, others } = view;
    view.ring = view.futureRing = rings.ringOf([{ id: self, weight: 1 }]);
    view.others = [];
    write();
    view.ring = view.futureRing = ring;
    view.others = [...others];
    replicator.setNeeds(new Map([[replica, ArcSet.whole]]));
    expect(stream.queuedRows).toBe(1);
  });

  it("keeps a complete copy up to date, and waits for it, until the one in its place is complete", async () => {
    const { replicator, write, next, replace, isReplicated } = newReplicator();
    copyTo(replicator, replica);
    replace();
    write();
    expect(replicator.hasStandIns).toBe(true);
    await next();
    expect(await isReplicated()).toBe(false);
    await next();
    expect(await isReplicated()).toBe(true);
    copyTo(replicator, newcomer);
    replace();
    expect(replicator.hasStandIns).toBe(false);
    expect(replicator.stream(replica)).toBeUndefined();
  });

  it("sends a newcomer its copy though nothing is written any more", async () => {
    const { replicator, write, next, replace } = newReplicator();
    write();
    await next();
    replace();
    const stream = replicator.stream(newcomer);
    if (stream) await replicator.copy(stream, [row], new AbortController().signal);
    await next();
    expect(stream?.queuedRows).toBe(0);
  });

  it("sends nothing of what another member holds", () => {
    const { territory, stream, write } = newReplicator();
    territory.abandon();
    write();
    expect(stream.queuedRows).toBe(0);
  });

  it("says of all that it keeps up to date no more that it does not", () => {
    const { replicator, replace } = newReplicator();
    copyTo(replicator, replica);
    // As where both held the arcs: the member has been told that its copy is complete.
    replicator.copyAnew(ArcSet.whole);
    expect(replace().get(replica)?.share).toBe(1);
  });

  it("asks for a complete copy where a member went before it had what was written", async () => {
    const { replicator, stream, write, next, replace, isReplicated } = newReplicator();
    write();
    await new Promise(setImmediate);
    replace();
    expect(stream.queuedRows).toBe(0);
    write(rowOf("b.example"));
    await next();
    await next();
    expect(replicator.queuedRows).toBe(0);
    expect(await isReplicated()).toBe(false);
    copyTo(replicator, newcomer);
    expect(await isReplicated()).toBe(true);
  });

  it("asks for a complete copy of what was written before anybody was said to need it", async () => {
    const { replicator, territory, write, next, replace, isReplicated } = newReplicator();
    territory.abandon();
    replicator.setNeeds(new Map());
    territory.take(ArcSet.whole);
    write();
    replicator.setNeeds(new Map([[replica, ArcSet.whole]]));
    write(rowOf("b.example"));
    await next();
    expect(await isReplicated()).toBe(false);
    copyTo(replicator, replica);
    expect(await isReplicated()).toBe(true);
    // It is where it has to be, so that the next one need not have it at once.
    replace();
    write(rowOf("b.example"));
    await next();
    expect(await isReplicated()).toBe(true);
  });
});

/** As if everything had been copied to the member. */
function copyTo(replicator: Replicator, member: MemberId): void {
  const stream = replicator.stream(member);
  if (stream) stream.synced = ArcSet.whole;
}

describe("a copy that stands in", () => {
  const other = "d" as MemberId;
  const elsewhere = ArcSet.whole.subtract(
    ArcSet.of([{ from: position, to: (position + 1) as typeof position }]),
  );

  it("is waited for, whoever else is lost meanwhile", async () => {
    const lost = new Set<MemberId>();
    const view = {
      ...stillView(self, replica),
      isRunning: (member: MemberId) => !lost.has(member),
      generationOf: (member: MemberId) => (lost.has(member) ? undefined : 1),
    };
    const acknowledge = new Map<MemberId, () => void>();
    const rows = (to: MemberId): Promise<OverlayOutcome> =>
      new Promise((resolve) => {
        acknowledge.set(to, () => resolve({ kind: "reply", payload: new Uint8Array(0) }));
      });
    const { replicator } = replicatorBy(view, rows);
    const setRing = (...ids: MemberId[]): void => {
      view.ring = view.futureRing = rings.ringOf(ids.map((id) => ({ id, weight: 1 })));
      view.others = [replica, newcomer, other].filter((id) => !lost.has(id));
    };
    const synced = (member: MemberId, arcs: ArcSet): void => {
      const stream = replicator.stream(member);
      if (stream === undefined) throw new Error(`no stream to ${member}`);
      stream.synced = arcs;
    };
    setRing(self, replica);
    replicator.setNeeds(
      new Map([
        [other, elsewhere],
        [replica, ArcSet.whole],
      ]),
    );
    synced(replica, ArcSet.whole);
    synced(other, elsewhere);
    // The newcomer takes the replica's place, and its copy is not complete yet.
    setRing(self, newcomer);
    replicator.setNeeds(
      new Map([
        [other, elsewhere],
        [newcomer, ArcSet.whole],
      ]),
    );
    expect(replicator.hasStandIns).toBe(true);
    replicator.observe([{ type: "put", ...row }], Promise.resolve());
    await new Promise(setImmediate);
    acknowledge.get(newcomer)?.();
    let replicated: boolean | undefined;
    void replicator.replicated([position], 1_000).then((is) => (replicated = is));
    await new Promise(setImmediate);
    expect(replicated).toBe(undefined);
    lost.add(other);
    setRing(self, newcomer);
    replicator.setNeeds(new Map([[newcomer, ArcSet.whole]]));
    await new Promise(setImmediate);
    expect(replicated).toBe(undefined);
    acknowledge.get(replica)?.();
    await new Promise(setImmediate);
    expect(replicated).toBe(true);
  });
});
