import type { Entropy } from "../../ports/entropy.ts";

/** The platform's generator: good enough to spread load, and used for nothing else. */
export class SystemEntropy implements Entropy {
  random(): number {
    return Math.random();
  }
}
