import { idOf } from "../../../core/record/id-of.ts";
import { jobSpace, jobSpaceOfUrlKey, urlKey } from "../../../core/record/url-keys.ts";
import { readOutboxKey } from "../../../core/record/outbox-key.ts";
import { ringPosition } from "../../../core/record/host-keys.ts";
import type { ForwardResult, MemberRun } from "../../../core/messages/forward.ts";
import type { OutboxEntry } from "../../../core/record/record.pb.ts";
import { positionOfKey } from "../../../core/ring/ring-position.ts";
import type { RingPosition } from "../../../core/ring/ring-position.ts";
import type { CanonicalUrl, JobId, Millis } from "../../../core/units.ts";
import { hostOf, siteOfHost } from "../../../core/url/site-of.ts";

/** Called when the URL is durable with its owner; `isNew`: nobody had found it before. */
export type Acknowledged = (isNew: boolean) => void;

/** One discovered URL on its way to its owner. */
export interface Parcel {
  /** Key of the row that it is to have at its owner: of the URL, or of its exclusion. */
  readonly rowKey: Uint8Array;
  /** Number of the job inside keys. */
  readonly space: number;
  /** Where the URL's site stands on the ring. */
  readonly position: RingPosition;
  /**
   * The rows by which it survives, one for each arc with a page that led to it before it was on its way; an injected URL
   * has none until a page has it too, since its sender waits for it.
   */
  outboxKeys: readonly Uint8Array[];
  readonly entry: OutboxEntry;
  readonly sinceMs: Millis;
  /** Who waits for the acknowledgement; only the first one is told that the URL was new. */
  readonly waiters: Acknowledged[];
  /** Who holds the site, by the word of a member that does not. */
  hint: MemberRun | undefined;
  /** Members that sent it elsewhere, in a row. */
  refusals: number;
  /** Its job was unknown here when it began to be sent. */
  isUnheard: boolean;
}

/** How a batch of parcels was received. */
export type Delivery =
  | {
      readonly kind: "received";
      /** For each parcel: taken as new, known already, or refused with a hint where to try. */
      readonly results: readonly ForwardResult[];
    }
  | { readonly kind: "later"; readonly afterMs: Millis };

/** A parcel's identity: its row. */
export const parcelId = idOf;

const noKeys: readonly Uint8Array[] = [];

export function newParcel(parts: {
  readonly rowKey: Uint8Array;
  readonly outboxKey?: Uint8Array;
  readonly entry: OutboxEntry;
  readonly sinceMs: Millis;
  readonly acknowledged?: Acknowledged;
}): Parcel {
  const { rowKey, outboxKey, entry, sinceMs, acknowledged } = parts;
  return {
    rowKey,
    space: jobSpaceOfUrlKey(rowKey),
    position: positionOfKey(rowKey),
    outboxKeys: outboxKey ? [outboxKey] : noKeys,
    entry,
    sinceMs,
    hint: undefined,
    refusals: 0,
    isUnheard: false,
    waiters: acknowledged ? [acknowledged] : [],
  };
}

/**
 * The parcel that a row of the outbox stands for; nothing where its key is one of another job: what counts as that job's would
 * never arrive.
 */
export function parcelOfRow(
  outboxKey: Uint8Array,
  entry: OutboxEntry,
  sinceMs: Millis,
): Parcel | undefined {
  const { tag, words, space } = readOutboxKey(outboxKey);
  if (jobSpace(entry.job as JobId) !== space) return undefined;
  const position = ringPosition(siteOfHost(hostOf(entry.url as CanonicalUrl)));
  const rowKey = urlKey(tag, position, words, 0, space);
  return newParcel({ rowKey, outboxKey: new Uint8Array(outboxKey), entry, sinceMs });
}
