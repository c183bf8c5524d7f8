import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { expect, it } from "vitest";
import { peerEntry } from "../support/peer-process.ts";

// npm links the program once and finds the link there after the next build, which has written the file anew.
it("peer can be run after a build, without npm's help", async () => {
  await expect(access(peerEntry, constants.X_OK)).resolves.toBeUndefined();
});
