import { stripAsciiSpace } from "./ascii.ts";
import { namesHtml } from "./content-type.ts";
import type { EncodingName } from "./encoding-label.ts";
import { EntityReader } from "./entity-reader.ts";
import { isFollowed, leadsToPage, parseRelations } from "./link-relations.ts";
import { metaEncoding } from "./meta-encoding.ts";
import { parseRefresh, type RefreshInstruction } from "./meta-refresh.ts";
import {
  mergeDirectives,
  noDirectives,
  parseDirectives,
  type RobotsDirectives,
} from "./robots-directives.ts";
import type { TagAttributes } from "./tag-attributes.ts";
import { scanTags, type ScannedTag, type TagHandler } from "./tag-scanner.ts";

/** What a document says in its own words: references are decoded and cut before their fragment, but not resolved. */
export interface RawPage {
  /** Distinct references in order of appearance, and whether any link with it is to be followed. */
  readonly references: ReadonlyMap<string, boolean>;
  /** Those after the last that there was room for, counted as often as they stand there. */
  readonly referencesLeftOut: number;
  readonly base?: string;
  readonly canonical?: string;
  readonly refresh?: RefreshInstruction;
  readonly directives: RobotsDirectives;
  readonly title?: string;
  readonly lang?: string;
  /** The first encoding that a `meta` declares. */
  readonly charset?: EncodingName;
}

/** Characters of a title that are kept. */
export const titleCharsMax = 1_024;

/** Units of a title that are looked at: its white space collapses and its references shrink when decoded. */
const titleUnitsMax = 16 * titleCharsMax;

/** Longest language tag kept; BCP 47 asks for room for 35 characters. */
const langCharsMax = 64;

/** Elements looked at that may name the page's encoding: to find that a label is none takes time. */
const encodingsMax = 64;

/** What a URL may neither begin nor end with: this, and the control characters before it. */
const space = 0x20;

/**
 * Collects from one document what {@link RawPage} holds.
 *
 * A document that stands in the `srcdoc` of an `iframe` is one of its own, of which the references count here. One that stands
 * within such a one is passed over: where each held the next, time would no longer be linear in the length.
 */
export class PageReader implements TagHandler {
  readonly #linksMax: number;
  readonly #botName: string;
  readonly #isFramed: boolean;
  readonly #entities = new EntityReader();
  readonly #references = new Map<string, boolean>();
  #referencesLeftOut = 0;
  /** With scripting, as in browsers, what is in a `noscript` is no element; its links are taken all the same. */
  #inNoscript = false;
  #base: string | undefined;
  #canonical: string | undefined;
  #refresh: RefreshInstruction | undefined;
  #directives = noDirectives;
  #title: string | undefined;
  #lang: string | undefined;
  #charset: EncodingName | undefined;
  #encodingsRead = 0;

  /**
   * @param botName whom a `meta` may name, in lower case
   * @param isFramed whether the document is that of a `srcdoc`
   */
  constructor(linksMax: number, botName: string, isFramed = false) {
    this.#linksMax = linksMax;
    this.#botName = botName;
    this.#isFramed = isFramed;
  }

  read(html: string, xhtml: boolean): RawPage {
    scanTags(html, this, { xhtml, titleUnitsMax });
    return {
      references: this.#references,
      referencesLeftOut: this.#referencesLeftOut,
      directives: this.#directives,
      ...(this.#base === undefined ? {} : { base: this.#base }),
      ...(this.#canonical === undefined ? {} : { canonical: this.#canonical }),
      ...(this.#refresh === undefined ? {} : { refresh: this.#refresh }),
      ...(this.#title === undefined ? {} : { title: this.#title }),
      ...(this.#lang === undefined ? {} : { lang: this.#lang }),
      ...(this.#charset === undefined ? {} : { charset: this.#charset }),
    };
  }

  onTag(tag: ScannedTag, attributes: TagAttributes): void {
    switch (tag) {
      case "a":
      case "area":
        this.#addReference(attributes.href, isFollowed(this.#relations(attributes)));
        break;
      case "frame":
        this.#addReference(attributes.src, true);
        break;
      case "iframe":
        this.#addReference(attributes.src, true);
        if (!this.#isFramed) this.#readFramed(attributes.srcdoc);
        break;
      case "embed":
        this.#readEmbedded(attributes, attributes.src);
        break;
      case "object":
        this.#readEmbedded(attributes, attributes.data);
        break;
      case "link":
        this.#readLink(attributes);
        break;
      case "base":
        if (!this.#inNoscript) this.#base ??= this.#value(attributes.href);
        break;
      case "meta":
        this.#readMeta(attributes);
        break;
      case "html":
        if (!this.#inNoscript) this.#readLang(attributes);
        break;
      case "noscript":
        this.#inNoscript = true;
        break;
    }
  }

  onNoscriptEnd(): void {
    this.#inNoscript = false;
  }

  onTitleText(text: string): void {
    if (!this.#inNoscript) this.#title ??= title(this.#entities.text(text));
  }

  #value(raw: string | undefined): string | undefined {
    const decoded = this.#decoded(raw);
    return decoded === undefined ? undefined : stripAsciiSpace(decoded);
  }

  #decoded(raw: string | undefined): string | undefined {
    return raw === undefined ? undefined : this.#entities.attribute(raw);
  }

  #reference(raw: string | undefined): string | undefined {
    const value = this.#value(raw);
    return value === undefined ? undefined : withoutFragment(value);
  }

  #relations(attributes: TagAttributes): readonly string[] {
    return parseRelations(this.#value(attributes.rel));
  }

  #addReference(raw: string | undefined, followed: boolean): void {
    const reference = this.#reference(raw);
    if (reference !== undefined) this.#add(reference, followed);
  }

  #add(reference: string, followed: boolean): void {
    const known = this.#references.get(reference);
    if (known === undefined ? this.#references.size < this.#linksMax : followed) {
      this.#references.set(reference, followed);
    } else if (known === undefined) {
      this.#referencesLeftOut += 1;
    }
  }

  /** Its base is this document's (HTML Standard, section 2.4.1, "fallback base URL"); one that has another is passed over. */
  #readFramed(srcdoc: string | undefined): void {
    const html = this.#decoded(srcdoc);
    if (html === undefined || !html.includes("<")) return;
    const framed = new PageReader(this.#linksMax, this.#botName, true).read(html, false);
    if (framed.base !== undefined) return;
    const { nofollow } = framed.directives;
    for (const [reference, followed] of framed.references) {
      this.#add(reference, followed && !nofollow);
    }
    const target = framed.refresh?.target;
    if (target !== undefined) this.#add(withoutFragment(target), !nofollow);
    this.#referencesLeftOut += framed.referencesLeftOut;
  }

  /** By its type it is a page, as in a frame; all else is part of this one. */
  #readEmbedded({ type }: TagAttributes, raw: string | undefined): void {
    if (namesHtml(this.#decoded(type))) this.#addReference(raw, true);
  }

  #readLink(attributes: TagAttributes): void {
    const relations = this.#relations(attributes);
    if (!leadsToPage(relations, attributes.hreflang !== undefined)) return;
    if (relations.includes("canonical")) this.#canonical ??= this.#reference(attributes.href);
    this.#addReference(attributes.href, isFollowed(relations));
  }

  #readMeta(attributes: TagAttributes): void {
    if (!this.#inNoscript && !this.#isFramed) this.#readEncoding(attributes);
    const content = this.#value(attributes.content);
    if (content === undefined) return;
    const name = this.#value(attributes.name)?.toLowerCase();
    if (name === "robots" || name === this.#botName) {
      this.#directives = mergeDirectives(this.#directives, parseDirectives(content));
    }
    if (this.#inNoscript || this.#refresh !== undefined) return;
    if (this.#value(attributes.httpEquiv)?.toLowerCase() === "refresh") {
      this.#refresh = parseRefresh(content);
    }
  }

  #readEncoding({ charset, httpEquiv, content }: TagAttributes): void {
    if (charset === undefined && httpEquiv === undefined) return;
    if (this.#charset !== undefined || this.#encodingsRead >= encodingsMax) return;
    this.#encodingsRead += 1;
    this.#charset = metaEncoding({
      charset: this.#decoded(charset),
      httpEquiv: this.#decoded(httpEquiv),
      content: this.#decoded(content),
    });
  }

  #readLang(attributes: TagAttributes): void {
    const lang = this.#value(attributes.lang);
    if (lang === undefined || lang === "" || lang.length > langCharsMax) return;
    this.#lang ??= lang;
  }
}

/**
 * In a reference of any scheme, the first `#` begins the fragment. White space before it belongs to the URL, and at the end it
 * would not: there an empty fragment is kept.
 */
export function withoutFragment(reference: string): string {
  const start = reference.indexOf("#");
  if (start < 0) return reference;
  return reference.slice(
    0,
    start > 0 && reference.charCodeAt(start - 1) <= space ? start + 1 : start,
  );
}

/** White space collapsed and cut to size, never within a surrogate pair. */
function title(text: string): string | undefined {
  const collapsed = text.replace(/[\t\n\f\r ]+/g, " ").trim();
  if (collapsed === "") return undefined;
  if (collapsed.length <= titleCharsMax) return collapsed;
  return Array.from(collapsed.slice(0, 2 * titleCharsMax))
    .slice(0, titleCharsMax)
    .join("");
}
