import { chmodSync } from "node:fs";
import { defineConfig } from "rolldown";

/** Leaves outside what finds a binary by the place of its own file; the rest of the package need not be looked for. */
export const binaryOutside = {
  name: "binary of classic-level",
  resolveId: (id: string, importer?: string) =>
    id === "./binding" && importer?.includes("/classic-level/")
      ? { id: "classic-level/binding.js", external: true }
      : undefined,
};

/**
 * Each program as few files, with all that it uses: a peer is more than a thousand modules, and to find, read and keep
 * each of them by itself took a third of its start and a tenth of its memory.
 */
export default defineConfig({
  input: {
    peer: "node/main.ts",
    "parser-thread": "src/adapters/parser-pool/worker.ts",
    "sample-web": "sim/sample-web/main.ts",
    index: "src/index.ts",
  },
  platform: "node",
  // Not that of each folder: `src/core` has one with paths of its own.
  tsconfig: "tsconfig.json",
  plugins: [
    binaryOutside,
    {
      name: "programs can be run",
      // npm marks them when it links them, and not again when they are built anew.
      writeBundle: () => chmodSync("dist/peer.js", 0o755),
    },
  ],
  output: {
    dir: "dist",
    // What an earlier state of the source had is not packed with this one's.
    cleanDir: true,
    // All beside each other, so that one finds the other wherever the bundler has put its code.
    chunkFileNames: "[name].js",
    comments: false,
  },
});
