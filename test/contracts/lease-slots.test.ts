import { VirtualLeaseSlots, VirtualSlots } from "../../sim/world/virtual-lease-slots.ts";
import { stillProcess } from "../support/still-process.ts";
import { leaseSlotsContract } from "./lease-slots.ts";

leaseSlotsContract("VirtualLeaseSlots", () => {
  const slots = new VirtualSlots();
  return Promise.resolve({
    nextProcess: () => new VirtualLeaseSlots(slots, stillProcess()),
  });
});
