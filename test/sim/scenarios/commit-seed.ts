import { execFileSync } from "node:child_process";

/** The seed where there is no commit to take it from. */
const fallback = 20_260_101;
/** Hexadecimal digits that a seed is made of: it stays short enough to be typed. */
const digits = 7;

/** A seed that every commit has for itself, so that the runs of many commits see many seeds. */
export function commitSeed(): number {
  try {
    const commit = execFileSync("git", ["rev-parse", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const seed = Number.parseInt(commit.slice(0, digits), 16);
    return Number.isSafeInteger(seed) ? seed : fallback;
  } catch {
    return fallback;
  }
}
