import type { Entropy } from "../../src/ports/entropy.ts";
import type { Dice } from "./dice.ts";

/** A process's chance, drawn from the world's. */
export class SeededEntropy implements Entropy {
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  random(): number {
    return this.#dice.next();
  }
}
