import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idOf } from "../../../../src/core/record/id-of.ts";
import { namedKey } from "../../../../src/core/record/named-keys.ts";
import { queueKey } from "../../../../src/core/record/queue-keys.ts";
import { robotsKey } from "../../../../src/core/record/host-keys.ts";
import type { OriginName, SiteName } from "../../../../src/core/units.ts";
import {
  nameKey,
  RowWatch,
  type WatchedRow,
} from "../../../../src/peer/swarm/replication/row-watch.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";

/** Rows of three sites, two of each. */
const keys = ["a", "b", "c"].flatMap((site) =>
  ["http", "https"].map((scheme) =>
    robotsKey(`${site}.test` as SiteName, `${scheme}://${site}.test` as OriginName),
  ),
);

const write = fc.record({ row: fc.nat(keys.length - 1), isDelete: fc.boolean() });
const step = fc.oneof(
  fc.record({ kind: fc.constant("append" as const), writes: fc.array(write, { maxLength: 6 }) }),
  fc.record({ kind: fc.constant("commit" as const) }),
  fc.record({ kind: fc.constant("visible" as const) }),
  fc.record({ kind: fc.constant("watch" as const), row: fc.nat(keys.length - 1) }),
  fc.record({ kind: fc.constant("unwatch" as const) }),
);

type Commit = PromiseWithResolvers<undefined> & { readonly ops: StoreOp[] };

function newCommit(): Commit {
  return { ...Promise.withResolvers<undefined>(), ops: [] };
}

/** A journal, a database that shows its commits some time after they were made, and somebody who reads of it. */
class World {
  readonly watch = new RowWatch();
  readonly #shown = new Map<string, StoreOp>();
  readonly #last = new Map<string, StoreOp>();
  readonly #writing: Commit[] = [];
  #open = newCommit();
  /** What was watched, and what the database showed of it then. */
  readonly #watched: { readonly row: WatchedRow; readonly read: StoreOp | undefined }[] = [];

  append(writes: readonly { readonly row: number; readonly isDelete: boolean }[]): void {
    const ops = writes.map(({ row, isDelete }): StoreOp => {
      const key = new Uint8Array(keys[row] ?? []);
      return isDelete ? { type: "del", key } : { type: "put", key, value: new Uint8Array(1) };
    });
    this.#open.ops.push(...ops);
    for (const op of ops) this.#last.set(idOf(op.key), op);
    this.watch.observe(ops, this.#open.promise);
  }

  commit(): void {
    this.#writing.push(this.#open);
    this.#open = newCommit();
  }

  async show(): Promise<void> {
    const commit = this.#writing.shift();
    if (!commit) return;
    for (const op of commit.ops) this.#shown.set(idOf(op.key), op);
    commit.resolve(undefined);
    await commit.promise;
  }

  begin(row: number): void {
    const named = nameKey(keys[row] ?? new Uint8Array(0));
    const [watched] = this.watch.watch([named]);
    if (watched) this.#watched.push({ row: watched, read: this.#shown.get(named.id) });
  }

  end(): void {
    const [first] = this.#watched.splice(0, 1);
    if (first) this.watch.unwatch([first.row]);
  }

  check(): void {
    for (const { row, read } of this.#watched) {
      expect(row.written ?? read).toBe(this.#last.get(row.id));
    }
    const waiting = [...this.#writing, this.#open].flatMap(({ ops }) => ops);
    expect(this.watch.underWay()).toEqual(new Set(waiting.map(({ key }) => idOf(key))));
  }
}

describe("RowWatch", () => {
  it("knows the latest of a row, whenever it is written, becomes visible or begins to be watched", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const world = new World();
        for (const one of steps) {
          if (one.kind === "append") world.append(one.writes);
          else if (one.kind === "commit") world.commit();
          else if (one.kind === "visible") await world.show();
          else if (one.kind === "watch") world.begin(one.row);
          else world.end();
          world.check();
        }
      }),
      { numRuns: 500 },
    );
  });

  it("takes no note of rows that belong to no site", () => {
    const watch = new RowWatch();
    const value = new Uint8Array(1);
    const host = { position: 1n, hostHash: 2n };
    const queued = queueKey(host, 1, 0, 7, [new Uint8Array(29)]);
    const ops: StoreOp[] = [
      { type: "put", key: namedKey("meta", "x"), value },
      { type: "put", key: queued, value },
    ];
    watch.observe(ops, Promise.resolve());
    expect(watch.underWay()).toEqual(new Set([idOf(queued)]));
  });
});
