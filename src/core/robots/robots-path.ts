/**
 * The form in which the paths of URLs and the patterns of rules are compared, octet by octet (RFC 9309, 2.2.2): escapes
 * of unreserved characters decoded, all others in upper case, and everything that may not stand in a URL escaped.
 */

/** Characters that stand for themselves on both sides. */
const plain = /^[\w\-.~!&()+,;=:@/?]*$/;

/** An escape, or one character that does not stand for itself. */
const special = /%[0-9A-Fa-f]{2}|[^\w\-.~!&()+,;=:@/?]/gu;

const unreserved = /[\w\-.~]/;

/** The normal form of a canonical URL's path and query. There, `*` and `$` are characters like others. */
export function normalizePath(path: string): string {
  if (plain.test(path)) return path;
  return path.replace(special, normalizeOne);
}

/** The normal form of a rule's pattern: `*` is a wildcard, and `$` at the end the end of the path (RFC 9309, 2.2.3). */
export function normalizePattern(pattern: string): string {
  if (plain.test(pattern)) return pattern;
  const anchored = pattern.endsWith("$");
  const text = (anchored ? pattern.slice(0, -1) : pattern).toWellFormed();
  const normal = text.replace(special, (found) => (found === "*" ? found : normalizeOne(found)));
  return anchored ? `${normal}$` : normal;
}

function normalizeOne(found: string): string {
  if (found.length === 3 && found.startsWith("%")) {
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return unreserved.test(character) ? character : found.toUpperCase();
  }
  // Alone it is an octet like others: a pattern may end within an escape (`/*%2`).
  if (found === "%") return found;
  const escaped = encodeURIComponent(found);
  return escaped === found ? `%${found.charCodeAt(0).toString(16).toUpperCase()}` : escaped;
}

/**
 * Whether a normal pattern matches a normal path, in time linear in both.
 *
 * Each piece between two wildcards is taken at its first place after the piece before: if the pieces fit anywhere, they
 * fit there. There is nothing to go back to, so a pattern of a thousand wildcards costs no more than its length.
 */
export function patternMatches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  const [first = ""] = pieces;
  if (!path.startsWith(first)) return false;
  if (pieces.length === 1) return !anchored || path.length === first.length;

  const last = anchored ? (pieces.pop() ?? "") : "";
  let at = first.length;
  for (const piece of pieces.slice(1)) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}
