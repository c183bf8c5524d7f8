import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ifGone } from "./refuse-damaged.ts";

/**
 * A file in a database's directory for as long as the database is open, and longer where nobody closed it. LevelDB leaves
 * alone what it has no name for; when it opens, it syncs the directory, and with it the mark.
 */
export class OpenMark {
  readonly #directory: string;
  readonly #path: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, "unclosed");
  }

  /** Whether the database is open, or was not closed when it last was. */
  async isThere(): Promise<boolean> {
    return (await access(this.#path).then(() => true, ifGone)) ?? false;
  }

  /** To be called before the database is opened. Makes the directory, too. */
  async make(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await writeFile(this.#path, "");
  }

  /** To be called when the database is closed. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
