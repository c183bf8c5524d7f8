import { readOutboxKey } from "../../../core/record/outbox-key.ts";
import { OutboxEntry } from "../../../core/record/record.pb.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { JobId } from "../../../core/units.ts";
import type { Store, StoreEntry, StoreOp } from "../../../ports/store.ts";
import type { Admission } from "../../admission/admission.ts";
import type { Journal } from "../../durability/journal.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import { scanArcs } from "../replication/scan-arcs.ts";
import { broughtUrl, canonicalOf, intakesOf, type BroughtUrl } from "./intake.ts";

/** Rows that are taken in together. */
const rowsPerRound = 1_000;

/**
 * Takes in what a run in a swarm has left on its way to other members: a peer that crawls alone owns every URL. What it can
 * make nothing of stays for the next swarm.
 */
export async function takeInOutbox(
  store: Pick<Store, "range">,
  admission: Pick<Admission, "admit">,
  jobs: Pick<JobRegistry, "find">,
  journal: Pick<Journal, "append">,
): Promise<void> {
  let urls: BroughtUrl[] = [];
  let keys: Uint8Array[] = [];
  const takeIn = async (): Promise<void> => {
    await Promise.all(intakesOf(urls).map(({ request }) => admission.admit(request)));
    // Behind the writes of what was taken in.
    await journal.append(keys.map((key): StoreOp => ({ type: "del", key })));
    [urls, keys] = [[], []];
  };
  for await (const row of scanArcs(store, "outbox", ArcSet.whole)) {
    const url = urlOf(row, urls.length, jobs);
    if (!url) continue;
    urls.push(url);
    keys.push(new Uint8Array(row.key));
    if (keys.length >= rowsPerRound) await takeIn();
  }
  if (keys.length > 0) await takeIn();
}

function urlOf(
  { key, value }: StoreEntry,
  place: number,
  jobs: Pick<JobRegistry, "find">,
): BroughtUrl | undefined {
  const entry = OutboxEntry.decode(value);
  const [url, job] = [canonicalOf(entry), jobs.find(entry.job as JobId)];
  if (!url || !job || readOutboxKey(key).space !== job.space) return undefined;
  return broughtUrl(place, url, entry, job);
}
