import { beforeEach, describe, expect, it } from "vitest";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { exclusionSpace, urlKey } from "../../../src/core/record/url-keys.ts";
import { namedKey, numberedKey } from "../../../src/core/record/named-keys.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { defaultBloomCascadeOptions, filterPlan } from "../../../src/core/sieve/bloom-cascade.ts";
import { encodeSnapshot } from "../../../src/core/sieve/cascade-snapshot.ts";
import { filterShape } from "../../../src/core/sieve/fingerprint-filter.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { digestKey, SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import type { SieveKey } from "../../../src/peer/admission/sieve-log.ts";
import type { StoreOp } from "../../../src/ports/store.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { timelessStore } from "../../support/still-process.ts";

/** Bits enough for a snapshot of three parts. */
const options = { capacity: 4_000_000, cacheCapacity: 2 ** 10, unsettledOffersMax: 2 ** 10 };

function keyOf(number: number): SieveKey {
  return { space: 1, words: fingerprintOf(`http://site.example/${number}`), at: 0 };
}

/** A snapshot of a sieve that has taken so many keys. */
function snapshotOf(keys: number): StoreOp[] {
  const plan = filterPlan({ ...defaultBloomCascadeOptions, ...options }, 0);
  const bits = new Uint8Array(Math.ceil(filterShape(plan).size / 8));
  const chunks = encodeSnapshot({ ...defaultBloomCascadeOptions, ...options }, [
    { items: keys, bits },
  ]);
  return Array.from(chunks, (value, chunk) => ({
    type: "put",
    key: numberedKey("sieveSnapshot", chunk),
    value,
  }));
}

describe("a sieve's keeper", () => {
  let disk: VirtualDisk;
  let keeper: SieveKeeper;

  beforeEach(() => {
    disk = new VirtualDisk();
    keeper = new SieveKeeper(options, silentLogger);
  });

  /** Admits keys, and makes them durable. */
  function admit(...numbers: number[]): void {
    const keys = numbers.map(keyOf);
    for (const { space, words, at } of keys) keeper.sieve.offer(space, words, at);
    disk.apply(keeper.log(keys));
  }

  /** Writes parts until the snapshot is complete, and returns how many there were. */
  function writeParts(): number {
    let parts = 0;
    do {
      disk.apply(keeper.snapshotPart());
      parts += 1;
    } while (keeper.snapshotDue);
    return parts;
  }

  /** The keeper of a process that is started now. */
  async function started(): Promise<SieveKeeper> {
    const next = new SieveKeeper(options, silentLogger);
    const store = timelessStore(disk);
    await store.start();
    await next.load(store);
    await store.stop();
    return next;
  }

  /** What a process that is started now knows of these. */
  async function known(...numbers: number[]): Promise<boolean[]> {
    const next = await started();
    return numbers.map((number) => {
      const { space, words, at } = keyOf(number);
      return next.sieve.mayHave(space, words, at);
    });
  }

  /** What the end of a process does. */
  async function save(): Promise<void> {
    const ops: StoreOp[][] = [];
    await keeper.save({
      append: (part) => {
        // All of them at once would be in memory several times.
        expect(ops).toHaveLength(0);
        ops.push([...part]);
        return Promise.resolve();
      },
      flushed: async () => {
        await Promise.resolve();
        for (const part of ops.splice(0)) disk.apply(part);
      },
    });
  }

  const logRows = (): number => disk.entries(tagRange("sieveLog")).length;
  const chunks = (): number => disk.entries(tagRange("sieveSnapshot")).length;

  it("writes a snapshot in parts, each of some 2 MiB", () => {
    admit(1);
    const bytes: number[] = [];
    do {
      const part = keeper.snapshotPart();
      bytes.push(part.reduce((sum, op) => sum + (op.type === "put" ? op.value.length : 0), 0));
    } while (keeper.snapshotDue);
    expect(bytes.length).toBeGreaterThan(2);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(8 * 256 * 1024 + 64);
  });

  it("has what was admitted between the parts in the log", async () => {
    admit(1);
    disk.apply(keeper.snapshotPart());
    admit(2);
    writeParts();
    expect(logRows()).toBe(1);
    expect(await known(1, 2, 3)).toEqual([true, true, false]);
  });

  it("has the snapshot before, and the log, until the next one is complete", async () => {
    admit(1);
    writeParts();
    expect(logRows()).toBe(0);
    admit(2);
    disk.apply(keeper.snapshotPart());
    disk.apply(keeper.snapshotPart());
    expect(keeper.snapshotDue).toBe(true);
    expect(await known(1, 2, 3)).toEqual([true, true, false]);
  });

  it("leaves one snapshot behind, however many were begun", async () => {
    admit(1);
    writeParts();
    const complete = chunks();
    admit(2);
    disk.apply(keeper.snapshotPart());
    keeper = await started();
    for (const number of [3, 4]) {
      admit(number);
      writeParts();
      expect(chunks()).toBe(complete);
    }
    expect(await known(1, 2, 3, 4, 5)).toEqual([true, true, true, true, false]);
  });

  it("deletes what a larger one left at its place", async () => {
    admit(1);
    writeParts();
    const complete = chunks();
    const stale: StoreOp[] = [1, 40].map((chunk) => ({
      type: "put",
      key: numberedKey("sieveSnapshot", 2 ** 32 + chunk),
      value: Uint8Array.of(1),
    }));
    disk.apply(stale);
    keeper = await started();
    admit(2);
    writeParts();
    expect(chunks()).toBe(complete);
    expect(await known(1, 2)).toEqual([true, true]);
  });

  it("deletes a long log in parts, of which a process that ends leaves some", async () => {
    const rows = 12_000;
    for (let row = 0; row <= rows; row += 1) admit(row);
    let most = 0;
    do {
      const part = keeper.snapshotPart();
      most = Math.max(most, part.filter(({ type }) => type === "del").length);
      disk.apply(part);
    } while (logRows() > 3_000);
    expect(most).toBeLessThanOrEqual(5_000);
    expect(keeper.snapshotDue).toBe(true);
    expect(await known(0, rows, rows + 1)).toEqual([true, true, false]);
    keeper = await started();
    admit(rows + 1);
    writeParts();
    expect(logRows()).toBe(0);
    expect(await known(rows, rows + 1, rows + 2)).toEqual([true, true, false]);
  });

  it("deletes what is left of a long log at the end", async () => {
    for (let row = 0; row < 12_000; row += 1) disk.apply(keeper.log([keyOf(row)]));
    do disk.apply(keeper.snapshotPart());
    while (logRows() === 12_000);
    await save();
    expect(logRows()).toBe(0);
    expect(keeper.snapshotDue).toBe(false);
  });

  it("saves a snapshot that was under way anew, with all of the log", async () => {
    admit(1);
    disk.apply(keeper.snapshotPart());
    admit(2);
    await save();
    expect(logRows()).toBe(0);
    expect(await known(1, 2, 3)).toEqual([true, true, false]);
  });

  it("writes a snapshot after a million keys, or a quarter of all where that is more", async () => {
    const key = keyOf(0);
    const million = Array.from({ length: 1_000_000 }, () => key);
    keeper.log(million.slice(1));
    expect(keeper.snapshotDue).toBe(false);
    keeper.log([key]);
    expect(keeper.snapshotDue).toBe(true);
    disk.apply(snapshotOf(4_800_000));
    const larger = await started();
    larger.log(million);
    expect(larger.snapshotDue).toBe(false);
    larger.log(million.slice(0, 200_000));
    expect(larger.snapshotDue).toBe(true);
  });

  it("writes a snapshot after a quarter of a million rows, however few keys they have", async () => {
    const key = keyOf(0);
    for (let row = 1; row < 250_000; row += 1) keeper.log([key]);
    expect(keeper.snapshotDue).toBe(false);
    disk.apply(keeper.log([key]));
    expect(keeper.snapshotDue).toBe(true);
    writeParts();
    expect(logRows()).toBe(0);
    disk.apply(keeper.log([key]));
    keeper = await started();
    expect(keeper.snapshotDue).toBe(false);
  });

  it("saves a snapshot at the end only when the log is longer than is read in a moment", async () => {
    const key = keyOf(0);
    keeper.log(Array.from({ length: 79_999 }, () => key));
    const refuse = (): never => {
      throw new Error("nothing is to be written");
    };
    await keeper.save({ append: refuse, flushed: refuse });
    expect(chunks()).toBe(0);
    disk.apply(keeper.log([key]));
    await save();
    const saved = chunks();
    expect(saved).toBeGreaterThan(1);
    expect(logRows()).toBe(0);
    await keeper.save({ append: refuse, flushed: refuse });
    // What a process finds in the log counts as well.
    disk.apply(keeper.log(Array.from({ length: 80_000 }, () => key)));
    keeper = await started();
    await save();
    expect(chunks()).toBe(saved);
    expect(logRows()).toBe(0);
  });

  it("reads the rows of all that it has to know where the snapshot is unreadable", async () => {
    const { words } = keyOf(1);
    const rows = [
      numberedKey("sieveSnapshot", 0),
      urlKey("url", 0n, words, 0, 5),
      urlKey("exclusion", 0n, words, 0, 6),
      namedKey("digest", "sha1:1"),
    ].map((key): StoreOp => ({ type: "put", key, value: Uint8Array.of(1) }));
    disk.apply(rows);
    const { sieve } = await started();
    const spaces = [5, exclusionSpace(5), 6, exclusionSpace(6)];
    expect(spaces.map((space) => sieve.mayHave(space, words, 0))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    const digest = digestKey("sha1:1");
    expect(sieve.mayHave(digest.space, digest.words, digest.at)).toBe(true);
  });

  it("saves one at the end where the start had to read the rows", async () => {
    const { words } = keyOf(1);
    const rows = Array.from({ length: 80_000 }, (_, space): StoreOp => ({
      type: "put",
      key: urlKey("url", 0n, words, 0, space),
      value: Uint8Array.of(),
    }));
    disk.apply(rows);
    keeper = await started();
    await save();
    expect(chunks()).toBeGreaterThan(1);
  });
});
