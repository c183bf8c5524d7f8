import { listedTagOf, type ListedTag, type ListedUrl } from "../../core/answers/list-key.ts";
import type { ListStretch } from "../../core/answers/merge-list.ts";
import { isListed, type ListedState, type UrlFilter } from "../../core/answers/url-list.ts";
import { listedCharactersMax, listedUrlsMax } from "../../core/messages/list-message.ts";
import type { ListQuestion } from "../../core/messages/list-message.ts";
import { isUrlText } from "../../core/messages/read-payload.ts";
import { jobSpace, jobSpaceOfUrlKey } from "../../core/record/url-keys.ts";
import { jobSpaceOfQueueKey } from "../../core/record/queue-keys.ts";
import { tagRange } from "../../core/record/key-ranges.ts";
import { bundleUrlsMax, isQueued, QueueBundle } from "../../core/record/queue-bundle.ts";
import { ExclusionRecord, UrlOutcome, UrlRecord } from "../../core/record/record.pb.ts";
import { urlState } from "../../core/record/url-state.ts";
import type { ArcSet } from "../../core/ring/arc-set.ts";
import type { Store, StoreEntry } from "../../ports/store.ts";
import { scanArcs } from "../swarm/replication/scan-arcs.ts";
import { describeOutcome } from "./status-desk.ts";

/** Rows looked at for one answer, at most: few of them may pass the filter, and an answer is to take a moment. */
const rowsMax = 2_000;

/** States of which a kind of rows tells. */
const told: Readonly<Record<ListedTag, ReadonlySet<ListedState>>> = {
  exclusion: new Set(["excluded"]),
  // Those of a cancelled job are excluded.
  queue: new Set(["queued", "excluded"]),
  url: new Set(["fetched", "failed", "excluded"]),
};

/** Names the URLs of jobs in this peer's database, by one kind of rows, in the order of their keys. */
export class UrlScan {
  readonly #store: Pick<Store, "range">;

  constructor(store: Pick<Store, "range">) {
    this.#store = store;
  }

  /** Of sites in `arcs`. */
  async stretch({ job, filter, from, count }: ListQuestion, arcs: ArcSet): Promise<ListStretch> {
    const urls: ListedUrl[] = [];
    const tag = listedTagOf(from);
    if (!tag || !tellsOf(tag, filter)) return { urls };
    const space = jobSpace(job);
    const urlsMax = Math.min(count, listedUrlsMax);
    let rows = 0;
    let characters = 0;
    const range = { gte: from, lt: tagRange(tag).lt };
    const enoughRows = tag === "queue" ? Math.ceil(urlsMax / bundleUrlsMax) : urlsMax;
    for await (const row of scanArcs(this.#store, tag, arcs, range, enoughRows)) {
      const isFull =
        urls.length >= urlsMax ||
        urls.length > listedUrlsMax - bundleUrlsMax ||
        characters >= listedCharactersMax;
      if (rows > 0 && (isFull || rows >= rowsMax)) return { urls, reached: row.key };
      rows += 1;
      for (const listed of urlsOf(tag, space, row, filter)) {
        // The row may be of any member, and nobody could read a list with what is no URL.
        if (!isUrlText(listed.url)) continue;
        urls.push(listed);
        characters += listed.url.length;
      }
    }
    return { urls };
  }
}

/** Whether a kind of rows can name a URL that the filter lets through. */
function tellsOf(tag: ListedTag, { broken, http, state }: UrlFilter): boolean {
  const isOfAnswered = broken === true || http !== undefined;
  return (tag === "url" || !isOfAnswered) && (state === undefined || told[tag].has(state));
}

/** The URLs of a row, where the job has them, and they may be among those wanted. */
function urlsOf(
  tag: ListedTag,
  space: number,
  { key, value }: StoreEntry,
  filter: UrlFilter,
): ListedUrl[] {
  if (tag === "queue") return jobSpaceOfQueueKey(key) === space ? queuedUrlsOf(key, value) : [];
  if (jobSpaceOfUrlKey(key) !== space) return [];
  if (tag === "exclusion") return [{ url: ExclusionRecord.decode(value).url, key }];
  const outcome = UrlOutcome.decode(value);
  const isDone = outcome.state === urlState.done;
  if (!isDone || !isListed(describeOutcome(outcome), filter)) return [];
  const { url } = UrlRecord.decode(value);
  return url === undefined ? [] : [{ url, key }];
}

function queuedUrlsOf(rowKey: Uint8Array, value: Uint8Array): ListedUrl[] {
  const bundle = QueueBundle.decode(value);
  return bundle.urls.flatMap((url, place) =>
    isQueued(bundle, place) ? [{ url, key: Uint8Array.of(...rowKey, place) }] : [],
  );
}
