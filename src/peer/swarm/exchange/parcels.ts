import type { Parcel } from "./parcel.ts";

/** The parcels under way, by id, and how many there are of each job. */
export class Parcels {
  readonly #byId = new Map<string, Parcel>();
  readonly #counts = new Map<number, number>();
  #unheard = 0;

  get size(): number {
    return this.#byId.size;
  }

  /** Those of jobs that were unknown here, or that were known. */
  sizeWhere(isUnheard: boolean): number {
    return isUnheard ? this.#unheard : this.size - this.#unheard;
  }

  /** Those of the jobs, as numbered inside keys, that `counts` says yes to. */
  sizeOf(counts: (space: number) => boolean): number {
    let size = 0;
    for (const [space, count] of this.#counts) if (counts(space)) size += count;
    return size;
  }

  /** Those of the job with this number inside keys. */
  of(space: number): number {
    return this.#counts.get(space) ?? 0;
  }

  get(id: string): Parcel | undefined {
    return this.#byId.get(id);
  }

  /** `id`: of no parcel that is here. */
  add(id: string, parcel: Parcel): void {
    this.#byId.set(id, parcel);
    if (parcel.isUnheard) this.#unheard += 1;
    this.#counts.set(parcel.space, this.of(parcel.space) + 1);
  }

  delete(id: string): void {
    const parcel = this.#byId.get(id);
    if (!parcel) return;
    this.#byId.delete(id);
    if (parcel.isUnheard) this.#unheard -= 1;
    const left = this.of(parcel.space) - 1;
    if (left > 0) this.#counts.set(parcel.space, left);
    else this.#counts.delete(parcel.space);
  }

  [Symbol.iterator](): IterableIterator<[string, Parcel]> {
    return this.#byId.entries();
  }
}
