import type { CanonicalUrl } from "../units.ts";

const beyondAscii = /[^\0-\x7F]/;

/**
 * A pattern that URLs are held against. A canonical URL is ASCII; a pattern that is not was written by somebody who sees the
 * URL as browsers show it, and is held against that form too.
 */
export class UrlPattern {
  readonly #pattern: RegExp;
  readonly #isOfShown: boolean;

  /** Errors: SyntaxError where it is no regular expression. */
  constructor(source: string) {
    this.#pattern = new RegExp(source);
    this.#isOfShown = beyondAscii.test(source);
  }

  test(url: CanonicalUrl): boolean {
    if (this.#pattern.test(url)) return true;
    return this.#isOfShown && this.#pattern.test(shownForm(url));
  }
}

/** The URL with its escapes of UTF-8 as text; as it is where some are of another coding. */
function shownForm(url: CanonicalUrl): string {
  try {
    return decodeURI(url);
  } catch (error) {
    if (error instanceof URIError) return url;
    throw error;
  }
}
