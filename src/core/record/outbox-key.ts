import { copy, getUint32, putUint32 } from "./key-bytes.ts";
import { newTerritorialKey, tags, type Key } from "./key-tags.ts";
import {
  exclusionSpace,
  fingerprintAt,
  readSpace,
  readUrlKey,
  spaceAt,
  urlKeyBytes,
} from "./url-keys.ts";

/**
 * Key of a URL, or of an exclusion, on its way to its owner. Length 29.
 *
 * It lies with the site of the page on which the URL was found, so that it moves with that page's record. A URL that one
 * page lets in and another keeps out has two rows: the exclusion's being on its way says nothing of the URL's.
 */
export function outboxKey(sourcePosition: bigint, urlRowKey: Uint8Array): Key {
  const bytes = newTerritorialKey("outbox", sourcePosition);
  copy(urlRowKey, fingerprintAt, urlKeyBytes, bytes, fingerprintAt);
  if (urlRowKey[0] === tags.exclusion) {
    putUint32(bytes, spaceAt, exclusionSpace(getUint32(bytes, spaceAt)));
  }
  return bytes;
}

/** What an {@link outboxKey} says of the row that the URL is to have at its owner. */
export function readOutboxKey(row: Uint8Array): {
  readonly tag: "exclusion" | "url";
  readonly words: Uint32Array<ArrayBuffer>;
  readonly space: number;
} {
  const { words, space } = readUrlKey(row);
  const { isExclusion, jobSpace } = readSpace(space);
  return { tag: isExclusion ? "exclusion" : "url", words, space: jobSpace };
}
