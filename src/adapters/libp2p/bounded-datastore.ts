import type { PeerId } from "@libp2p/interface";
import { MemoryDatastore } from "datastore-core/memory";

type Key = Parameters<MemoryDatastore["put"]>[0];

/** Of one kind: what ten thousand peers leave, each about a kilobyte. */
const defaultBounds: DatastoreBounds = { entriesMax: 10_000, bytesMax: 16 * 1_048_576 };

/** A record of a peer or of a lookup is far smaller; identify's messages are bounded at 8 KiB. */
const valueBytesMax = 16_384;

/** A peer's id, or a hash and a peer's id, in base 32; what others look up may be of any length. */
const keyBytesMax = 512;

/** What is remembered of each kind. */
interface DatastoreBounds {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

interface Entry {
  readonly key: Key;
  readonly bytes: number;
}

/** Keys with the same first part, the oldest one first. */
interface Kind {
  readonly entries: Map<string, Entry>;
  bytes: number;
}

/**
 * What libp2p remembers of peers and of lookups, in memory. Others decide how much there is to remember, so the oldest
 * goes when there is too much of its kind; but never what it remembers of this peer itself, which it writes once and then
 * tells each peer that asks.
 */
export class BoundedDatastore extends MemoryDatastore {
  readonly #ownName: string;
  readonly #bounds: DatastoreBounds;
  readonly #kinds = new Map<string, Kind>();

  constructor(self: PeerId, bounds = defaultBounds) {
    super();
    this.#ownName = `/peers/${self.toCID().toString()}`;
    this.#bounds = bounds;
  }

  override async put(key: Key, value: Uint8Array): Promise<Key> {
    if (value.length > valueBytesMax || key.uint8Array().length > keyBytesMax) return key;
    const kind = this.#kindOf(key);
    this.#forget(key);
    if (key.toString() !== this.#ownName) {
      const bytes = key.uint8Array().length + value.length;
      kind.entries.set(key.toString(), { key, bytes });
      kind.bytes += bytes;
    }
    await super.put(key, value);
    for (const oldest of kind.entries.values()) {
      if (kind.entries.size <= this.#bounds.entriesMax && kind.bytes <= this.#bounds.bytesMax)
        break;
      await this.delete(oldest.key);
    }
    return key;
  }

  override async delete(key: Key): Promise<void> {
    this.#forget(key);
    await super.delete(key);
  }

  #forget(key: Key): void {
    const kind = this.#kindOf(key);
    const known = kind.entries.get(key.toString());
    if (known === undefined) return;
    kind.entries.delete(key.toString());
    kind.bytes -= known.bytes;
  }

  /** Invariant: kinds are few, since libp2p's parts choose them, not its peers. */
  #kindOf(key: Key): Kind {
    const name = key.list()[0] ?? "";
    const known = this.#kinds.get(name);
    if (known) return known;
    const kind: Kind = { entries: new Map(), bytes: 0 };
    this.#kinds.set(name, kind);
    return kind;
  }
}
