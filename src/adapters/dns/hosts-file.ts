import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where this system has the names that need no server. */
export function systemHostsFile(): string {
  const { SystemRoot: windows } = process.env;
  return process.platform === "win32" && windows !== undefined
    ? join(windows, "System32", "drivers", "etc", "hosts")
    : "/etc/hosts";
}

/** Whether a hosts file has the name, whatever its case there; one that cannot be read has none. */
export async function isInHostsFile(name: string, path: string): Promise<boolean> {
  const text = await readFile(path, "latin1").catch(() => "");
  const lowerCase = text.toLowerCase();
  // Such files may be long, and few of the names that are looked for are in one.
  if (!lowerCase.includes(name)) return false;
  return lowerCase.split("\n").some((line) => namesOf(line).includes(name));
}

/** Of `ADDRESS NAME NAME # COMMENT`. */
function namesOf(line: string): readonly string[] {
  const [entry = ""] = line.split("#", 1);
  return entry.trim().split(/\s+/).slice(1);
}
