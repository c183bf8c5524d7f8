import { compareKeys } from "../record/compare-keys.ts";
import type { ListedUrl } from "./list-key.ts";

/** A stretch of a list, of one kind of rows, in the order of their keys. */
export interface ListStretch {
  readonly urls: readonly ListedUrl[];
  /** The rows before this key have been looked at; absent: all of the kind. */
  readonly reached?: Uint8Array;
}

const noKey = new Uint8Array(0);

/** What several members have in the stretch that all of them have looked at, each row once. */
export function mergeStretches(stretches: readonly ListStretch[]): ListStretch {
  let reached: Uint8Array | undefined;
  for (const one of stretches) {
    if (one.reached && (!reached || compareKeys(one.reached, reached) < 0)) ({ reached } = one);
  }
  const end = reached;
  const urls = stretches
    .flatMap((one) => one.urls)
    .filter(({ key }) => !end || compareKeys(key, end) < 0)
    .sort((one, other) => compareKeys(one.key, other.key))
    .filter(({ key }, at, all) => compareKeys(key, all[at - 1]?.key ?? noKey) !== 0);
  return { urls, ...(end && { reached: end }) };
}
