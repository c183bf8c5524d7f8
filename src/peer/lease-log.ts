import {
  tagRange,
  leaseKey,
  leaseRange,
  namedKey,
  readLeaseKey,
  readUrlKey,
} from "../core/record/keys.ts";
import { UrlRecord } from "../core/record/record.pb.ts";
import { urlState } from "../core/record/url-state.ts";
import type { Store, StoreEntry, StoreOp } from "../ports/store.ts";

const runKey = namedKey("meta", "run");

const noBytes = new Uint8Array(0);

/** Leases looked up together at a start. */
const leasesPerLook = 1_000;

/** What a start finds of the process before it. */
export interface Interrupted {
  /** Number of each job whose request was in flight, once for each request. */
  readonly spaces: readonly number[];
  /** Makes this finding count once: to be written in the batch that counts it. */
  readonly op: StoreOp;
}

/**
 * Remembers which requests are in flight, so that after a crash those that are made again can be counted.
 *
 * A lease is written before its request is sent, unsynced: it outlives the process, which is what `kill -9` takes. Leases
 * have a store of their own, so that a request does not wait for the fsync of other pages' commit; the leases of one
 * turn of the event loop are one write. A lease that is left of a finished request is told by the URL's record, which
 * is further then; and leases belong to a run, whose number moves on with the batch that counts them.
 *
 * Invariant: each request that was in flight when a process died is counted by exactly one later start.
 */
export class LeaseLog {
  readonly #leases: Store;
  #run = 0;
  #open: { readonly ops: StoreOp[]; readonly written: Promise<void> } | undefined;

  /** `leases`: a store that holds nothing else. */
  constructor(leases: Store) {
    this.#leases = leases;
  }

  /** Finds what the last run left behind, and begins the next run. `store`: where the URLs' records are. */
  async start(store: Store): Promise<Interrupted> {
    const saved = await store.get(runKey);
    const lastRun = saved ? Number(new TextDecoder().decode(saved)) : 0;
    const spaces: number[] = [];
    let some: StoreEntry[] = [];
    const look = async (): Promise<void> => {
      spaces.push(...(await interruptedOf(some, store)));
      some = [];
    };
    for await (const entry of this.#leases.scan(leaseRange(lastRun))) {
      some.push(entry);
      if (some.length === leasesPerLook) await look();
    }
    await look();
    this.#run = lastRun + 1;
    const value = new TextEncoder().encode(String(this.#run));
    return { spaces, op: { type: "put", key: runKey, value } };
  }

  /** Forgets the leases of earlier runs, once they are counted. */
  async forgetEarlierRuns(): Promise<void> {
    const { gte } = tagRange("lease");
    const { gte: lt } = leaseRange(this.#run);
    for (;;) {
      const old = await this.#leases.range({ gte, lt }, leasesPerLook);
      if (old.length === 0) return;
      const ops = old.map(({ key }): StoreOp => ({ type: "del", key }));
      await this.#leases.write(ops, { sync: false });
    }
  }

  /** Resolves when the lease would survive the end of this process. `attempt` counts from 0. */
  add(urlRowKey: Uint8Array, attempt: number): Promise<void> {
    const key = leaseKey(this.#run, urlRowKey, attempt);
    return this.#append({ type: "put", key, value: noBytes });
  }

  /** The attempt's outcome is durable. Errors are those of the lease store, which the next `add` reports. */
  remove(urlRowKey: Uint8Array, attempt: number): void {
    const key = leaseKey(this.#run, urlRowKey, attempt);
    this.#append({ type: "del", key }).catch(() => undefined);
  }

  #append(op: StoreOp): Promise<void> {
    this.#open ??= this.#begin();
    this.#open.ops.push(op);
    return this.#open.written;
  }

  #begin(): { readonly ops: StoreOp[]; readonly written: Promise<void> } {
    const ops: StoreOp[] = [];
    const written = Promise.resolve().then(() => {
      this.#open = undefined;
      return this.#leases.write(ops, { sync: false });
    });
    return { ops, written };
  }
}

/** Jobs of the leases whose request did not come to a durable end. */
async function interruptedOf(found: readonly StoreEntry[], store: Store): Promise<number[]> {
  const leases = found.map(({ key }) => readLeaseKey(key));
  const records = await store.getMany(leases.map(({ urlRowKey }) => urlRowKey));
  return leases.flatMap(({ urlRowKey, attempt }, at) => {
    const record = records[at];
    if (record && isBeyond(UrlRecord.decode(record), attempt)) return [];
    return [readUrlKey(urlRowKey).space];
  });
}

function isBeyond({ state, attempts }: UrlRecord, leasedAttempt: number): boolean {
  return state === urlState.done || attempts > leasedAttempt;
}
