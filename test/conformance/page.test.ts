import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { extractLinks } from "../../src/core/page/extract-links.ts";
import { sniffCharset } from "../../src/core/page/sniff-charset.ts";
import { canonicalizeUrl } from "../../src/core/url/canonicalize-url.ts";

/** Cases from public suites; they lie beside the repository where they are there at all. */
const folder = new URL("../../../shared/conformance/", import.meta.url);

function casesOf<T>(file: string): T[] {
  return JSON.parse(readFileSync(new URL(file, folder), "utf8")) as T[];
}

interface PageCase {
  readonly html?: string;
  readonly htmlBase64?: string;
  readonly url: unknown;
  readonly encoding: string;
  readonly test: string;
}

interface BaseCase extends PageCase {
  readonly expected: string;
}

interface RefreshCase extends PageCase {
  readonly ignoreTags?: readonly string[];
  readonly expected: { readonly seconds: number | null; readonly url: string | null };
}

interface CharsetCase {
  readonly bodyBase64: string;
  readonly expected: string;
  readonly source: string;
  readonly needs?: string;
}

/** A URL given as a string, or as bytes where the suite's language tells the two apart. */
function urlOf(testCase: PageCase): string {
  if (typeof testCase.url === "string") return testCase.url;
  const { $b64 } = testCase.url as { $b64: string };
  return Buffer.from($b64, "base64").toString();
}

function bodyOf(testCase: PageCase): Uint8Array {
  if (testCase.htmlBase64 !== undefined) return Buffer.from(testCase.htmlBase64, "base64");
  return Buffer.from(
    testCase.html ?? "",
    testCase.encoding.startsWith("latin") ? "latin1" : "utf8",
  );
}

/** Cases that the HTML Standard decides otherwise, with the reason. */
const against: Readonly<Record<string, string>> = {
  "get_meta_refresh_unterminated_tag #2":
    "a tag that the document ends in is dropped (section 13.2.5.33, EOF), since it may have been cut in two",
  "inside_noscript #2": "with `ignoreTags` empty the suite looks into what is no element",
  "inside_script #2": "with `ignoreTags` empty the suite looks into the text of a script",
};

function named<T extends PageCase>(cases: readonly T[]): [string, T][] {
  const counts = new Map<string, number>();
  return cases.map((testCase) => {
    const name = testCase.test.replace(/^.*::test_/, "");
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return [`${name} #${count}`, testCase];
  });
}

describe.runIf(existsSync(folder))("conformance of pages", () => {
  if (!existsSync(folder)) return;

  it.each(named(casesOf<BaseCase>("html-base.json")))("finds the base: %s", (_, testCase) => {
    const contentType = `text/html; charset=${testCase.htmlBase64 === undefined ? testCase.encoding : "utf-8"}`;
    const { base } = extractLinks(bodyOf(testCase), { url: urlOf(testCase), contentType });
    expect(base).toBe(URL.parse(testCase.expected)?.href ?? testCase.expected);
  });

  it.each(named(casesOf<RefreshCase>("html-meta-refresh.json")))(
    "reads the refresh: %s",
    (name, testCase) => {
      const contentType = `text/html; charset=${testCase.encoding}`;
      const { refresh } = extractLinks(bodyOf(testCase), { url: urlOf(testCase), contentType });
      const { seconds, url } = testCase.expected;
      if (name in against) {
        expect(refresh).toBeUndefined();
      } else if (url === null) {
        expect(refresh?.url).toBeUndefined();
      } else {
        expect(refresh).toEqual({ seconds, url: canonicalizeUrl(url) });
      }
    },
  );

  const charsets = casesOf<CharsetCase>("charset.json").map(
    (testCase, index) => [`${testCase.source} #${index}`, testCase] as const,
  );
  const prescanned = charsets.filter(([, { needs }]) => needs === undefined);
  it.each(prescanned)("finds the declared encoding: %s", (_, { bodyBase64, expected }) => {
    expect(sniffCharset(Buffer.from(bodyBase64, "base64")).charset).toBe(expected.toLowerCase());
  });

  const unscripted = charsets.filter(([, { needs }]) => needs !== "script");
  it.each(unscripted)("reads a page by its encoding: %s", (_, { bodyBase64, expected }) => {
    const { charset } = extractLinks(Buffer.from(bodyBase64, "base64"), { url: "http://e.org/" });
    expect(charset).toBe(expected.toLowerCase());
  });
});
