import { invariant } from "../../core/errors.ts";
import { numberOfKey, numberedKey } from "../../core/record/named-keys.ts";
import { tagRange } from "../../core/record/key-ranges.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

/** Chunks written together: some 2 MiB, little beside what the database's log takes in memory. */
const chunksPerPart = 8;

/** The two places for a snapshot: chunks are numbered from here on, and the first one is the header. */
const places = [0, 2 ** 32] as const;
type Place = 0 | 1;

interface UnderWay {
  readonly place: Place;
  readonly header: Uint8Array;
  readonly pieces: Generator<Uint8Array, void, undefined>;
  /** Number of the chunk that is written next. */
  next: number;
}

/**
 * The sieve's snapshot in the database, written in parts beside the one before: as a whole it would be in memory three times,
 * as chunks, as a batch and as LevelDB's log, 30 MB each at ten million URLs.
 *
 * Invariant: at most one of the two places has a header, and where there is one the snapshot is complete: it is written with
 * the last part, which deletes the other snapshot.
 */
export class SieveSnapshots {
  #completePlace: Place | undefined;
  /** Chunks at each place, also of a snapshot that was never completed. */
  readonly #chunks: [number, number] = [0, 0];
  #underWay: UnderWay | undefined;

  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** The chunks of the complete snapshot, header first; none where there is none. */
  async load(store: Pick<Store, "scan">): Promise<Uint8Array[]> {
    const chunks: Uint8Array[] = [];
    for await (const { key, value } of store.scan(tagRange("sieveSnapshot"))) {
      const number = numberOfKey(key);
      const place = number < places[1] ? 0 : 1;
      const chunk = number - places[place];
      this.#chunks[place] = chunk + 1;
      if (chunk === 0) this.#completePlace = place;
      if (this.#completePlace === place) chunks.push(value);
    }
    return chunks;
  }

  /** Begins a new one, of these chunks; they are made while its parts are taken. One that is under way is given up. */
  begin(chunks: Generator<Uint8Array, void, undefined>): void {
    const { value: header } = chunks.next();
    invariant(header !== undefined, "a snapshot begins with its header");
    this.#underWay = { place: this.#completePlace === 0 ? 1 : 0, header, pieces: chunks, next: 1 };
  }

  /** The next part of the one under way; with the last one it takes the place of the one before. */
  nextPart(): StoreOp[] {
    const underWay = this.#underWay;
    if (!underWay) return [];
    const { place, pieces } = underWay;
    const ops: StoreOp[] = [];
    while (ops.length < chunksPerPart) {
      const { value, done } = pieces.next();
      if (done === true) return [...ops, ...this.#complete(underWay)];
      ops.push({ type: "put", key: keyOf(place, underWay.next), value });
      underWay.next += 1;
      this.#chunks[place] = Math.max(this.#chunks[place], underWay.next);
    }
    return ops;
  }

  #complete({ place, header, next }: UnderWay): StoreOp[] {
    const other = place === 0 ? 1 : 0;
    const ops: StoreOp[] = [
      { type: "put", key: keyOf(place, 0), value: header },
      ...this.#deletionsFrom(place, next),
      ...this.#deletionsFrom(other, 0),
    ];
    this.#chunks[place] = next;
    this.#chunks[other] = 0;
    this.#completePlace = place;
    this.#underWay = undefined;
    return ops;
  }

  #deletionsFrom(place: Place, from: number): StoreOp[] {
    const count = Math.max(0, this.#chunks[place] - from);
    return Array.from({ length: count }, (_, at) => ({
      type: "del",
      key: keyOf(place, from + at),
    }));
  }
}

function keyOf(place: Place, chunk: number): Uint8Array<ArrayBuffer> {
  return numberedKey("sieveSnapshot", places[place] + chunk);
}
