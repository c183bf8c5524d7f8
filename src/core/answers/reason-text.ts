import type { HostHold, StatusReason } from "./url-status.ts";

/** One sentence for people on each reason that a URL's status can have. */
const texts: Readonly<Record<StatusReason, string>> = {
  aborted: "The request was cut off when the peer stopped.",
  "address-forbidden":
    "The host leads to a private, loopback or link-local address, and the peer runs without --allow-private.",
  backoff: "The host rests after a failure, or because it asked for a pause.",
  "bad-encoding": "The body does not decode as its Content-Encoding says.",
  "bad-framing": "The response is not valid HTTP.",
  breaker: "Too many requests to the host failed within a minute; it is paused.",
  calendar: "The URL looks like a step in an endless calendar.",
  cancelled: "The job was cancelled.",
  "certificate-expired": "The server's certificate has expired, or is not valid yet.",
  "certificate-name": "The server's certificate is for another name.",
  "certificate-untrusted": "The server's certificate is not vouched for by any known authority.",
  "connect-refused": "The server refused the connection.",
  "connect-timeout": "No connection came about in time.",
  "connect-unreachable": "The network or the host cannot be reached.",
  "connection-reset": "The server closed the connection before the response was complete.",
  "connection-stale": "The server closed a connection that had been kept open, before it answered.",
  "content-length-mismatch": "The body ended before its announced length.",
  "content-type": "The job does not archive this content type.",
  "decompression-bomb": "The body expands beyond all measure.",
  depth:
    "By the way on which it was found, the URL is more links away from the seeds than the job allows.",
  "dns-error": "The name server failed.",
  "dns-not-found": "The host's name does not exist.",
  "dns-timeout": "The name server did not answer in time.",
  halted: "The host failed so often in a row that it is not asked any more for now.",
  "head-timeout": "The server did not answer in time.",
  "head-too-large": "The response's header is larger than allowed.",
  "host-limit": "The host has as many URLs as the job allows for one host.",
  "idle-timeout": "The server fell silent in the middle of the body.",
  "in-flight": "A request to the host is in flight.",
  "invalid-url": "This is no http or https URL, is not UTF-8, or has more than 16,384 characters.",
  "job-paused": "The job is paused.",
  "name-server-down": "The crawler's own name server is down: it finds no names at all.",
  "network-down": "The crawler's own network is down: not even hosts answer that did before.",
  nofollow: "Only nofollow links lead there.",
  "owner-unreachable": "No member that could know the URL answered in time; ask again.",
  "page-limit": "The job has the number of pages that it asked for.",
  "parse-failed": "The page broke the parser.",
  "path-depth": "The path has more segments than the job allows.",
  pattern: "An exclude pattern matches the URL, or no include pattern does.",
  politeness: "The host rests between two requests.",
  "query-explosion": "The path has as many query strings as the job allows.",
  "redirect-limit": "More than ten redirects in a row lead there.",
  "redirect-loop": "The redirects lead back to where they came from.",
  "repeated-segments": "Parts of the path come again and again.",
  robots: "robots.txt disallows it.",
  "robots-unreachable": "robots.txt cannot be read because of an error of the server.",
  scope: "The URL is outside the job's scope.",
  "tls-error": "The encrypted connection failed.",
  "total-timeout": "The response took longer than allowed.",
  "url-length": "The URL is longer than the job allows.",
  "waiting-turn": "The URL waits for its turn.",
};

export function describeReason(reason: StatusReason): string {
  return texts[reason];
}

/** Failures that no URL of the host is spared: which one was asked for says nothing more. */
const concernsHost = /^(?:certificate|connect|dns|tls)-/;

/** The same of a URL that was given up without having been asked for. */
export function describeUnasked(reason: StatusReason): string {
  const text = texts[reason];
  if (concernsHost.test(reason)) return text;
  const clause = text.charAt(0).toLowerCase() + text.slice(1);
  return `The URL was not asked for, since robots.txt could not be had: ${clause}`;
}

export function isStatusReason(value: unknown): value is StatusReason {
  return typeof value === "string" && Object.hasOwn(texts, value);
}

const holds: readonly unknown[] = [
  "waiting-turn",
  "in-flight",
  "politeness",
  "backoff",
  "breaker",
  "halted",
  "network-down",
  "name-server-down",
  "job-paused",
  "page-limit",
] satisfies HostHold[];

export function isHostHold(value: unknown): value is HostHold {
  return holds.includes(value);
}
