import { jobSpaceOfUrlKey } from "../../core/record/url-keys.ts";
import { leaseKey, readLeaseKey } from "../../core/record/lease-key.ts";
import { namedKey } from "../../core/record/named-keys.ts";
import { UrlRecord } from "../../core/record/record.pb.ts";
import { urlState } from "../../core/record/url-state.ts";
import type { LeaseSlots } from "../../ports/lease-slots.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

const runKey = namedKey("meta", "run");

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
 * A lease is noted before its request is sent, where it outlives the process, which is what `kill -9` takes. A note that
 * is left of a finished request is told by the URL's record, which is further then; and notes belong to a run, whose
 * number moves on with the batch that counts them.
 *
 * Invariant: each request that was in flight when a process died is counted by exactly one later start.
 */
export class LeaseLog {
  readonly #slots: LeaseSlots;
  readonly #onFailure: (error: unknown) => void;
  #run = 0;

  constructor(slots: LeaseSlots, onFailure: (error: unknown) => void) {
    this.#slots = slots;
    this.#onFailure = onFailure;
  }

  /** Finds what the last run left behind, and begins the next run. `store`: where the URLs' records are. */
  async start(store: Store): Promise<Interrupted> {
    const notes = await this.#slots.start();
    const saved = await store.get(runKey);
    const lastRun = saved ? Number(new TextDecoder().decode(saved)) : 0;
    this.#run = lastRun + 1;
    const value = new TextEncoder().encode(String(this.#run));
    return {
      spaces: await interruptedOf(notes, lastRun, store),
      op: { type: "put", key: runKey, value },
    };
  }

  /** Forgets what was found, once it is counted. */
  forgetFound(): void {
    this.#slots.clearFound();
    this.#slots.written().catch(this.#onFailure);
  }

  /** Notes a lease, which survives the end of this process from {@link noted} on. `attempt` counts from 0. */
  add(urlRowKey: Uint8Array, attempt: number): number {
    return this.#slots.set(leaseKey(this.#run, urlRowKey, attempt));
  }

  /** Resolves when all leases that were added up to now would survive the end of this process. */
  noted(): Promise<void> {
    return this.#slots.written();
  }

  /** The outcome of the request with this lease is durable, or there was none. */
  remove(lease: number): void {
    // Nobody waits for the commit behind which this is called.
    try {
      this.#slots.clear(lease);
      this.#slots.written().catch(this.#onFailure);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

/** Jobs of the leases whose request did not come to a durable end. */
async function interruptedOf(
  notes: readonly Uint8Array[],
  lastRun: number,
  store: Store,
): Promise<number[]> {
  const leases = notes
    .flatMap((note) => readLeaseKey(note) ?? [])
    .filter(({ run }) => run === lastRun);
  const records = await store.getMany(leases.map(({ urlRowKey }) => urlRowKey));
  return leases.flatMap(({ urlRowKey, attempt }, at) => {
    const record = records[at];
    if (record && isBeyond(UrlRecord.decode(record), attempt)) return [];
    return [jobSpaceOfUrlKey(urlRowKey)];
  });
}

function isBeyond({ state, attempts }: UrlRecord, leasedAttempt: number): boolean {
  return state === urlState.done || attempts > leasedAttempt;
}
