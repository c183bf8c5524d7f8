import type { OnBehind } from "../src/adapters/warc/archive-options.ts";
import type { Logger } from "../src/ports/logger.ts";

const detail =
  "the database is an older copy, or its disk lost what it had confirmed: what was archived since then stays, and is fetched again where no other member knows of it";

/** Warns, once at a start, of a database that knows less than was committed. */
export function tellBehind(logger: Logger): OnBehind {
  return ({ bytes, files }, markedAtMs) => {
    const since = markedAtMs === undefined ? undefined : new Date(markedAtMs).toISOString();
    logger.warn("database-behind-archive", { files, bytes, since, detail });
  };
}
