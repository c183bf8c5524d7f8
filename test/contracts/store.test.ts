import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LevelStore } from "../../src/adapters/level/level-store.ts";
import { VirtualDisk } from "../../sim/world/virtual-disk.ts";
import { timelessStore } from "../support/still-process.ts";
import { storeContract } from "./store.ts";

storeContract("LevelStore", async () => {
  const parent = await mkdtemp(join(tmpdir(), "orbweaver-store-"));
  const directory = join(parent, "data");
  return {
    store: () => new LevelStore({ directory }),
    remove: () => rm(parent, { recursive: true }),
  };
});

storeContract("VirtualStore", () => {
  const disk = new VirtualDisk();
  return Promise.resolve({
    store: () => timelessStore(disk),
    remove: () => Promise.resolve(),
  });
});
