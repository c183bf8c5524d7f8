import { hash64 } from "../../src/core/hash/hash64.ts";

/**
 * Chance from a seed: all that is random in a simulated world.
 *
 * The generator is sfc32 (Doty-Humphrey, PractRand): 32-bit operations only, which are what JavaScript does fast.
 *
 * Invariant: a fork depends on the seed and the names on the way to it, never on what has been drawn; so one part of a
 * world can draw more without moving another part.
 */
export class Dice {
  readonly #path: string;
  readonly #seed: bigint;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param path names of the forks that led here */
  constructor(seed: number | bigint, path = "") {
    this.#path = path;
    this.#seed = BigInt.asUintN(64, BigInt(seed));
    const low = hash64(`dice ${path}`, this.#seed);
    const high = hash64(`dice more ${path}`, this.#seed);
    this.#a = Number(BigInt.asIntN(32, low));
    this.#b = Number(BigInt.asIntN(32, low >> 32n));
    this.#c = Number(BigInt.asIntN(32, high));
    // The first rounds still show the seed.
    for (let round = 0; round < 12; round += 1) this.#bits();
  }

  /** Dice of their own for the part of the world with that name. */
  fork(name: string): Dice {
    return new Dice(this.#seed, `${this.#path}/${name}`);
  }

  /** Uniform in [0, 1), with 53 random bits. */
  next(): number {
    const high = this.#bits() >>> 6;
    const low = this.#bits() >>> 5;
    return (high * 2 ** 27 + low) / 2 ** 53;
  }

  /** Uniform in [min, max). */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True with that probability; draws nothing where it is 0 or 1. */
  chance(probability: number): boolean {
    if (probability <= 0) return false;
    return probability >= 1 || this.next() < probability;
  }

  pick<T>(list: readonly [T, ...T[]]): T;
  pick<T>(list: readonly T[]): T | undefined;
  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.next() * list.length)];
  }

  /** A copy in random order (Fisher and Yates; Durstenfeld 1964). */
  shuffled<T>(list: readonly T[]): T[] {
    const left = [...list];
    const order: T[] = [];
    while (left.length > 0) order.push(...left.splice(this.integer(0, left.length - 1), 1));
    return order;
  }

  /** Waiting time of a memoryless event. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  /** The median times e to the power of a normal draw with deviation `sigma`: most near the median, a few far beyond. */
  lognormal(median: number, sigma: number): number {
    if (sigma === 0) return median;
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return median * Math.exp(sigma * radius * Math.cos(2 * Math.PI * this.next()));
  }

  #bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum;
  }
}
