import { compareKeys } from "../../../../src/core/record/compare-keys.ts";
import { hostAddress } from "../../../../src/core/record/host-keys.ts";
import { queueKey } from "../../../../src/core/record/queue-keys.ts";
import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import type { CanonicalUrl, HostName, SiteName } from "../../../../src/core/units.ts";
import type { KeyRange, Store, StoreEntry } from "../../../../src/ports/store.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";

export const hosts = 1_000;
export const registry = new JobRegistry();
export const job = registry.define("crawl");

/** A row of a host's queue; of its URLs there are no records. */
export function queueRow(host: string, sequence: number, urls: string[]): StoreEntry {
  const keys = urls.map((url) => urlRow(url as CanonicalUrl, job).key);
  const address = hostAddress(host as SiteName, host as HostName);
  const bundle = { urls, taken: 0, depth: 0, attempts: 0, unseen: 0, redirectChain: [] };
  return {
    key: queueKey(address, job.space, 4, sequence, keys),
    value: QueueBundle.encode({ ...bundle, discoveredAtMs: 1 }),
  };
}

/** A database with these rows and nothing else. */
export function storeOf(entries: readonly StoreEntry[]): Store {
  const rows = entries.toSorted((one, other) => compareKeys(one.key, other.key));
  return {
    getMany: (keys: readonly Uint8Array[]) => Promise.resolve(keys.map(() => undefined)),
    range: ({ gte, lt }: KeyRange, limit: number): Promise<StoreEntry[]> => {
      const isIn = ({ key }: StoreEntry): boolean =>
        compareKeys(key, gte) >= 0 && compareKeys(key, lt) < 0;
      return Promise.resolve(rows.filter(isIn).slice(0, limit));
    },
  } as unknown as Store;
}

/** A database with two rows of each host in the queues. */
export const store = storeOf(
  Array.from({ length: 2 * hosts }, (_, n): StoreEntry => {
    const host = `${Math.floor(n / 2)}.example`;
    return queueRow(host, n + 1, [`http://${host}/${n}`]);
  }),
);
