import { circle, keyPrefixOf } from "../ring/ring-position.ts";
import type { Arc } from "../ring/ring-position.ts";
import {
  newKey,
  tags,
  territorial,
  type Key,
  type KeyTag,
  type TerritorialTag,
} from "./key-tags.ts";

/** The keys of a tag whose sites are within the arc. */
export function rangeOfArc(tag: TerritorialTag, { from, to }: Arc): { gte: Key; lt: Key } {
  const whole = tagRange(tag);
  return {
    gte: Uint8Array.of(tags[tag], ...keyPrefixOf(from)),
    lt: to === circle ? whole.lt : Uint8Array.of(tags[tag], ...keyPrefixOf(to)),
  };
}

/** Not a key, but higher than every key of the tag, and lower than every other tag's: where a range of them may end. */
export function lastKeyOf(tag: TerritorialTag): Key {
  const bytes = newKey(tag, territorial[tag] + 1);
  return bytes.fill(0xff, 1);
}

/** All keys of a tag. */
export function tagRange(tag: KeyTag): { gte: Key; lt: Key } {
  const gte = Uint8Array.of(tags[tag]);
  return { gte, lt: successor(gte) };
}

/** The smallest key that is greater than every key with this prefix. */
export function successor(prefix: Uint8Array): Key {
  const next = new Uint8Array(prefix);
  for (let at = next.length - 1; at >= 0; at -= 1) {
    const byte = next[at] ?? 0;
    if (byte < 0xff) {
      next[at] = byte + 1;
      return next.slice(0, at + 1);
    }
  }
  return Uint8Array.of(0xff);
}

/** The smallest key after `row`. */
export function after(row: Uint8Array): Key {
  const next = new Uint8Array(row.length + 1);
  next.set(row);
  return next;
}
