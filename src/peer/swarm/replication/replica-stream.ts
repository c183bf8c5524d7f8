import { ArcMap } from "../../../core/ring/arc-map.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import { positionOfKey, type RingPosition } from "../../../core/ring/ring-position.ts";
import { territorialTagOf } from "../../../core/record/key-tags.ts";
import { readBundle } from "../../../core/replication/entry-lattices.ts";
import type { Row } from "../../../core/messages/rows.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { OverlayOutcome } from "../../../ports/overlay.ts";

/** Rows that one append of the journal wrote, or a part of very many; those of one message arrive together or not at all. */
interface Unit {
  /** Counts the units of this stream. */
  readonly number: number;
  readonly sequence: number;
  readonly rows: readonly Row[];
  /** Of keys and values. */
  readonly bytes: number;
}

export interface ReplicaStreamOptions {
  /** Rows of one message. More save messages and make an acknowledgement wait. @default 4_000 */
  readonly rowsPerMessage: number;
  /** Bytes of keys and values in one message, unless one row alone has more. @default 1_048_576 */
  readonly bytesPerMessage: number;
  /** Rest after a message that did not arrive. @default 200 */
  readonly retryMs: Millis;
  /**
   * Time after which a replica that has acknowledged nothing is put off. Longer spares one with a slow disk a new comparison,
   * and makes a crawl wait longer where as much as may be is on its way there. @default 60_000
   */
  readonly patienceMs: Millis;
  /** Rest between two tries whether a replica that is put off takes something again. @default 3_000 */
  readonly putOffRetryMs: Millis;
}

export const defaultReplicaStreamOptions: ReplicaStreamOptions = Object.freeze({
  rowsPerMessage: 4_000,
  bytesPerMessage: 1_024 * 1_024,
  retryMs: 200,
  patienceMs: 60_000,
  putOffRetryMs: 3_000,
});

/**
 * The changes on their way to one replica, in the order in which they were made.
 *
 * One message is under way at a time and is repeated until it is acknowledged: to apply rows twice changes nothing.
 *
 * A replica may run, and take nothing for ever. Lest everybody waits for it, it is put off: of what is on its way only the
 * message under way is kept and repeated, changes go there no more, and its copy counts as one that there is nothing of. When
 * it takes that message, another stream takes the place of this one, and the copy is compared from the beginning.
 *
 * Invariant: what is sent is durable at this peer, its pages in the archive; what is acknowledged, at the replica too.
 */
export class ReplicaStream {
  readonly member: MemberId;
  readonly generation: number;
  /** Arcs of which the replica has everything but what is in this stream. */
  synced = ArcSet.empty;
  /** How often it has been doubted that the replica knows what it has. */
  doubts = 0;
  /** From which unit on the changes of an arc go into this stream. */
  readonly #liveSince = new ArcMap<number>();
  readonly #clock: Clock;
  readonly #send: (rows: readonly Row[]) => Promise<OverlayOutcome>;
  readonly #options: ReplicaStreamOptions;
  readonly #onProgress: () => void;
  readonly #units: Unit[] = [];
  /** Sites of which something is on its way, with the last unit that has a row of each. */
  readonly #underWay = new Map<RingPosition, number>();
  #pushedUnits = 0;
  readonly #abort = new AbortController();
  #live = ArcSet.empty;
  #queuedRows = 0;
  #durableUpTo = 0;
  #running = false;
  #isPutOff = false;

  constructor(
    target: { readonly member: MemberId; readonly generation: number },
    clock: Clock,
    send: (rows: readonly Row[]) => Promise<OverlayOutcome>,
    options: ReplicaStreamOptions,
    /** Called when something was acknowledged, or the stream has ended. */
    onProgress: () => void,
  ) {
    this.member = target.member;
    this.generation = target.generation;
    this.#clock = clock;
    this.#send = send;
    this.#options = options;
    this.#onProgress = onProgress;
  }

  get queuedRows(): number {
    return this.#queuedRows;
  }

  /** Units so far. */
  get pushedUnits(): number {
    return this.#pushedUnits;
  }

  /** Whether the replica has taken nothing for so long that nobody waits for it any more. */
  get isPutOff(): boolean {
    return this.#isPutOff;
  }

  /** Whether the replica was put off, and takes something again: it is to have a new stream. */
  get isBack(): boolean {
    return this.#isPutOff && this.#units.length === 0;
  }

  /** Whether so many units are durable at the replica, whatever has come behind them. */
  hasTaken(units: number): boolean {
    const [first] = this.#units;
    return first === undefined || first.number > units;
  }

  /** Arcs whose changes go into this stream, or did until the replica was put off: it may take its copy of them for complete. */
  get live(): ArcSet {
    return this.#live;
  }

  /** The arcs whose changes have gone into this stream without a break, at the latest from the unit after `sequence` on. */
  liveSince(sequence: number): ArcSet {
    return this.#liveSince.arcsWhere((since) => since <= sequence);
  }

  /** From the unit after `sequence` on, the changes of these arcs go into this stream. */
  goLive(arcs: ArcSet, sequence: number): void {
    if (this.#isPutOff) return;
    const fresh = arcs.subtract(this.#live);
    this.#liveSince.set(fresh, sequence);
    this.#live = this.#live.union(fresh);
  }

  /** Arcs outside `arcs` are no business of this replica any more. */
  keepOnly(arcs: ArcSet): void {
    this.#liveSince.delete(this.#live.subtract(arcs));
    this.#live = this.#live.intersect(arcs);
    this.synced = this.synced.intersect(arcs);
  }

  /** The copy of these arcs counts as complete no more, until the replica has been told so anew. */
  doubt(arcs: ArcSet): void {
    this.synced = this.synced.subtract(arcs);
    this.doubts += 1;
  }

  /** Sites outside `arcs` of which something is on its way. */
  underWayOutside(arcs: ArcSet): RingPosition[] {
    return [...this.#underWay.keys()].filter((position) => !arcs.contains(position));
  }

  /** Whether everything of the position that was written up to the unit `sequence` is durable at the replica. */
  has(position: RingPosition, sequence: number): boolean {
    const liveSince = this.#liveSince.get(position);
    if (liveSince === undefined) return false;
    // What was written before the stream took the arc up is part of the copy.
    if (sequence <= liveSince) return this.synced.contains(position);
    return !this.#underWay.has(position) || this.hasAll(sequence);
  }

  /** Whether nothing is on its way of what was pushed up to the unit `sequence`. */
  hasAll(sequence: number): boolean {
    const [first] = this.#units;
    return first === undefined || first.sequence > sequence;
  }

  /** Puts rows behind all others. */
  push(sequence: number, rows: readonly Row[]): void {
    if (this.#abort.signal.aborted || this.#isPutOff) return;
    const bytes = bytesOf(rows);
    const { rowsPerMessage, bytesPerMessage } = this.#options;
    if (rows.length <= rowsPerMessage && bytes <= bytesPerMessage) {
      this.#pushUnit(sequence, rows, bytes);
    } else {
      for (const part of this.#partsOf(rows)) this.#pushUnit(sequence, part, bytesOf(part));
    }
    this.#queuedRows += rows.length;
    this.#start();
  }

  /** What was pushed up to the unit `sequence` is durable here, and may be sent. */
  release(sequence: number): void {
    this.#durableUpTo = sequence;
    this.#start();
  }

  end(): void {
    this.#abort.abort();
    this.#units.length = 0;
    this.#underWay.clear();
    this.#queuedRows = 0;
    this.#onProgress();
  }

  /**
   * What does not fit into one message, in parts that may arrive apart. So first comes what a record vouches for: who has
   * the record of a queued URL without its place in the queue takes it for known, and nobody ever fetches it. What is
   * deleted comes last: a URL leaves the queue behind the record of its end.
   */
  #partsOf(rows: readonly Row[]): Row[][] {
    const { rowsPerMessage, bytesPerMessage } = this.#options;
    const parts: Row[][] = [];
    let part: Row[] = [];
    let bytes = 0;
    for (const row of rows.toSorted((one, other) => turnOf(one) - turnOf(other))) {
      const isFull = part.length >= rowsPerMessage || bytes + bytesOfRow(row) > bytesPerMessage;
      if (isFull && part.length > 0) {
        parts.push(part);
        part = [];
        bytes = 0;
      }
      part.push(row);
      bytes += bytesOfRow(row);
    }
    parts.push(part);
    return parts;
  }

  #pushUnit(sequence: number, rows: readonly Row[], bytes: number): void {
    this.#pushedUnits += 1;
    const number = this.#pushedUnits;
    this.#units.push({ number, sequence, rows, bytes });
    forEachPosition(rows, (position) => this.#underWay.set(position, number));
  }

  #acknowledge({ number, rows }: Unit): void {
    forEachPosition(rows, (position) => {
      if (this.#underWay.get(position) === number) this.#underWay.delete(position);
    });
  }

  #start(): void {
    if (this.#running || !this.#maySend) return;
    this.#running = true;
    void this.#run();
  }

  get #maySend(): boolean {
    const [first] = this.#units;
    return first !== undefined && first.sequence <= this.#durableUpTo;
  }

  async #run(): Promise<void> {
    // Changes of the same turn go together.
    await Promise.resolve();
    while (this.#maySend) {
      const count = this.#nextCount();
      const rows = this.#units.slice(0, count).flatMap((unit) => unit.rows);
      if (!(await this.#deliver(rows, count))) break;
      for (const unit of this.#units.splice(0, count)) this.#acknowledge(unit);
      this.#queuedRows -= rows.length;
      this.#onProgress();
    }
    this.#running = false;
  }

  /** Resolves with false when the stream has ended. */
  async #deliver(rows: readonly Row[], units: number): Promise<boolean> {
    const { signal } = this.#abort;
    const { retryMs, patienceMs, putOffRetryMs } = this.#options;
    const putOffAtMs = this.#clock.nowMs() + patienceMs;
    for (;;) {
      const outcome = await this.#send(rows);
      if (signal.aborted) return false;
      if (outcome.kind === "reply") return true;
      if (!this.#isPutOff && this.#clock.nowMs() >= putOffAtMs) this.#putOff(units);
      const waitMs = outcome.kind === "busy" ? outcome.retryAfterMs : retryMs;
      await this.#clock.sleep(this.#isPutOff ? Math.max(waitMs, putOffRetryMs) : waitMs, signal);
    }
  }

  /** Keeps so many units alone. What the others had is under way still, as far as anyone asks: the replica never got it. */
  #putOff(units: number): void {
    this.#isPutOff = true;
    this.#liveSince.delete(this.#live);
    this.synced = ArcSet.empty;
    this.#units.length = units;
    this.#queuedRows = this.#units.reduce((sum, { rows }) => sum + rows.length, 0);
    this.#onProgress();
  }

  #nextCount(): number {
    let rows = 0;
    let bytes = 0;
    const { rowsPerMessage, bytesPerMessage } = this.#options;
    const end = this.#units.findIndex((unit, at) => {
      rows += unit.rows.length;
      bytes += unit.bytes;
      const isTooMuch = rows > rowsPerMessage || bytes > bytesPerMessage;
      return at > 0 && (isTooMuch || unit.sequence > this.#durableUpTo);
    });
    return end === -1 ? this.#units.length : end;
  }
}

function bytesOf(rows: readonly Row[]): number {
  let bytes = 0;
  for (const row of rows) bytes += bytesOfRow(row);
  return bytes;
}

function bytesOfRow({ key, value }: Row): number {
  return key.length + (value?.length ?? 0);
}

/** When a row's turn comes in a unit that goes in parts. */
function turnOf({ key, value }: Row): number {
  if (value === undefined) return 2;
  const tag = territorialTagOf(key);
  if (tag === "url") return 1;
  return tag === "queue" && readBundle(value)?.taken ? 2 : 0;
}

/** Most rows of a unit are of one site, and stand together. */
function forEachPosition(rows: readonly Row[], visit: (position: RingPosition) => void): void {
  let last: RingPosition | undefined;
  for (const { key } of rows) {
    const position = positionOfKey(key);
    if (position === last) continue;
    last = position;
    visit(position);
  }
}
