import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import { Mark } from "../../../src/adapters/level/mark.ts";
import {
  refuseDamaged,
  refuseDamagedTables,
  refuseEmptied,
} from "../../../src/adapters/level/refuse-damaged.ts";

it("takes a database for sound while another one opens it, whose files come and go", async () => {
  const directory = await mkdtemp(join(tmpdir(), "orbweaver-live-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  let isOpened = false;
  const opening = async (): Promise<void> => {
    for (let count = 0; count < 40; count += 1) {
      const store = new LevelStore({ directory });
      await store.start();
      const key = Uint8Array.of(count);
      await store.write([{ type: "put", key, value: key }], { sync: true });
      await store.stop();
    }
    isOpened = true;
  };
  const looking = async (): Promise<void> => {
    while (!isOpened) {
      await refuseDamaged(directory);
      await refuseEmptied(directory, new Mark(directory, "unwritten"));
      await refuseDamagedTables(directory, () => undefined);
    }
  };
  await expect(Promise.all([opening(), looking(), looking()])).resolves.toBeDefined();
});
