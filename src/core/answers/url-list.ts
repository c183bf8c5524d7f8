import { isRedirectFault } from "../jobs/exclusion.ts";
import type { UrlStatus } from "./url-status.ts";

/** What became of a URL, in the words of a crawl's summary. */
export const listedStates = Object.freeze(["queued", "fetched", "failed", "excluded"] as const);

export type ListedState = (typeof listedStates)[number];

/** Which URLs of a job a list shall name: those that are all of this. */
export interface UrlFilter {
  readonly state?: ListedState;
  /** Status of the server's answer: 404; or its class: 4 for 400 to 499. */
  readonly http?: number;
  /** That failed, were answered with an error, or redirect for ever. */
  readonly broken?: true;
}

/** A part of a list of URLs. */
export interface UrlList {
  readonly urls: readonly UrlStatus[];
  /** Where the list goes on; absent at its end. A part may be empty, and the list go on. */
  readonly next?: string;
}

/** What a list needs to know of a URL. */
type Listed = Pick<UrlStatus, "state" | "httpStatus" | "reason">;

export function listedStateOf({
  state,
  httpStatus,
}: Pick<UrlStatus, "state" | "httpStatus">): ListedState | undefined {
  if (state === "done") return httpStatus === undefined ? "failed" : "fetched";
  return state === "unknown" ? undefined : state;
}

export function isListed(status: Listed, { broken, http, state }: UrlFilter): boolean {
  const { httpStatus = 0 } = status;
  const listedState = listedStateOf(status);
  if (state !== undefined && listedState !== state) return false;
  if (broken && !isBroken(status)) return false;
  if (http === undefined) return true;
  return http === (http < 10 ? Math.floor(httpStatus / 100) : httpStatus);
}

function isBroken(status: Listed): boolean {
  const { httpStatus = 0, reason } = status;
  if (listedStateOf(status) === "failed" || httpStatus >= 400) return true;
  return httpStatus > 0 && isRedirectFault(reason);
}

/** What a user writes for {@link UrlFilter.http}: `404` or `4xx`, and 999, which some sites send, too; nothing for any other text. */
export function parseHttpFilter(text: string): number | undefined {
  if (!/^[1-9](?:\d\d|xx)$/i.test(text)) return undefined;
  return Number(text.replace(/xx$/i, ""));
}
