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
  #read: { readonly version: string; readonly text: string } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether the file has the name, whatever its case there; one that cannot be read has none. */
  async has(name: string): Promise<boolean> {
    const text = await this.#text().catch(() => "");
    const whole = new RegExp(`\\s${name.replace(/\W/g, "\\$&")}(?=[\\s#]|$)`, "gi");
    for (const { index } of text.matchAll(whole)) {
      const before = text.slice(text.lastIndexOf("\n", index) + 1, index);
      if (before.trim() !== "" && !before.includes("#")) return true;
    }
    return false;
  }

  async #text(): Promise<string> {
    const { mtimeMs, ctimeMs, ino, size } = await stat(this.#path);
    const version = [mtimeMs, ctimeMs, ino, size].join();
    if (this.#read?.version !== version) {
      this.#read = { version, text: await readFile(this.#path, "latin1") };
    }
    return this.#read.text;
  }
}
