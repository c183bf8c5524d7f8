import { rm } from "node:fs/promises";
import type { JobReport, PeerControl } from "../src/ports/peer-control.ts";
import { dataLayout } from "./config/peer-config.ts";
import { statusLine } from "./text/status-text.ts";
import { writeWhole } from "./whole-file.ts";

/**
 * Writes the job's broken URLs into the data directory, a JSON line each. Returns how many there are; nothing where
 * `signal` aborts before all are known. Then, and where there are none, there is no file: one of an earlier run tells what
 * is no longer so.
 */
export async function writeBrokenUrls(
  control: Pick<PeerControl, "urls">,
  { counts, definition: { id } }: JobReport,
  dataDir: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { brokenFile } = dataLayout(dataDir);
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    let from: string | undefined;
    do {
      signal.throwIfAborted();
      const part = await control.urls(id, { broken: true }, from, signal);
      count += part.urls.length;
      yield part.urls.map((each) => `${JSON.stringify(statusLine(each))}\n`).join("");
      from = part.next;
    } while (from !== undefined);
  }
  try {
    if (counts.failed > 0 || Object.keys(counts.statuses).some(mayBeOfBroken)) {
      await writeWhole(brokenFile, lines(), "the list of broken URLs");
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    await rm(brokenFile, { force: true });
    return undefined;
  }
  if (count === 0) await rm(brokenFile, { force: true });
  return count;
}

/**
 * Whether answers of a class such as `4xx` may be those of broken URLs: all above 399 are, the 999 of some sites too, and
 * redirects that have no end.
 */
function mayBeOfBroken(statusClass: string): boolean {
  return Number.parseInt(statusClass, 10) >= 3;
}
