import type { FetchRequest, FetchResponse } from "../../ports/fetcher.ts";

/** What every request for a robots.txt has in common. */
export const robotsRequest: Pick<FetchRequest, "headers" | "wantsBody"> = Object.freeze({
  headers: {},
  wantsBody: () => true,
});

/** Of what is longer than a robots.txt may be, the beginning is all that counts. */
export function isBrokenOff({ truncation }: FetchResponse): boolean {
  return truncation !== undefined && truncation !== "length";
}
