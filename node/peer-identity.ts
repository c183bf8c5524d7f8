import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { CrawlError } from "../src/core/errors.ts";

/** Letters and digits, so that it can stand in a file name. */
const idPattern = /^[0-9a-z]{12}$/;

/** The peer's name, drawn once for its data directory and kept there. */
export async function peerIdentity(file: string): Promise<string> {
  const known = await readOrNothing(file);
  if (known === undefined) {
    const id = randomBytes(6).toString("hex");
    await writeFile(file, `${id}\n`, { flag: "wx" });
    return id;
  }
  const id = known.trim();
  if (idPattern.test(id)) return id;
  throw new CrawlError("DATA_DIR_UNUSABLE", `${file} does not hold a peer's name`, { file });
}

async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
