/** Slips that are looked beyond. */
const editsMax = 2;

/** The candidate that `word` was probably meant to be: at most two edits, and less than half of the longer of both, away. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestEdits = editsMax + 1;
  for (const candidate of candidates) {
    const edits = editDistance(word.slice(0, 64), candidate);
    if (edits >= bestEdits || edits >= Math.max(word.length, candidate.length) / 2) continue;
    best = candidate;
    bestEdits = edits;
  }
  return best;
}

/**
 * Insertions, deletions, substitutions, and swaps of neighbours between two words (Damerau 1964; as "optimal string
 * alignment", in which nothing is edited twice).
 */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swapped, substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
