import type { VirtualDisk } from "../../sim/world/virtual-disk.ts";
import type { StoreOp } from "../../src/ports/store.ts";

/** The batches that are written to the disk from now on, in their order: the list grows. */
export function recordBatches(disk: VirtualDisk): readonly (readonly StoreOp[])[] {
  const batches: (readonly StoreOp[])[] = [];
  const apply = disk.apply.bind(disk);
  disk.apply = (ops) => {
    batches.push(ops);
    apply(ops);
  };
  return batches;
}
