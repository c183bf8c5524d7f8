/** Fingerprint words that stand for the number `n`: spread over all bits, different for different numbers. */
export function wordsOf(n: number): Uint32Array {
  const words = new Uint32Array(4);
  let state = n | 0;
  for (let i = 0; i < 4; i++) {
    // A round of splitmix32; the last word is the number itself, so that no two numbers share all four.
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    words[i] = mixed ^ (mixed >>> 15);
  }
  words[3] = n;
  return words;
}
