import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** Where this system has the names that need no server. */
export function systemHostsFile(): string {
  const { SystemRoot: windows } = process.env;
  return process.platform === "win32" && windows !== undefined
    ? join(windows, "System32", "drivers", "etc", "hosts")
    : "/etc/hosts";
}

/** A hosts file, of lines of `ADDRESS NAME NAME # COMMENT`; such a file that blocks hosts has many MB. */
export class HostsFile {
  readonly #path: string;
  readonly #readFile: (path: string, encoding: "latin1") => Promise<string>;
  /** As it was read last: to read it for each name would keep everything else waiting. */
  #read: { readonly version: string; readonly names: Promise<ReadonlySet<string>> } | undefined;

  constructor(
    path: string,
    read: (path: string, encoding: "latin1") => Promise<string> = readFile,
  ) {
    this.#path = path;
    this.#readFile = read;
  }

  /** Whether the file has the name, whatever its case there; one that cannot be read has none. */
  async has(name: string): Promise<boolean> {
    const names = await this.#names().catch(() => undefined);
    return names?.has(name.toLowerCase()) ?? false;
  }

  async #names(): Promise<ReadonlySet<string>> {
    const { mtimeMs, ctimeMs, ino, size } = await stat(this.#path);
    const version = [mtimeMs, ctimeMs, ino, size].join();
    if (this.#read?.version !== version) {
      const read = { version, names: this.#readFile(this.#path, "latin1").then(namesOf) };
      this.#read = read;
      // As long as it stays the same it would have no name otherwise, where the process was out of files for a moment.
      read.names.catch(() => {
        if (this.#read === read) this.#read = undefined;
      });
    }
    return this.#read.names;
  }
}

function namesOf(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of text.toLowerCase().split("\n")) {
    const [entry = ""] = line.split("#", 1);
    for (const name of entry.trim().split(/\s+/).slice(1)) names.add(name);
  }
  return names;
}
