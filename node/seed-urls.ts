import { isGarbled, lineCharactersMax } from "../src/adapters/http-api/url-lines.ts";
import { isPrivateHost } from "../src/core/net/address-policy.ts";
import { canonicalizeUrl } from "../src/core/url/canonicalize-url.ts";
import { hostOf } from "../src/core/url/site-of.ts";
import { isHttpUrl } from "./config/settings.ts";
import { usageError } from "./error-line.ts";

/** Fails with `CONFIG_INVALID` and a line for each argument that is no http(s) URL, not UTF-8, or longer than the API reads one. */
export function checkUrls(urls: readonly string[]): void {
  const problems = urls
    .filter((url) => url.length > lineCharactersMax || !isHttpUrl(url))
    .map(problemOf);
  if (problems.length > 0) throw usageError(...problems);
}

/** What is wrong with a seed that names an address which a crawl may not reach unless it is told so, and what to do. */
export const privateAddressText =
  "is at a private, loopback or link-local address; to crawl it, add --allow-private";

/** Why no job takes `url` as a seed, where that can be said without one; a peer would say the same. */
export function seedRefusal(
  url: string,
  allowPrivate: boolean,
): "invalid-url" | "address-forbidden" | undefined {
  const canonical = canonicalizeUrl(url);
  if (canonical === undefined) return "invalid-url";
  return !allowPrivate && isPrivateHost(hostOf(canonical)) ? "address-forbidden" : undefined;
}

/**
 * Fails with `CONFIG_INVALID` and a line for each of `urls` that names an address which a crawl may not reach unless it is
 * told so. Where a name leads is only known when it is looked up.
 */
export function checkAddresses(urls: readonly string[]): void {
  const problems = urls
    .filter((url) => seedRefusal(url, false) === "address-forbidden")
    .map((url) => `${JSON.stringify(url)} ${privateAddressText}`);
  if (problems.length > 0) throw usageError(...problems);
}

function problemOf(url: string): string {
  const quoted = JSON.stringify(url.slice(0, 200));
  if (url.length > lineCharactersMax) {
    return `${quoted}... is no URL: it is longer than ${lineCharactersMax.toLocaleString("en")} characters`;
  }
  if (isGarbled(url)) return `${quoted} is no URL: it has bytes that are not UTF-8`;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) {
    return `${quoted} cannot be crawled: only http and https URLs are, not ${scheme}`;
  }
  const guess = `https://${url}`;
  const meant = scheme === undefined && /^[\w-]+(\.[\w-]+)+/.test(url) && isHttpUrl(guess);
  return `${quoted} is not a URL${meant ? `; did you mean ${guess}?` : "; give it as https://HOST/PATH"}`;
}
