import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { compareKeys } from "../../../../src/core/record/compare-keys.ts";
import type { Row } from "../../../../src/core/messages/rows.ts";
import { hostAddress, hostKey } from "../../../../src/core/record/host-keys.ts";
import { idOf } from "../../../../src/core/record/id-of.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { HostName, MemberId, SiteName } from "../../../../src/core/units.ts";
import { RangeSync } from "../../../../src/peer/swarm/replication/range-sync.ts";
import {
  ReplicaStream,
  defaultReplicaStreamOptions,
} from "../../../../src/peer/swarm/replication/replica-stream.ts";
import type { KeyRange, StoreEntry, StoreOp } from "../../../../src/ports/store.ts";

const member = "b" as MemberId;
export const signal = new AbortController().signal;
export const oneHalf = ArcSet.of([{ from: 0 as RingPosition, to: (circle / 2) as RingPosition }]);

function keyOf(host: string): Uint8Array {
  return hostKey("host", hostAddress("a.example" as SiteName, host as HostName));
}

export function streamOf(clock: VirtualClock): ReplicaStream {
  const stream = new ReplicaStream(
    { member, generation: 1 },
    clock,
    () => Promise.resolve({ kind: "reply", payload: new Uint8Array(0) }),
    defaultReplicaStreamOptions,
    () => undefined,
  );
  stream.release(Infinity);
  return stream;
}

/** One member's rows of two hosts, one of which changes at a moment of the copy. */
export class CopyBench {
  readonly changing = keyOf("changing.a.example");
  readonly still = keyOf("still.a.example");
  /** Rows that the copy sent. */
  readonly copied: Row[] = [];
  /** Of which arcs the other member was told that its copy is complete, each time. */
  readonly told: ArcSet[] = [];
  /** What was compared, and when the rows sent so far were at the other member, as it came about. */
  readonly steps: string[] = [];
  /** What it was told of in vain. */
  inVain = ArcSet.empty;
  /** What was noted as changed at each reading. */
  readonly noted: Set<string>[] = [];
  #unwritten: readonly Uint8Array[] = [];
  #observe: (ops: readonly StoreOp[]) => void = () => undefined;

  /**
   * Copies all; `onRead` is called while rows are read, `onTold` when the other member has been told that it has them,
   * and rows that are `underWay` cannot be read yet. Those that are `unwritten` can be when the journal is flushed. The copy
   * is wanted while it `isWanted`.
   */
  async run(moments: {
    readonly onRead?: (stream: ReplicaStream) => void;
    readonly onTold?: (stream: ReplicaStream) => void;
    readonly underWay?: readonly Uint8Array[];
    readonly unwritten?: readonly Uint8Array[];
    readonly isWanted?: () => boolean;
  }): Promise<ReplicaStream> {
    this.#unwritten = moments.unwritten ?? [];
    const clock = new VirtualClock();
    const stream = streamOf(clock);
    stream.goLive(ArcSet.whole, 0);
    const sync = new RangeSync(
      {
        clock,
        store: {
          range: (range, limit) => this.#range(range, limit, () => moments.onRead?.(stream)),
        },
        calls: {
          digests: async (_, { tag }) => {
            this.steps.push(`${tag} asked`);
            await clock.sleep(10);
            this.steps.push(`${tag} compared`);
            return [];
          },
          pull: () => Promise.resolve(undefined),
          synced: (_, arcs) => {
            this.told.push(arcs);
            this.steps.push("told");
            moments.onTold?.(stream);
            return Promise.resolve(true);
          },
        },
      },
      {
        journal: {
          flushed: () => Promise.resolve(void (this.#unwritten = [])),
          observe: (observer) => {
            this.#observe = (ops) => observer(ops, Promise.resolve());
          },
        },
        keeper: {
          take: () => Promise.resolve(0),
          underWay: () => {
            this.noted.push(new Set((moments.underWay ?? []).map(idOf)));
            return this.noted.at(-1) ?? new Set();
          },
        },
        replicator: {
          copy: (_, rows) => Promise.resolve(void this.copied.push(...rows)),
          drained: async () => {
            await clock.sleep(10);
            this.steps.push("drained");
          },
          room: () => Promise.resolve(),
          stream: () => (moments.isWanted?.() === false ? undefined : stream),
          sequence: 0,
        },
        greet: () => Promise.resolve(true),
      },
    );
    this.inVain = await clock.run(sync.run(stream, ArcSet.whole, signal));
    return stream;
  }

  /** The journal takes a change in, which cannot be read yet. */
  readonly change = (): void => {
    this.#observe([{ type: "put", key: this.changing, value: Uint8Array.of(1) }]);
  };

  #range(range: KeyRange, limit: number, onRead?: () => void): Promise<StoreEntry[]> {
    onRead?.();
    const rows = [this.changing, this.still]
      .filter((key) => !this.#unwritten.includes(key))
      .toSorted(compareKeys)
      .map((key) => ({ key, value: Uint8Array.of(0) }))
      .filter(({ key }) => compareKeys(key, range.gte) >= 0 && compareKeys(key, range.lt) < 0);
    return Promise.resolve(rows.slice(0, limit));
  }
}
