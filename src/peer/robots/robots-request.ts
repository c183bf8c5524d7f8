import type { FetchRequest, FetchResponse } from "../../ports/fetcher.ts";

/**
 * What every request for a robots.txt has in common. An answer without rules says all by its head, so that it does not
 * matter how its body ends. A script that counts its bytes wrongly does so for ever: of what it sends there will never be
 * more, as of a body without a length that breaks off.
 */
export const robotsRequest: Required<Pick<FetchRequest, "headers" | "wantsBody" | "wantsPart">> =
  Object.freeze({
    headers: {},
    wantsBody: () => true,
    wantsPart: (failure, status) => status >= 300 || failure === "content-length-mismatch",
  });

/** Of what is longer than a robots.txt may be, the beginning is all that counts. */
export function isBrokenOff({ status, truncation }: FetchResponse): boolean {
  return status < 300 && truncation !== undefined && truncation !== "length";
}
