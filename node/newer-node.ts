import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The oldest Node.js that this program runs on. */
export const nodeMajorMin = 24;

/** Places below a folder where the package manager puts a Node.js that a package brings. */
const places = ["node_modules/node/bin/node", "node_modules/.bin/node"];

/** Major version of a version text such as `v24.1.0`. */
export function majorOf(version: string): number {
  return Number(/^v?(\d+)\./.exec(version)?.[1] ?? 0);
}

/**
 * Path of a Node.js that is new enough: the one that came with this package, or with a package around it. Written so that
 * an old Node.js can load and run it.
 */
export function newerNode(
  startFolder: string,
  versionOf: (path: string) => string = askVersion,
): string | undefined {
  for (let folder = startFolder; ; folder = dirname(folder)) {
    for (const place of places) {
      const path = join(folder, place);
      if (existsSync(path) && majorOf(versionOf(path)) >= nodeMajorMin) return path;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

function askVersion(path: string): string {
  try {
    return execFileSync(path, ["--version"], { encoding: "utf8" });
  } catch {
    return "";
  }
}
