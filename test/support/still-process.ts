import { VirtualClock } from "../../sim/virtual-clock.ts";
import { Dice } from "../../sim/world/dice.ts";
import { VirtualDisk } from "../../sim/world/virtual-disk.ts";
import { VirtualProcess } from "../../sim/world/virtual-process.ts";
import { noDiskTimes, VirtualStore } from "../../sim/world/virtual-store.ts";

/** A process in a world whose time stands still. */
export function stillProcess(): VirtualProcess {
  return new VirtualProcess("peer-1", 1, new VirtualClock());
}

/** A store that takes no time, for a test without a running clock. */
export function timelessStore(disk = new VirtualDisk(), process = stillProcess()): VirtualStore {
  return new VirtualStore(disk, process, new Dice(1), noDiskTimes);
}
