import type { FetchRequest, FetchResponse } from "../../ports/fetcher.ts";

/**
 * What every request for a robots.txt has in common. A script that counts its bytes wrongly does so for ever: of what it
 * sends there will never be more, as of a body without a length that breaks off.
 */
export const robotsRequest: Required<Pick<FetchRequest, "headers" | "wantsBody" | "wantsPart">> =
  Object.freeze({
    headers: {},
    wantsBody: () => true,
    wantsPart: (failure) => failure === "content-length-mismatch",
  });

/** Of what is longer than a robots.txt may be, the beginning is all that counts. */
export function isBrokenOff({ truncation }: FetchResponse): boolean {
  return truncation !== undefined && truncation !== "length";
}
