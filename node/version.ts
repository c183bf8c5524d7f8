import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Version of this program, from the package that this file belongs to. */
export function packageVersion(): string {
  // The package's own folder is the next that has one.
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const version = versionIn(join(folder, "package.json"));
    if (version !== undefined) return version;
  }
  return "0.0.0";
}

function versionIn(path: string): string | undefined {
  try {
    const content = JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, unknown>>;
    return typeof content["version"] === "string" ? content["version"] : undefined;
  } catch {
    return undefined;
  }
}
