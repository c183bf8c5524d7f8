import {
  plainSampleWebOptions,
  type SampleWebOptions,
} from "../../../sim/sample-web/sample-web-options.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import type { Page } from "./page-load.ts";

/** So that no URL names its port. */
const port = 80;

/** So many pages of a sample web with these knobs, and no others of their kind. */
export function samplePages(count: number, knobs: Partial<SampleWebOptions>): Page[] {
  const options = { ...plainSampleWebOptions, totalPages: count, sites: 1, ...knobs };
  const web = new SampleWeb(options, port);
  return Array.from({ length: count }, (_, id) => {
    const url = web.urlOf(id);
    return { url, body: web.page(url).body };
  });
}

/** A reference as a page writes it, and the page's URL. */
export interface Reference {
  readonly href: string;
  readonly base: string;
}

/**
 * References of the sample web's pages as they are written there, relative and absolute: a tenth of them in another
 * spelling of their URL, a tenth with a session id or a tracking parameter.
 */
export function sampleReferences(): Reference[] {
  const knobs = { sites: 50, variantShare: 0.1, sessionShare: 0.1 };
  const decoder = new TextDecoder();
  return samplePages(300, knobs).flatMap(({ url, body }) =>
    [...decoder.decode(body).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href = ""]) => ({
      href: href.replaceAll("&amp;", "&"),
      base: url,
    })),
  );
}

/** URLs as pages of a few sites name them, most with a long path in common with others. */
export function sampleUrls(count: number): string[] {
  return Array.from(
    { length: count },
    (_, i) => `https://www.site-${i % 40}.example/articles/2026/${i % 97}/page-${i}.html`,
  );
}
