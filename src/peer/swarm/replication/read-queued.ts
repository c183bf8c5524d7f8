import { waitingKeyOf } from "../../../core/record/queue-keys.ts";
import { isWaitingKey } from "../../../core/record/waiting-row.ts";
import type { QueueBundle } from "../../../core/record/queue-bundle.ts";
import { readBundle } from "../../../core/replication/entry-lattices.ts";
import { canonicalizeUrl } from "../../../core/url/canonicalize-url.ts";
import type { CanonicalUrl, HostName } from "../../../core/units.ts";
import { hostOf } from "../../../core/url/site-of.ts";

/** A row of a queue that another member has written. */
export interface QueuedBundle {
  readonly bundle: QueueBundle;
  /** Of all its URLs. */
  readonly host: HostName;
}

/** The row; nothing where it is none, or stands in a queue where nobody would find it. */
export function readQueued(key: Uint8Array, value: Uint8Array): QueuedBundle | undefined {
  const bundle = readBundle(value);
  if (!bundle?.urls.every((url) => canonicalizeUrl(url) === url)) return undefined;
  const hosts = new Set(bundle.urls.map((url) => hostOf(url as CanonicalUrl)));
  const [host] = hosts;
  return host !== undefined && hosts.size === 1 && isWaitingKey(waitingKeyOf(key), host)
    ? { bundle, host }
    : undefined;
}
