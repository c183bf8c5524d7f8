import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { lifelineVariable } from "./lifeline.ts";
import { namedDescriptors } from "./named-descriptors.ts";
import { majorOf, nodeMajorMin } from "./node-version.ts";

/** Places below a folder where the package manager puts a Node.js that a package brings. */
const places = ["node_modules/node/bin/node", "node_modules/.bin/node"];

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

/**
 * Runs the same command line with another Node.js, passes signals on, and ends as that one ends; that one holds a lifeline, and
 * ends with this one. Calls `refuse` where that one does not start.
 */
export function handOver(node: string, script: string, refuse: () => void): void {
  const words = process.argv.slice(2);
  const child = spawn(node, [script, ...words], {
    stdio: stdioFor(words),
    env: { ...process.env, [lifelineVariable]: String(process.pid) },
  });
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on("error", refuse);
  child.on("exit", (code, signal) => {
    for (const each of signals) process.off(each, forward);
    if (signal === null) process.exitCode = code ?? 1;
    else process.kill(process.pid, signal);
  });
}

/** The standard ones, and the files that are open for this command alone. */
function stdioFor(words: readonly string[]): ("ignore" | "inherit")[] {
  const passedOn = [0, 1, 2, ...namedDescriptors(words)];
  return Array.from({ length: Math.max(...passedOn) + 1 }, (_, descriptor) =>
    passedOn.includes(descriptor) ? "inherit" : "ignore",
  );
}

function askVersion(path: string): string {
  try {
    return execFileSync(path, ["--version"], { encoding: "utf8" });
  } catch {
    return "";
  }
}
