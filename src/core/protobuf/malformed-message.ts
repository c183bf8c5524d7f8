import { CrawlError } from "../errors.ts";

/** Bytes that are none that a writer of messages or rows writes. */
export class MalformedMessage extends RangeError {
  override readonly name = "MalformedMessage";
}

/**
 * What is malformed where nobody has judged it is of this peer's own database: bytes of others are judged as they come. So it
 * is no bug, but damage, which LevelDB does not see.
 */
export function storedDamage(error: unknown): unknown {
  if (!(error instanceof MalformedMessage)) return error;
  const problem = `a row of the database cannot be read: ${error.message}`;
  return new CrawlError("STORE_CORRUPT", problem, {}, { cause: error });
}
