import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { canonicalizeUrl } from "../url/canonicalize-url.ts";

/** What a sitemap names. */
export interface Sitemap {
  /** Whether its URLs are those of further sitemaps. */
  readonly isIndex: boolean;
  /** Canonical http(s) URLs in their order, each once. */
  readonly urls: readonly string[];
  /** Entries for which there was no room; absent where there are none. */
  readonly leftOut?: number;
}

/** Entries of one file, at most, by the protocol. */
export const sitemapEntriesMax = 50_000;

/** What is longer is no URL that would be admitted; the protocol allows 2,048. */
const locationUnitsMax = 16_384;

/** Local names of a file's first element, with those of its entries. */
const entryNames: Readonly<Record<string, string>> = { urlset: "url", sitemapindex: "sitemap" };

const startOfXml = /^(?:\xEF\xBB\xBF)?[\t\n\r ]*</;

/**
 * The URLs of a sitemap or of an index of sitemaps (sitemaps.org, protocol 0.9); nothing when `body` is neither, by its
 * first element. UTF-8, as the protocol asks. Only the `loc` of an entry counts, not what extensions say of images or
 * videos. Time and memory are linear in the length of `body`, whatever it contains; nothing is ever thrown. A file that
 * was cut gives what it has until there.
 */
export function readSitemap(
  body: Uint8Array,
  entriesMax: number = sitemapEntriesMax,
): Sitemap | undefined {
  if (!startOfXml.test(String.fromCharCode(...body.subarray(0, 64)))) return undefined;
  return new SitemapReader(new TextDecoder().decode(body), entriesMax).read();
}

/** A tokenizer without a tree: what is nested as deep as a file is long costs no more than any other. */
class SitemapReader implements TokenizerCallbacks {
  readonly #text: string;
  readonly #entriesMax: number;
  readonly #tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, this);
  readonly #urls = new Set<string>();
  #leftOut = 0;
  #root: string | undefined;
  /** Before the names of the protocol's elements: nothing, or a prefix and its colon. */
  #prefix = "";
  #isInEntry = false;
  /** Text of the `loc` that is being read. */
  #location: string | undefined;

  constructor(text: string, entriesMax: number) {
    this.#text = text;
    this.#entriesMax = entriesMax;
  }

  read(): Sitemap | undefined {
    this.#tokenizer.write(this.#text);
    if (this.#root === undefined || !Object.hasOwn(entryNames, this.#root)) return undefined;
    return {
      isIndex: this.#root === "sitemapindex",
      urls: [...this.#urls],
      ...(this.#leftOut > 0 && { leftOut: this.#leftOut }),
    };
  }

  onopentagname(start: number, end: number): void {
    const name = this.#text.slice(start, end);
    if (this.#root === undefined) this.#begin(name);
    else if (this.#isEntry(name)) this.#isInEntry = true;
    else if (this.#isInEntry && this.#isLocation(name)) this.#location = "";
  }

  onclosetag(start: number, end: number): void {
    const name = this.#text.slice(start, end);
    if (this.#isEntry(name)) this.#isInEntry = false;
    else if (this.#isLocation(name)) this.#endLocation();
  }

  onselfclosingtag(): void {
    this.#location = undefined;
  }

  ontext(start: number, end: number): void {
    this.#append(this.#text.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#append(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  #begin(name: string): void {
    const colon = name.indexOf(":");
    this.#prefix = name.slice(0, colon + 1);
    this.#root = name.slice(colon + 1);
    if (!Object.hasOwn(entryNames, this.#root)) this.#tokenizer.pause();
  }

  #isEntry(name: string): boolean {
    return name === this.#prefix + (entryNames[this.#root ?? ""] ?? "");
  }

  #isLocation(name: string): boolean {
    return name === `${this.#prefix}loc`;
  }

  #append(text: string): void {
    if (this.#location === undefined || this.#location.length > locationUnitsMax) return;
    this.#location += text;
  }

  #endLocation(): void {
    const location = this.#location ?? "";
    this.#location = undefined;
    if (location.length > locationUnitsMax) return;
    const url = canonicalizeUrl(location.trim());
    if (url === undefined || this.#urls.has(url)) return;
    if (this.#urls.size < this.#entriesMax) this.#urls.add(url);
    else this.#leftOut += 1;
  }

  onattribdata(): void {}
  onattribend(): void {}
  onattribentity(): void {}
  onattribname(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}
}
