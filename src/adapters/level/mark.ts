import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ifGone } from "./if-gone.ts";

/**
 * An empty file in a database's directory that says something of the database by being there. LevelDB leaves alone what it
 * has no name for; when it opens, it syncs the directory, and with it the marks that were made before.
 */
export class Mark {
  readonly #directory: string;
  readonly #path: string;

  constructor(directory: string, name: string) {
    this.#directory = directory;
    this.#path = join(directory, name);
  }

  async isThere(): Promise<boolean> {
    return (await access(this.#path).then(() => true, ifGone)) ?? false;
  }

  /** Makes the directory, too. */
  async make(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await writeFile(this.#path, "");
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
