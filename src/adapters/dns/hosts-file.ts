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
  /** As it was read last: to read it for each name would keep everything else waiting. */
  #read: { readonly version: string; readonly names: Promise<ReadonlySet<string>> } | undefined;

  constructor(path: string) {
    this.#path = path;
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
      this.#read = { version, names: readFile(this.#path, "latin1").then(namesOf) };
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
