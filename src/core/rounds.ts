/**
 * Deals out what a collection has, some at a time, round after round.
 *
 * Each of it comes within one round, and a turn costs what it deals out, however much the collection has.
 */
export class Rounds<T> {
  readonly #begin: () => Iterator<T, void>;
  #round: Iterator<T, void>;

  /** @param begin begins a round, which is read on while the collection changes */
  constructor(begin: () => Iterator<T, void>) {
    this.#begin = begin;
    this.#round = begin();
  }

  /** The next `max`, none of them twice; all there are where they are no more. */
  next(max: number): T[] {
    const dealt = new Set<T>();
    let hasBegun = false;
    while (dealt.size < max) {
      const { done, value } = this.#round.next();
      if (!done) {
        if (dealt.has(value)) break;
        dealt.add(value);
        continue;
      }
      if (hasBegun) break;
      hasBegun = true;
      this.#round = this.#begin();
    }
    return [...dealt];
  }
}
