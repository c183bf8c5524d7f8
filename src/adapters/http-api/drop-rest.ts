import { finished, type Readable } from "node:stream";
import type { Clock } from "../../ports/clock.ts";
import type { HttpApiOptions } from "./http-api-options.ts";

/**
 * Reads what is left of a body that is of no use any more, and drops it; resolves when it has come to its end, or is more than
 * is dropped. A client that sends all before it reads would else never come to read why: what nobody reads holds it up, and
 * a connection that is closed over it takes the answer along (RFC 9112, section 9.6).
 */
export async function dropRest(
  body: Readable,
  clock: Clock,
  { dropBytesMax, dropMsMax }: Pick<HttpApiOptions, "dropBytesMax" | "dropMsMax">,
): Promise<void> {
  const over = new AbortController();
  let bytes = 0;
  const drop = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > dropBytesMax) over.abort();
  };
  const forget = finished(body, () => over.abort());
  body.on("data", drop).resume();
  await clock.sleep(dropMsMax, over.signal);
  body.pause().off("data", drop);
  forget();
}
