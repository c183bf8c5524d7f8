export interface FrontierOptions {
  /**
   * Hosts with queued URLs that are in memory at once, some 4 KB each; the others wait on disk and take the place of
   * hosts that run dry, or are closed for long. Of eight times as many that are closed it is remembered when they open.
   * @default 10_000
   */
  readonly activeHostsMax: number;
  /**
   * Queue entries held in memory, some 500 bytes each, shared out among the active hosts: a host's head gets this
   * number by theirs, within 4 and 1,024 (HeadShares). A long one counts for several. @default 5_000
   */
  readonly headUrlsMax: number;
}

export const defaultFrontierOptions: FrontierOptions = Object.freeze({
  activeHostsMax: 10_000,
  headUrlsMax: 5_000,
});

/** A host's head holds at least and at most so many entries. */
const headMin = 4;
const headMax = 1_024;

/** Entries for the head of each of so many active hosts. */
export function headSize({ headUrlsMax }: FrontierOptions, activeHosts: number): number {
  const share = Math.floor(headUrlsMax / Math.max(1, activeHosts));
  return Math.min(Math.max(share, headMin), headMax);
}

export interface FrontierEvents {
  readonly signal: AbortSignal;
  /** Called when a host may have become due. */
  readonly onDue: () => void;
  readonly onFailure: (error: unknown) => void;
}
