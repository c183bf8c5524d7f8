import { isAsciiSpace } from "./ascii.ts";

/** Characters of tags (HTML Standard, sections 13.2.5.6 to 13.2.5.40). Of those that end something, `>` is the highest. */
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
