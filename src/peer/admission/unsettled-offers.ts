/**
 * Counts the links that are offered to the sieve while the rows of earlier ones are not durable yet.
 *
 * The sieve's cache promises to keep so many of the latest offers. A key that it has forgotten is looked for in the
 * database; if its row is not there yet either, its URL counts as new once more.
 */
export class UnsettledOffers {
  readonly #max: number;
  #offers = 0;
  /** Links offered before each round that is not durable yet, in the order of the rounds. */
  readonly #before: number[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether the cache could forget keys of rounds that are not durable, if so many more were offered. */
  isTooMany(links: number): boolean {
    const [before] = this.#before;
    return before !== undefined && this.#offers - before + links > this.#max;
  }

  /** Counts a round's links; with what is returned the caller says when its rows are durable, if it has any. */
  offer(links: number): (durable: Promise<void>) => void {
    const before = this.#offers;
    this.#offers += links;
    return (durable) => {
      this.#before.push(before);
      durable.then(
        () => this.#before.shift(),
        // The journal has reported it, and the peer is on its way down.
        () => undefined,
      );
    };
  }
}
