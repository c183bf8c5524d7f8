// Writes numbered keys in batches of ten, unsynced, and prints each batch's number once its write has resolved.
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import type { StoreOp } from "../../../src/ports/store.ts";

const store = new LevelStore({ directory: process.argv[2] ?? "" });
await store.start();
for (let batch = 0; ; batch++) {
  const ops = Array.from({ length: 10 }, (_, i): StoreOp => {
    const key = new Uint8Array(4);
    new DataView(key.buffer).setUint32(0, batch * 10 + i);
    return { type: "put", key, value: new Uint8Array(100) };
  });
  await store.write(ops, { sync: false });
  process.stdout.write(`${batch}\n`);
}
