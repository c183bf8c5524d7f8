import type { Sieve } from "../../core/sieve/sieve.ts";

/** A start puts another sieve in the place of the first one. */
interface Keeper {
  readonly sieve: Pick<Sieve, "offers" | "options">;
}

/**
 * Counts what the sieve is offered while the rows of earlier links are not durable yet: links, rows of other members, and what
 * pages contain.
 *
 * The sieve's cache promises to keep so many of the latest offers. A key that it has forgotten is looked for in the
 * database; if its row is not there yet either, its URL counts as new once more.
 */
export class UnsettledOffers {
  readonly #keeper: Keeper;
  /** Offers before each round that is not durable yet, in the order of the rounds. */
  readonly #before: number[] = [];

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  /** Whether the cache could forget keys of rounds that are not durable, if so many links more were offered. */
  isTooMany(links: number): boolean {
    const [before] = this.#before;
    const { offers, options } = this.#keeper.sieve;
    return before !== undefined && offers - before + links > options.unsettledOffersMax;
  }

  /** To be called before a round; with what is returned the caller says when its rows are durable, if it has any. */
  begin(): (durable: Promise<void>) => void {
    const before = this.#keeper.sieve.offers;
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
