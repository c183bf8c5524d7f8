import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LevelStore } from "../../src/adapters/level/level-store.ts";
import { MemoryDisk, MemoryStore } from "../support/memory-store.ts";
import { storeContract } from "./store.ts";

storeContract("LevelStore", async () => {
  const parent = await mkdtemp(join(tmpdir(), "orbweaver-store-"));
  const directory = join(parent, "data");
  return {
    store: () => new LevelStore({ directory }),
    remove: () => rm(parent, { recursive: true }),
  };
});

storeContract("MemoryStore", () => {
  const disk = new MemoryDisk();
  return Promise.resolve({
    store: () => new MemoryStore({ disk }),
    remove: () => Promise.resolve(),
  });
});
