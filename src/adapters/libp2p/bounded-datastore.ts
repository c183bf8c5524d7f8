import { MemoryDatastore } from "datastore-core/memory";

type Key = Parameters<MemoryDatastore["put"]>[0];

/** Entries of one kind: what ten thousand peers leave, each about a kilobyte. */
const entriesPerKindMax = 10_000;

/** A record of a peer or of a lookup is far smaller; identify's messages are bounded at 8 KiB. */
const valueBytesMax = 16_384;

/** A peer's id, or a hash and a peer's id, in base 32; what others look up may be of any length. */
const keyBytesMax = 512;

/**
 * What libp2p remembers of peers and of lookups, in memory. Others decide how much there is to remember, so the oldest
 * goes when there is too much of its kind.
 */
export class BoundedDatastore extends MemoryDatastore {
  readonly #entriesMax: number;
  readonly #kinds = new Map<string, Map<string, Key>>();

  constructor(entriesMax = entriesPerKindMax) {
    super();
    this.#entriesMax = entriesMax;
  }

  override async put(key: Key, value: Uint8Array): Promise<Key> {
    if (value.length > valueBytesMax || key.uint8Array().length > keyBytesMax) return key;
    const kind = this.#kindOf(key);
    kind.delete(key.toString());
    kind.set(key.toString(), key);
    await super.put(key, value);
    for (const oldest of kind.values()) {
      if (kind.size <= this.#entriesMax) break;
      await this.delete(oldest);
    }
    return key;
  }

  override async delete(key: Key): Promise<void> {
    this.#kindOf(key).delete(key.toString());
    await super.delete(key);
  }

  /** Keys with the same first part. Invariant: kinds are few, since libp2p's parts choose them, not its peers. */
  #kindOf(key: Key): Map<string, Key> {
    const name = key.list()[0] ?? "";
    const known = this.#kinds.get(name);
    if (known) return known;
    const kind = new Map<string, Key>();
    this.#kinds.set(name, kind);
    return kind;
  }
}
