import { MemoryLeaseSlots } from "../support/memory-lease-slots.ts";
import type { MemorySlots } from "../support/memory-lease-slots.ts";
import { leaseSlotsContract } from "./lease-slots.ts";

leaseSlotsContract("MemoryLeaseSlots", () => {
  const slots: MemorySlots = new Map();
  return Promise.resolve({ nextProcess: () => new MemoryLeaseSlots(slots) });
});
