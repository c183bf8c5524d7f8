import { isAsciiSpace } from "./ascii.ts";

/** Characters of tags (HTML Standard, sections 13.2.5.6 to 13.2.5.40). Of those that end something, `>` is the highest. */
const doubleQuote = 0x22;
const singleQuote = 0x27;
const slash = 0x2f;
const equals = 0x3d;
const greaterThan = 0x3e;

/** A name of a tag begins with one. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** What may stand between the attributes of a tag. */
export function isGap(code: number): boolean {
  return code <= slash && (code === slash || isAsciiSpace(code));
}

export function endsTagName(code: number): boolean {
  return code <= greaterThan && (code === greaterThan || isGap(code));
}

export function endsAttributeName(code: number): boolean {
  return code <= greaterThan && (code === equals || code === greaterThan || isGap(code));
}

export function endsUnquotedValue(code: number): boolean {
  return code <= greaterThan && (code === greaterThan || isAsciiSpace(code));
}

/**
 * Where a tag ends whose name ends at `start`: behind its `>`. Made for tags that nobody looks into, which most are.
 *
 * Reads attributes of the usual form, a name, `=` and a value in quotes, or a name alone; where it meets anything else, it
 * gives up and returns undefined.
 */
export function usualTagEnd(text: string, start: number): number | undefined {
  let previous = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === greaterThan) return at + 1;
    if (code === equals) {
      // Letters are above `>`; behind one, this `=` is neither the first character of a name nor apart from its name.
      const quote = previous > greaterThan ? text.charCodeAt(at + 1) : 0;
      if (quote !== doubleQuote && quote !== singleQuote) return undefined;
      at = text.indexOf(quote === doubleQuote ? '"' : "'", at + 2);
      if (at < 0) return undefined;
    }
    previous = code;
  }
  return undefined;
}
