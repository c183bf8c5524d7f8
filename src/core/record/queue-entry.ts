import { commonPrefix } from "../text/common-prefix.ts";
import type { Millis } from "../units.ts";
import { QueueRow } from "./record.pb.ts";

/** One URL in the queue of its host. */
export interface QueueEntry {
  readonly url: string;
  /** Links from a seed. */
  readonly depth: number;
  /** Requests made for it so far. */
  readonly attempts: number;
  /** URLs that redirected here, first one first. */
  readonly redirectChain: string[];
  /** The page on which it was found. */
  readonly via?: string;
  /** By the wall clock. */
  readonly discoveredAtMs: Millis;
}

/**
 * The entry as a row of the database. What a page shares with the beginning of a URL that was found on it is left out: most
 * links lead to the host of their page, and a queue is little else than URLs.
 */
function encode(entry: QueueEntry): Uint8Array<ArrayBuffer> {
  const { url, depth, attempts, redirectChain, via, discoveredAtMs } = entry;
  const row = { url, depth, attempts, redirectChain, discoveredAtMs };
  if (via === undefined) return QueueRow.encode(row);
  const viaShared = commonPrefix(url, via);
  return QueueRow.encode({ ...row, viaShared, viaRest: via.slice(viaShared) });
}

/** Errors: what the protobuf runtime throws at malformed bytes, and RangeError where more is shared than there is. */
function decode(row: Uint8Array, options?: Parameters<typeof QueueRow.decode>[1]): QueueEntry {
  const { url, depth, attempts, redirectChain, discoveredAtMs, viaShared, viaRest, via } =
    QueueRow.decode(row, options);
  if (viaShared > url.length) throw new RangeError("a page shares more than there is of its URL");
  const page = viaRest === undefined ? via : url.slice(0, viaShared) + viaRest;
  const entry = { url, depth, attempts, redirectChain, discoveredAtMs };
  return page === undefined ? entry : { ...entry, via: page };
}

export const QueueEntry = { encode, decode };
