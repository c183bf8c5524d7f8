import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { compareKeys } from "../../../src/core/frontier/queued-url.ts";
import type { Row } from "../../../src/core/messages/rows.ts";
import { hostAddress, hostKey } from "../../../src/core/record/keys.ts";
import { idOf } from "../../../src/core/record/id-of.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { HostName, MemberId, SiteName } from "../../../src/core/units.ts";
import { RangeSync } from "../../../src/peer/swarm/range-sync.ts";
import {
  ReplicaStream,
  defaultReplicaStreamOptions,
} from "../../../src/peer/swarm/replica-stream.ts";
import type { KeyRange, StoreEntry, StoreOp } from "../../../src/ports/store.ts";

const member = "b" as MemberId;
const signal = new AbortController().signal;

function keyOf(host: string): Uint8Array {
  return hostKey("host", hostAddress("a.example" as SiteName, host as HostName));
}

/** One member's rows of two hosts, one of which changes at a moment of the copy. */
class CopyBench {
  readonly changing = keyOf("changing.a.example");
  readonly still = keyOf("still.a.example");
  /** Rows that the copy sent. */
  readonly copied: Row[] = [];
  #observe: (ops: readonly StoreOp[]) => void = () => undefined;

  /** Copies all; `onRead` is called while rows are read, and rows that are `underWay` cannot be read yet. */
  async run(moments: { readonly onRead?: () => void; readonly underWay?: readonly Uint8Array[] }) {
    const clock = new VirtualClock();
    const stream = new ReplicaStream(
      { member, generation: 1 },
      clock,
      () => Promise.resolve({ kind: "reply", payload: new Uint8Array(0) }),
      defaultReplicaStreamOptions,
      () => undefined,
    );
    const sync = new RangeSync(
      {
        clock,
        store: { range: (range, limit) => this.#range(range, limit, moments.onRead) },
        calls: {
          digests: () => Promise.resolve([]),
          pull: () => Promise.resolve(undefined),
          synced: () => Promise.resolve(true),
        },
      },
      {
        journal: {
          flushed: () => Promise.resolve(),
          observe: (observer) => {
            this.#observe = (ops) => observer(ops, Promise.resolve());
          },
        },
        keeper: {
          take: () => Promise.resolve(0),
          underWay: () => new Set((moments.underWay ?? []).map(idOf)),
        },
        replicator: {
          copy: (_, rows) => Promise.resolve(void this.copied.push(...rows)),
          drained: () => Promise.resolve(),
          stream: () => stream,
        },
        greet: () => Promise.resolve(true),
      },
    );
    await clock.run(sync.run(stream, ArcSet.whole, signal));
  }

  /** The journal takes a change in, which cannot be read yet. */
  readonly change = (): void => {
    this.#observe([{ type: "put", key: this.changing, value: Uint8Array.of(1) }]);
  };

  #range(range: KeyRange, limit: number, onRead?: () => void): Promise<StoreEntry[]> {
    onRead?.();
    const rows = [this.changing, this.still]
      .toSorted(compareKeys)
      .map((key) => ({ key, value: Uint8Array.of(0) }))
      .filter(({ key }) => compareKeys(key, range.gte) >= 0 && compareKeys(key, range.lt) < 0);
    return Promise.resolve(rows.slice(0, limit));
  }
}

describe("RangeSync", () => {
  it("copies every row", async () => {
    const bench = new CopyBench();
    await bench.run({});
    expect(bench.copied.map(({ key }) => key)).toEqual(
      expect.arrayContaining([bench.changing, bench.still]),
    );
  });

  it("leaves out a row that changes meanwhile, as its change goes its own way", async () => {
    const bench = new CopyBench();
    await bench.run({ onRead: bench.change });
    expect(bench.copied.map(({ key }) => key)).toEqual([bench.still]);
  });

  it("leaves out a row whose change is on its way into the database", async () => {
    const bench = new CopyBench();
    await bench.run({ underWay: [bench.changing] });
    expect(bench.copied.map(({ key }) => key)).toEqual([bench.still]);
  });
});
