import type { AdmissionRequest, AdmissionResult } from "./admission.ts";
import { linkCount } from "./candidate.ts";

/** A request, and who waits for it. */
export interface Pending {
  readonly request: AdmissionRequest;
  readonly resolve: (result: AdmissionResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests sifted together: enough to make one look-up in the store worth its round trip. */
const requestsPerRound = 2_048;

/** Links sifted together, unless one page alone has more. */
const linksPerRound = 4_096;

/** Bytes archived together, unless one page alone has more: less than what the archive takes once it is full. */
const archiveBytesPerRound = 64 * 1_024 * 1_024;

/**
 * Takes off as many of those that wait as one look-up is worth, and no more than the sieve's cache and the archive can
 * hold.
 */
export function takeRound(waiting: Pending[]): Pending[] {
  let links = 0;
  let bytes = 0;
  const end = waiting.findIndex(({ request }, at) => {
    links += linkCount(request);
    bytes += request.archiveBytes ?? 0;
    const isTooMuch = links > linksPerRound || bytes > archiveBytesPerRound;
    return at > 0 && (at >= requestsPerRound || isTooMuch);
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
