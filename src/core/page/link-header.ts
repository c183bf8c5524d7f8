import type { CanonicalUrl } from "../units.ts";
import { canonicalizeFieldUrl } from "../url/header-url.ts";
import { isFollowed, leadsToPage, parseRelations } from "./link-relations.ts";

export interface HeaderLink {
  readonly url: CanonicalUrl;
  /** False: its relations say nofollow. */
  readonly followed: boolean;
}

/** The links of a response's header. */
export interface HeaderLinks {
  readonly links: readonly HeaderLink[];
  /** Those for which there was no room. */
  readonly leftOut: number;
}

/** Far more than a page in all its languages has; a short reference in a long URL's page is as long as that URL. */
const linksMax = 256;

/** As much of a field is looked at: more than any head may have that is read. */
const fieldUnitsMax = 65_536;

/** A target and its parameters. Within quotes, a comma separates nothing; a target without one before it is a new link all the same. */
const linkValue = /<([^<>]*)>((?:[^",<]|"(?:[^"\\]|\\.)*"?)*)/gs;

const parameter = /;[\t ]*([^\t =;"]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"?|([^\t ;"]*)))?/gs;

/**
 * What the `Link` fields of a page say of other pages (RFC 8288, section 3); their relations are judged as those of a `link`
 * element are. One with another anchor than the page, or a part of it, speaks of something else, and does not count.
 *
 * Targets are resolved against the page itself, whatever base its document has (section 3.1). Time is linear in the
 * length of the fields, but for the resolving, which is done `linksMax` times at most.
 */
export function readLinkHeader(fields: readonly string[], pageUrl: string): HeaderLinks {
  const links: HeaderLink[] = [];
  let looked = 0;
  for (const field of fields) {
    for (const [, target = "", rest = ""] of field.slice(0, fieldUnitsMax).matchAll(linkValue)) {
      const parameters = parametersOf(rest);
      const relations = parseRelations(parameters.get("rel"));
      if (!leadsToPage(relations, parameters.has("hreflang"))) continue;
      looked += 1;
      if (looked > linksMax || !isOf(pageUrl, parameters.get("anchor"))) continue;
      const url = canonicalizeFieldUrl(target, pageUrl);
      if (url !== undefined) links.push({ url, followed: isFollowed(relations) });
    }
  }
  return { links, leftOut: Math.max(0, looked - linksMax) };
}

/** By their names in lower case; the first of two with one name counts (RFC 8288, section 3.3). */
function parametersOf(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, token = ""] of text.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/gs, "$1") ?? token);
  }
  return parameters;
}

function isOf(pageUrl: string, anchor: string | undefined): boolean {
  return anchor === undefined || canonicalizeFieldUrl(anchor, pageUrl) === pageUrl;
}
