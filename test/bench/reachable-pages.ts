import { Parser } from "htmlparser2";
import { pageKey } from "./site-server.ts";

/** Attribute that holds the link of each element that leads to a page. */
const linkAttributes: Readonly<Record<string, string>> = {
  a: "href",
  area: "href",
  frame: "src",
  iframe: "src",
};

/**
 * The pages that a crawl of a site must find: every 200-answer of HTML that `a`, `area`, `frame` and `iframe` links lead
 * to from the start, found by a walk of its own, one page after the other, that shares only htmlparser2 with crawlers here.
 */
export async function reachablePages(startUrl: string, anyHost: boolean): Promise<Set<string>> {
  const { host } = new URL(startUrl);
  const seen = new Set([startUrl]);
  const waiting = [startUrl];
  const pages = new Set<string>();
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    const answer = await fetch(url, { redirect: "manual" });
    const body = await answer.text();
    const isHtml = /^text\/html\b/.test(answer.headers.get("content-type") ?? "");
    const found: (URL | null)[] = [];
    if (answer.status === 200 && isHtml) {
      const { hostname, pathname, search } = new URL(url);
      pages.add(pageKey(hostname, pathname + search));
      found.push(...linksOf(body, url));
    } else if (answer.status >= 300 && answer.status < 400) {
      found.push(URL.parse(answer.headers.get("location") ?? "", url));
    }
    for (const link of found) {
      if (link?.protocol !== "http:" || !(anyHost || link.host === host)) continue;
      link.hash = "";
      if (seen.has(link.href)) continue;
      seen.add(link.href);
      waiting.push(link.href);
    }
  }
  return pages;
}

function linksOf(html: string, url: string): (URL | null)[] {
  let base = url;
  const links: (URL | null)[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "base") base = URL.parse(attributes["href"] ?? "", url)?.href ?? base;
      const link = attributes[linkAttributes[name] ?? ""];
      if (link !== undefined) links.push(URL.parse(link, base));
    },
  });
  parser.end(html);
  return links;
}
