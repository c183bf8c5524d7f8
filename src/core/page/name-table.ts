interface Entry<T> {
  readonly name: string;
  readonly value: T;
}

/**
 * A fixed set of lower-case ASCII names that finds them in place, in any case: nothing is cut out of the text before it
 * is known to be wanted, and nearly all that is not is dismissed by its length and first letter.
 */
export class NameTable<T> {
  readonly #byStart: readonly (readonly Entry<T>[] | undefined)[];

  constructor(entries: readonly (readonly [name: string, value: T])[]) {
    const byStart: Entry<T>[][] = [];
    for (const [name, value] of entries) {
      (byStart[startKey(name.length, name.charCodeAt(0))] ??= []).push({ name, value });
    }
    // Reading a hole is several times slower than reading undefined.
    this.#byStart = Array.from(byStart);
  }

  /** The value of the name that stands from `start` to `end` of `text`. */
  find(text: string, start: number, end: number): T | undefined {
    const key = startKey(end - start, text.charCodeAt(start));
    const candidates = key < this.#byStart.length ? this.#byStart[key] : undefined;
    if (candidates === undefined) return undefined;
    for (const { name, value } of candidates) {
      if (startsWithName(text, start, name)) return value;
    }
    return undefined;
  }
}

/** The length, and the first letter in five bits that are the same in either case. */
function startKey(length: number, firstCode: number): number {
  return (length << 5) | (firstCode & 0x1f);
}

/**
 * Whether `name`, of lower-case letters, dashes and colons, stands at `start` of `text`, in any case. Letters alone have this
 * bit as their case; a dash has it set, and the one control character that it makes a dash is white space, never in a name.
 * U+001A passes for a colon, since no name that anybody writes has one.
 */
export function startsWithName(text: string, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if ((text.charCodeAt(start + index) | 0x20) !== name.charCodeAt(index)) return false;
  }
  return true;
}
