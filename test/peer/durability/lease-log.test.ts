import { describe, expect, it } from "vitest";
import { LeaseLog } from "../../../src/peer/durability/lease-log.ts";
import type { LeaseSlots } from "../../../src/ports/lease-slots.ts";

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
