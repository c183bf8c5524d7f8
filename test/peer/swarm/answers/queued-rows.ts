import { compareKeys } from "../../../../src/core/record/compare-keys.ts";
import { hostAddress, queueKey } from "../../../../src/core/record/keys.ts";
import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import type { CanonicalUrl, HostName, SiteName } from "../../../../src/core/units.ts";
import type { KeyRange, Store, StoreEntry } from "../../../../src/ports/store.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";

export const hosts = 1_000;
export const registry = new JobRegistry();
export const job = registry.define("crawl");

/** Two rows of each host; of no URL there is a record. */
const rows: StoreEntry[] = Array.from({ length: 2 * hosts }, (_, n): StoreEntry => {
  const host = `${Math.floor(n / 2)}.example`;
  const url = `http://${host}/${n}`;
  const { key } = urlRow(url as CanonicalUrl, job);
  const address = hostAddress(host as SiteName, host as HostName);
  const bundle = { urls: [url], taken: 0, depth: 0, attempts: 0, unseen: 0, redirectChain: [] };
  return {
    key: queueKey(address, job.space, 4, n + 1, [key]),
    value: QueueBundle.encode({ ...bundle, discoveredAtMs: 1 }),
  };
}).toSorted((one, other) => compareKeys(one.key, other.key));

/** A database with these rows in the queues, and nothing else. */
export const store = {
  getMany: (keys: readonly Uint8Array[]) => Promise.resolve(keys.map(() => undefined)),
  range: ({ gte, lt }: KeyRange, limit: number): Promise<StoreEntry[]> => {
    const isIn = ({ key }: StoreEntry): boolean =>
      compareKeys(key, gte) >= 0 && compareKeys(key, lt) < 0;
    return Promise.resolve(rows.filter(isIn).slice(0, limit));
  },
} as unknown as Store;
