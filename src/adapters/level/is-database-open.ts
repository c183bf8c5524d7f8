import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Whether a process has the database in `directory` open, for those who want to say so and not to open it themselves:
 * asking leaves it alone. False also where nothing can be known of it: on other systems than Linux, and of a process in
 * another container.
 */
export async function isDatabaseOpen(directory: string): Promise<boolean> {
  try {
    const { ino } = await stat(join(directory, "LOCK"));
    // "1: POSIX  ADVISORY  WRITE 4711 fe:00:1098805 0 EOF": the file's number stands last among the three. The device before
    // it is not that of `stat` on every file system.
    const locks = await readFile("/proc/locks", "utf8");
    return locks.split("\n").some((line) => /:(\d+) \d+ \w+$/.exec(line)?.[1] === String(ino));
  } catch {
    return false;
  }
}
