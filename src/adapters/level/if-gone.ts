import { errorCode } from "../../core/errors.ts";

/** Nothing where a file is not there (any more): LevelDB deletes a log once a table, which it has synced, replaces it. */
export function ifGone(error: unknown): undefined {
  if (errorCode(error) === "ENOENT") return undefined;
  throw error;
}
