import { describe, expect, it } from "vitest";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { leaseKey } from "../../../src/core/record/lease-key.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { LeaseLog } from "../../../src/peer/durability/lease-log.ts";
import type { LeaseSlots } from "../../../src/ports/lease-slots.ts";
import { timelessStore } from "../../support/still-process.ts";

const rowKey = new Uint8Array(24);

describe("a lease log", () => {
  it("reports that notes cannot be written to whom it answers for them", async () => {
    const broken = new Error("the disk has failed");
    const reported: unknown[] = [];
    const log = new LeaseLog(slotsThat({ written: () => Promise.reject(broken) }), (error) =>
      reported.push(error),
    );
    const lease = log.add(rowKey, 0);
    await expect(log.noted()).rejects.toBe(broken);
    expect(reported).toEqual([]);
    log.remove(lease);
    await Promise.resolve();
    expect(reported).toEqual([broken]);
    log.forgetFound();
    await Promise.resolve();
    expect(reported).toEqual([broken, broken]);
  });

  it("reports that a note cannot be taken back", () => {
    const closed = new Error("the leases are not open");
    const reported: unknown[] = [];
    const clear = (): never => {
      throw closed;
    };
    new LeaseLog(slotsThat({ clear }), (error) => reported.push(error)).remove(0);
    expect(reported).toEqual([closed]);
  });

  it("finds a request once, though the process ends after it is counted and before its note is gone", async () => {
    const notes: Uint8Array[] = [];
    const kept: Partial<LeaseSlots> = {
      start: () => Promise.resolve([...notes]),
      set: (note) => notes.push(note),
      clearFound: () => void notes.splice(0),
    };
    const disk = new VirtualDisk();
    const store = timelessStore(disk);
    await store.start();
    const start = async (): Promise<{ log: LeaseLog; spaces: readonly number[] }> => {
      const log = new LeaseLog(slotsThat(kept), () => expect.unreachable());
      const { spaces, op } = await log.start(store);
      disk.apply([op]);
      return { log, spaces };
    };
    const first = await start();
    first.log.add(urlKey("url", 0n, fingerprintOf("http://a.example/"), 0, 7), 0);
    expect((await start()).spaces).toEqual([7]);
    const third = await start();
    expect(third.spaces).toEqual([]);
    third.log.forgetFound();
    expect(notes).toEqual([]);
  });
});

describe("a request that was in flight when a process ended", () => {
  it.each([
    ["counts where its record is not there yet", undefined, 0, true],
    ["counts where its record tells of the attempts before it", { attempts: 1 }, 1, true],
    ["does not where its record tells of it", { attempts: 2 }, 1, false],
    ["does not where its URL is done without an attempt", { state: urlState.done }, 0, false],
  ])("%s", async (_, record, attempt, counts) => {
    const rowKey = urlKey("url", 0n, fingerprintOf("http://a.example/"), 0, 7);
    const disk = new VirtualDisk();
    const store = timelessStore(disk);
    await store.start();
    const value = UrlRecord.encode({ ...urlState.fresh, state: urlState.queued, ...record });
    if (record) disk.apply([{ type: "put", key: rowKey, value }]);
    const slots = slotsThat({ start: () => Promise.resolve([leaseKey(0, rowKey, attempt)]) });
    const { spaces } = await new LeaseLog(slots, () => expect.unreachable()).start(store);
    expect(spaces).toEqual(counts ? [7] : []);
  });
});

function slotsThat(parts: Partial<LeaseSlots>): LeaseSlots {
  return {
    start: () => Promise.resolve([]),
    stop: () => Promise.resolve(),
    clearFound: () => undefined,
    set: () => 0,
    clear: () => undefined,
    written: () => Promise.resolve(),
    ...parts,
  };
}
