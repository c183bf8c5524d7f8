import { describe, expect, it } from "vitest";
import type { LeaseSlots } from "../../src/ports/lease-slots.ts";

const note = (number: number): Uint8Array => new Uint8Array(39).fill(number);

/** `nextProcess` opens the slots again as the next process does after a kill. */
export function leaseSlotsContract(
  name: string,
  newWorld: () => Promise<{ readonly nextProcess: () => LeaseSlots }>,
): void {
  describe(`${name} as lease slots`, () => {
    it("are empty at first", async () => {
      const { nextProcess } = await newWorld();
      expect(await nextProcess().start()).toEqual([]);
    });

    it("give the next process what was set and not cleared", async () => {
      const { nextProcess } = await newWorld();
      const first = nextProcess();
      await first.start();
      const slots = [1, 2, 3].map((number) => first.set(note(number)));
      first.clear(slots[1] ?? -1);
      await first.written();
      const found = await nextProcess().start();
      expect(found.map(([byte]) => byte).sort()).toEqual([1, 3]);
    });

    it("use a slot again that was cleared, and no slot twice", async () => {
      const { nextProcess } = await newWorld();
      const slots = nextProcess();
      await slots.start();
      const first = slots.set(note(1));
      expect(slots.set(note(2))).not.toBe(first);
      slots.clear(first);
      slots.set(note(3));
      await slots.written();
      const found = await nextProcess().start();
      expect(found.map(([byte]) => byte).sort()).toEqual([2, 3]);
    });

    it("keep what was found until it is cleared, apart from what is set since", async () => {
      const { nextProcess } = await newWorld();
      const first = nextProcess();
      await first.start();
      first.set(note(1));
      await first.written();
      const second = nextProcess();
      await second.start();
      second.set(note(2));
      await second.written();
      expect(await nextProcess().start()).toHaveLength(2);
      second.clearFound();
      await second.written();
      const found = await nextProcess().start();
      expect(found.map(([byte]) => byte)).toEqual([2]);
    });

    it("hold thousands at once", async () => {
      const { nextProcess } = await newWorld();
      const slots = nextProcess();
      await slots.start();
      for (let number = 0; number < 3_000; number += 1) slots.set(note(1 + (number % 200)));
      await slots.written();
      expect(await nextProcess().start()).toHaveLength(3_000);
    });

    it("write what was set before they are closed", async () => {
      const { nextProcess } = await newWorld();
      const slots = nextProcess();
      await slots.start();
      slots.set(note(1));
      await slots.stop();
      expect(await nextProcess().start()).toHaveLength(1);
    });

    it("refuse a note when they are closed", async () => {
      const { nextProcess } = await newWorld();
      const slots = nextProcess();
      await slots.start();
      const slot = slots.set(note(1));
      await slots.stop();
      await slots.stop();
      const refused: unknown = expect.objectContaining({ code: "STORE_IO" });
      expect(() => slots.clear(slot)).toThrow(refused);
      expect(() => slots.set(note(1))).toThrow(refused);
    });
  });
}
