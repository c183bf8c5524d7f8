/** The only source of randomness. */
export interface Entropy {
  /** Uniform in [0, 1). */
  random(): number;
}
