import type { Row } from "../../../core/messages/rows.ts";
import { idOf } from "../../../core/record/id-of.ts";
import { jobSpaceOfQueueKey, sequenceOfQueueKey } from "../../../core/record/queue-keys.ts";
import { retag } from "../../../core/record/url-keys.ts";
import { territorialTagOf, type TerritorialTag } from "../../../core/record/key-tags.ts";
import { isQueued } from "../../../core/record/queue-bundle.ts";
import { queuedRecord } from "../../../core/record/url-state.ts";
import { hostOfWaitingRow, isWaitingKey } from "../../../core/record/waiting-row.ts";
import { positionOfKey } from "../../../core/ring/ring-position.ts";
import type { Sequence } from "../../durability/sequence.ts";
import type { Job, JobRegistry } from "../../jobs/job-registry.ts";
import type { Territory } from "../ownership/territory.ts";
import { recordKeysOf } from "./outdated.ts";
import { readQueued, type QueuedBundle } from "./read-queued.ts";
import { nameKey, type NamedKey } from "./row-watch.ts";

/** A row of another member, with what has to be known of it to merge it. */
export interface IncomingRow extends NamedKey {
  readonly row: Row;
  readonly tag: TerritorialTag;
  readonly isHeld: boolean;
  /** Of a row for a queue that is held here. */
  readonly queued?: IncomingQueued;
  /** Of a URL's record, or its exclusion, in an arc that is held here: the row that the URL has where it is the other one. */
  readonly opposite?: NamedKey;
}

/** A row of a queue from elsewhere. */
export interface IncomingQueued extends QueuedBundle {
  /** Undefined where this peer has not heard of it: such a row is kept as it comes, and read when it has. */
  readonly job: Job | undefined;
  /** Of its URLs' records, by the URLs' places. */
  readonly records: readonly NamedKey[];
}

interface IncomingRowsParts {
  readonly jobs: Pick<JobRegistry, "bySpace">;
  readonly sequence: Pick<Sequence, "observe">;
  readonly territory: Pick<Territory, "holds">;
}

/** Reads rows of other members: none of them is believed to be well-formed, or to be this peer's business. */
export class IncomingRows {
  readonly #parts: IncomingRowsParts;

  constructor(parts: IncomingRowsParts) {
    this.#parts = parts;
  }

  /**
   * The row; nothing where it changes nothing here. A row of a queue says of its URLs that they are queued: their records
   * may come later, or never, so they come in with it.
   */
  of(row: Row): IncomingRow[] {
    const { key, value } = row;
    const tag = territorialTagOf(key);
    if (tag === undefined) return [];
    const isHeld = this.#parts.territory.holds(positionOfKey(key));
    // What is held here is not deleted on another's word: what is queued is dropped when its turn comes.
    if (isHeld && value === undefined) return [];
    // Of two names the merge would keep the greater one.
    if (tag === "waiting" && value && !isWaitingKey(key, hostOfWaitingRow(value))) return [];
    // Nor are its URLs queued then: with records and no place in a queue, nobody would ever fetch them.
    if (tag === "queue" && value && !this.#parts.sequence.observe(sequenceOfQueueKey(key)))
      return [];
    const one: IncomingRow = { key, id: idOf(key), row, tag, isHeld };
    if (!isHeld) return [one];
    if (tag === "url") return [{ ...one, opposite: nameKey(retag(key, "exclusion")) }];
    if (tag === "exclusion") return [{ ...one, opposite: nameKey(retag(key, "url")) }];
    return tag === "queue" ? this.#withRecords(one) : [one];
  }

  #withRecords(one: IncomingRow): IncomingRow[] {
    const { key, value } = one.row;
    const queued = value && readQueued(key, value);
    if (!queued) return [];
    const job = this.#parts.jobs.bySpace(jobSpaceOfQueueKey(key));
    if (!job) return [{ ...one, queued: { ...queued, job, records: [] } }];
    const { bundle } = queued;
    const records = recordKeysOf(bundle, job).map(nameKey);
    const rows = records
      .filter((_, place) => isQueued(bundle, place))
      .flatMap((record) => this.of({ key: record.key, value: queuedRecord(bundle.attempts) }));
    return [{ ...one, queued: { ...queued, job, records } }, ...rows];
  }
}
