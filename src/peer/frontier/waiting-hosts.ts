import { CrawlError } from "../../core/errors.ts";
import { after, tagRange } from "../../core/record/key-ranges.ts";
import { hostKey } from "../../core/record/host-keys.ts";
import { hostOfWaitingRow, isWaitingKey } from "../../core/record/waiting-row.ts";
import { positionOfKey } from "../../core/ring/ring-position.ts";
import type { RingPosition } from "../../core/ring/ring-position.ts";
import type { HostName } from "../../core/units.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import type { Host } from "./host.ts";
import type { Journal } from "../durability/journal.ts";

/** Hosts read from disk by one look. */
const hostsPerLook = 256;

const encoder = new TextEncoder();

/**
 * The hosts with queued URLs, as they stand on disk: in memory there is room for some of them only.
 *
 * Looks go round in the order of the keys, so that no host waits for ever.
 */
export class WaitingHosts {
  readonly #store: Pick<Store, "range">;
  readonly #journal: Pick<Journal, "flushed">;
  readonly #room: () => number;
  readonly #isWanted: (name: HostName, position: RingPosition) => boolean;
  readonly #mayHaveMore: () => boolean;
  readonly #activate: (names: readonly HostName[]) => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  /** Where to look next; undefined when all have been looked at. */
  #cursor: Uint8Array | undefined = tagRange("waiting").gte;
  /** A host was left on disk, perhaps behind the cursor. */
  #leftBehind = false;
  #looking: Promise<void> | undefined;

  constructor(
    ports: { readonly store: Pick<Store, "range">; readonly journal: Pick<Journal, "flushed"> },
    intake: {
      /** Hosts that may be made active. */
      readonly room: () => number;
      /** Whether the host of this name and position is to become active where there is room. */
      readonly isWanted: (name: HostName, position: RingPosition) => boolean;
      /** Whether a host of which nothing is known to be queued may have entries all the same. */
      readonly mayHaveMore: () => boolean;
      /** Makes hosts active; those for which there is no room after all are left on disk. */
      readonly activate: (names: readonly HostName[]) => Promise<void>;
    },
    onFailure: (error: unknown) => void,
  ) {
    this.#store = ports.store;
    this.#journal = ports.journal;
    this.#room = intake.room;
    this.#isWanted = intake.isWanted;
    this.#mayHaveMore = intake.mayHaveMore;
    this.#activate = intake.activate;
    this.#onFailure = onFailure;
  }

  /** Whether there may be hosts on disk that are not in memory. */
  get mayWait(): boolean {
    return this.#cursor !== undefined || this.#leftBehind;
  }

  /** The row by which a start finds the host; none where it stands already. */
  keep(host: Host): readonly StoreOp[] {
    if (host.waitingRow === "written") return [];
    host.waitingRow = "written";
    const value = encoder.encode(host.visit.host);
    return [{ type: "put", key: hostKey("waiting", host.keys), value }];
  }

  /** The host has no queue entries any more: its row is deleted, where it is not already. */
  forget(host: Host): readonly StoreOp[] {
    if (host.waitingRow === "deleted" || this.#mayHaveMore()) return [];
    host.waitingRow = "deleted";
    return [{ type: "del", key: hostKey("waiting", host.keys) }];
  }

  /** There was no room for a host: it is to be found later. */
  leave(): void {
    this.#leftBehind = true;
  }

  /** Hosts that were passed over may be taken in now. */
  lookAgain(): void {
    this.#leftBehind = true;
    void this.look();
  }

  /** Takes hosts in while there is room. */
  look(): Promise<void> {
    if (!this.#looking && this.#isCalledFor) this.#looking = this.#pass().catch(this.#onFailure);
    return this.#looking ?? Promise.resolve();
  }

  get #isCalledFor(): boolean {
    return this.#room() > 0 && this.mayWait;
  }

  async #pass(): Promise<void> {
    try {
      do await this.#takePage();
      while (this.#isCalledFor);
    } finally {
      // At once: a call that comes after the last look at the room is one for another pass.
      this.#looking = undefined;
    }
  }

  async #takePage(): Promise<void> {
    const { gte: start, lt } = tagRange("waiting");
    if (!this.#cursor) {
      this.#cursor = start;
      this.#leftBehind = false;
    }
    await this.#journal.flushed();
    const rows = await this.#store.range({ gte: this.#cursor, lt }, hostsPerLook);
    const wanted = rows
      .map(({ key, value }) => ({ key, name: hostOfWaitingRow(value) }))
      .filter(({ key, name }) => this.#isWanted(name, positionOfKey(key)));
    // Those beyond would be left on disk, and found again only by a look from the start.
    const taken = wanted.slice(0, Math.max(this.#room(), 1));
    for (const { key, name } of taken) {
      if (isWaitingKey(key, name)) continue;
      throw new CrawlError("STORE_CORRUPT", "the name of a host with queued URLs cannot be read");
    }
    await this.#activate(taken.map(({ name }) => name));
    const isEnd = taken.length === wanted.length && rows.length < hostsPerLook;
    const last = taken.length < wanted.length ? taken.at(-1) : rows.at(-1);
    this.#cursor = last && !isEnd ? after(last.key) : undefined;
  }
}
