import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { StoredRow } from "../../../../src/core/frontier/queued-row.ts";
import type { JobState } from "../../../../src/core/jobs/job-definition.ts";
import type { Row } from "../../../../src/core/messages/rows.ts";
import {
  hostAddress,
  hostKey,
  ringPosition,
  robotsKey,
} from "../../../../src/core/record/host-keys.ts";
import { jobSpace, urlKey } from "../../../../src/core/record/url-keys.ts";
import { numberedKey } from "../../../../src/core/record/named-keys.ts";
import { outboxKey } from "../../../../src/core/record/outbox-key.ts";
import { queueKey } from "../../../../src/core/record/queue-keys.ts";
import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import { HostRecord, RobotsRecord, UrlRecord } from "../../../../src/core/record/record.pb.ts";
import { urlState } from "../../../../src/core/record/url-state.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type {
  HostName,
  JobId,
  MemberId,
  OriginName,
  SiteName,
} from "../../../../src/core/units.ts";
import { dedupeKey } from "../../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../../src/core/url/fingerprint.ts";
import { noMetrics } from "../../../../src/ports/metrics.ts";
import type { Store, StoreOp } from "../../../../src/ports/store.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { ReplicaKeeper } from "../../../../src/peer/swarm/replication/replica-keeper.ts";
import { timelessStore } from "../../../support/still-process.ts";

type Parts = ConstructorParameters<typeof ReplicaKeeper>[1];

export const site = "site.test" as SiteName;
export const url = "http://site.test/";
export const nowMs = new VirtualClock().nowMs();
export const position = ringPosition(site);
export const space = jobSpace("j" as JobId);
export const key = urlKey("url", position, new Uint32Array([1, 2, 3, 4]), 0, space);
export const outbox = outboxKey(position, key);
export const address = hostAddress(site, "site.test" as HostName);
export const host = hostKey("host", address);
const origin = "http://site.test" as OriginName;
export const robots = robotsKey(site, origin);
export const sieveLog = numberedKey("sieveLog", 1);

/** Key of a record under which its URL is looked for. */
export const keyOfUrl = (path: string): Uint8Array =>
  urlKey("url", position, fingerprintOf(dedupeKey(url + path)), 0, space);

/** A row of the host's queue. */
export const queueRow = (
  number: number,
  paths: readonly string[],
  { attempts = 0, taken = 0 } = {},
): Required<Row> => {
  const discovery = { depth: 0, attempts, unseen: 0, redirectChain: [], discoveredAtMs: 1 };
  const urls = paths.map((path) => url + path);
  return {
    key: queueKey(address, space, 5, number, paths.map(keyOfUrl)),
    value: QueueBundle.encode({ ...discovery, urls, taken }),
  };
};

/** The URL's end, as it was fetched then. */
export const doneAt = (fetchedAtMs: number): Uint8Array =>
  UrlRecord.encode({ ...urlState.fresh, state: urlState.done, url, attempts: 1, fetchedAtMs });

/** The host, which rests for so long, and is to be asked so slowly. */
export const restingFor = (ms: number, crawlDelayMs = 0): Uint8Array => {
  const untilMs = nowMs + ms;
  const none = { failuresInRow: 0, jobs: [], breakerBuckets: [] };
  const clocks = { nextFetchAtMs: untilMs, backoffUntilMs: untilMs, crawlDelayMs };
  return HostRecord.encode({ ...none, ...clocks, host: "site.test" });
};

export const robotsOf = (fetchedAtMs: number): Uint8Array =>
  RobotsRecord.encode({
    origin,
    verdict: "rules",
    body: "",
    fetchedAtMs,
    expiresAtMs: fetchedAtMs + 5,
    httpStatus: 200,
    failuresInRow: 0,
  });

/** A peer that holds everything or nothing, and what it makes of rows from others. */
export class KeeperBench {
  /** Whether the rows are of a job that is known here. */
  knowsJob = true;
  /** Whether numbers of queue rows are such as may be. */
  observes = true;
  /** What happens while rows are looked up, and what a batch waits for until it is durable. */
  meanwhile: () => void = () => undefined;
  committed: Promise<void> = Promise.resolve();
  /** Tells the keeper what the journal takes in. */
  observe: (ops: readonly StoreOp[], durable: Promise<void>) => void = () => undefined;
  /** The latest batch. */
  batch: readonly StoreOp[] = [];
  /** What the rows have led to. */
  readonly arrived: [HostName, StoredRow][] = [];
  overlaps = 0;
  readonly heeded: number[] = [];
  readonly sent: Uint8Array[] = [];
  readonly skipped: [string, number][] = [];
  /** URLs that have come into the queue. */
  queued = 0;
  /** Positions of sites with an entry of the queue that may be another one's second. */
  readonly mixed: RingPosition[] = [];
  readonly doubted: RingPosition[] = [];
  /** How often it has waited for what was written before. */
  flushes = 0;
  readonly #store = timelessStore();
  readonly #seen = new Set<string>();
  readonly keeper: ReplicaKeeper;

  constructor(holds: boolean, state: JobState = "running") {
    const territory = new Territory();
    if (holds) territory.take(ArcSet.whole);
    const nameOf = (space: number, words: Uint32Array): string => `${space} ${words.join()}`;
    const sieve = {
      mayHave: (space: number, words: Uint32Array) => this.#seen.has(nameOf(space, words)),
      offer: () => "ask",
      settle: (space: number, words: Uint32Array) => this.#seen.add(nameOf(space, words)),
    };
    const job = {
      space,
      definition: { id: "j", options: { normalizeQuery: true }, state },
      counter: {
        add: () => (this.overlaps += 1),
        addSkipped: (...skipped: [string, number]) => this.skipped.push(skipped),
      },
    };
    const parts = {
      jobs: {
        addQueued: (_space: number, count: number) => (this.queued += count),
        bySpace: () => (this.knowsJob ? job : undefined),
      },
      sequence: { observe: () => this.observes },
      territory,
      sieve: {
        sieve,
        log: ({ length }: readonly unknown[]) =>
          length > 0 ? [{ type: "put", key: sieveLog, value: Uint8Array.of(length) }] : [],
      },
      mixed: {
        merged: (at: RingPosition) => this.mixed.push(at),
        has: (at: RingPosition) => this.mixed.includes(at),
        doubt: (at: RingPosition) => this.doubted.push(at),
      },
      journal: {
        observe: (observe: typeof this.observe) => (this.observe = observe),
        flushed: () => Promise.resolve(void (this.flushes += 1)),
        append: (ops: readonly StoreOp[]) => {
          this.batch = ops;
          return this.#store.write(ops, { sync: true }).then(() => this.committed);
        },
      },
      frontier: {
        arrived: (...arrived: [HostName, StoredRow]) => this.arrived.push(arrived),
        heed: ({ nextFetchAtMs }: HostRecord) => this.heeded.push(nextFetchAtMs),
      },
      send: ({ rowKey }: { readonly rowKey: Uint8Array }) => this.sent.push(rowKey),
    } as unknown as Parts;
    const read = <T>(value: T): T => {
      this.meanwhile();
      return value;
    };
    const ports = {
      clock: new VirtualClock(),
      store: {
        get: (of: Uint8Array) => this.#store.get(of).then(read),
        getMany: (of: readonly Uint8Array[]) => this.#store.getMany(of).then(read),
      } as unknown as Store,
      metrics: noMetrics,
      overlay: { self: "a" as MemberId },
    };
    this.keeper = new ReplicaKeeper(ports, parts);
  }

  async take(...rows: Row[]): Promise<number> {
    await this.#store.start();
    return this.keeper.take(rows, 0, "all");
  }

  async get(of: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#store.get(of);
  }
}
