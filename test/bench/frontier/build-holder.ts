import { join } from "node:path";
import { build } from "rolldown";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "node_modules/.cache/frontier-bench");

/**
 * Builds `queue-holder.ts` as a peer is built, and returns the program's path. Loaded as source, module by module, it would
 * hold 40 MiB that no peer has: the compiler that strips the types, and the text of a thousand files.
 */
export async function buildHolder(): Promise<string> {
  const {
    output: [{ fileName }],
  } = await build({
    input: join(import.meta.dirname, "queue-holder.ts"),
    platform: "node",
    tsconfig: join(root, "tsconfig.json"),
    // Finds its binary by the place of its own files, and is found from where the program lies.
    external: ["classic-level"],
    output: { dir: folder, chunkFileNames: "[name].js" },
  });
  return join(folder, fileName);
}
