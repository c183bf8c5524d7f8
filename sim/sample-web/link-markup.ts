import type { PageCharset } from "./page-body.ts";
import { fraction, type LinkVia } from "./site-layout.ts";

/** A link as markup needs it. */
export interface LinkTarget {
  /** `http://host:port` of the target. */
  readonly origin: string;
  /** Path and query, not escaped. */
  readonly path: string;
  readonly via: LinkVia;
  /** Whether a session id may be added: not where a robots.txt rule looks at the end of the URL. */
  readonly mayCarrySession: boolean;
}

/** Where links are written. */
export interface LinkPlace {
  readonly origin: string;
  /** Directories between the root and the page. */
  readonly depth: number;
  readonly charset: PageCharset;
  /** Whether the document has a base, which is two directories deep. */
  readonly hasBase: boolean;
  readonly variantShare: number;
  readonly sessionShare: number;
}

const baseDepth = 2;
export const basePath = "/base/here/";

/** Path in the characters of a URL. */
export function escapePath(path: string): string {
  return path.includes("\u00e9") ? path.replaceAll("\u00e9", "%C3%A9") : path;
}

/**
 * The link's reference as an author might have written it: absolute or relative, now and then in an odd spelling of
 * the same URL, or with a session id. `spelling`: 32 random bits that decide.
 */
export function hrefOf(link: LinkTarget, place: LinkPlace, spelling: number): string {
  const rawCharacters = place.charset !== "shift_jis" && (spelling & 1) === 0;
  let path = rawCharacters ? link.path : escapePath(link.path);
  if (link.mayCarrySession && isIn(spelling, 8, place.sessionShare)) {
    const parameter =
      (spelling & 2) === 0 ? `PHPSESSID=${spelling.toString(16)}` : `utm_source=s${spelling % 97}`;
    path += `${path.includes("?") ? "&" : "?"}${parameter}`;
  }
  if (isIn(spelling, 3, place.variantShare)) return variantOf(link, path, spelling >>> 4);
  if (link.origin !== place.origin) {
    return (spelling & 4) === 0 ? link.origin + path : link.origin.slice("http:".length) + path;
  }
  switch ((spelling >>> 3) % 3) {
    case 0:
      return link.origin + path;
    case 1:
      return path;
    default: {
      const ups = "../".repeat(place.hasBase ? baseDepth : place.depth);
      const reference = ups + path.slice(1);
      // A query alone would be resolved against the page itself, not against its directory.
      return reference === "" || reference.startsWith("?") ? `./${reference}` : reference;
    }
  }
}

/** One of the spellings that must all lead to the same fetch. */
function variantOf(link: LinkTarget, path: string, pick: number): string {
  switch (pick % 5) {
    case 0:
      return `${link.origin}${path}#part-${pick % 9}`;
    case 1:
      return `${link.origin}/x/..${path}`;
    case 2:
      return link.origin.toUpperCase() + path;
    case 3:
      return link.origin + path.replace("html", "%68tml");
    default:
      return ` ${link.origin}${path.replace("~", "%7e")}\n`;
  }
}

/** Independent yes or no from the same bits: `salt` picks which. */
function isIn(bits: number, salt: number, share: number): boolean {
  if (share === 0) return false;
  return fraction(Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d + 2 * salt) >>> 0) < share;
}

/** The element that carries a link; a refresh is written into the head instead. */
export function markupOf(href: string, via: LinkVia, number: number): string {
  const value = href.includes("&") ? href.replaceAll("&", "&amp;") : href;
  switch (via) {
    case "area":
      return `<map name="m${number}"><area href="${value}"></map>\n`;
    case "iframe":
      return `<iframe src="${value}"></iframe>\n`;
    case "nofollow":
      return `<a rel="nofollow" href="${value}">link ${number}</a>\n`;
    case "refresh":
      return `<meta http-equiv="refresh" content="0; url=${value}">\n`;
    case "a":
    case "redirect":
      return `<a href="${value}">link ${number}</a>\n`;
  }
}
