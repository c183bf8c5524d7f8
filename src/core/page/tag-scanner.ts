import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { ForeignContent } from "./foreign-content.ts";

/** Elements that a crawler looks into. */
export type ScannedTag =
  "a" | "area" | "base" | "frame" | "html" | "iframe" | "link" | "meta" | "noscript" | "title";

/** Attributes that are looked at, wherever they stand. */
const attributeNames = [
  "href",
  "src",
  "rel",
  "content",
  "name",
  "http-equiv",
  "hreflang",
  "lang",
] as const;
export type ScannedAttribute = (typeof attributeNames)[number];

/** Values of the tag that just ended, as written: references are not decoded. The first of two equal names counts. */
export interface TagAttributes {
  /** Nothing where the tag has no such attribute. */
  raw(name: ScannedAttribute): string | undefined;
}

/** What the scanner tells of a document, in its order. */
export interface TagHandler {
  /** The tag's attributes are valid during the call. */
  onTag(tag: ScannedTag, attributes: TagAttributes): void;
  onNoscriptEnd(): void;
  /** Text of a `title`, as written; at most `titleUnitsMax` units of it. */
  onTitleText(text: string): void;
}

export interface ScanOptions {
  /** XHTML: `/>` closes an element and CDATA sections are text. */
  readonly xhtml: boolean;
  readonly titleUnitsMax: number;
}

/** Passes over a whole document once and tells `handler` of the few tags that matter. */
export function scanTags(html: string, handler: TagHandler, options: ScanOptions): void {
  const text = options.xhtml ? html : withoutCdata(html);
  const scanner = new TagScanner(text, handler, options);
  const tokenizer = new Tokenizer(
    { decodeEntities: false, recognizeSelfClosing: options.xhtml },
    scanner,
  );
  tokenizer.write(text);
  tokenizer.end();
}

/**
 * In HTML, `<![CDATA[` begins a comment that ends at the next `>` (HTML Standard, section 13.2.5.42); the tokenizer
 * would search for `]]>`, and a page could hide its links. The change keeps all offsets.
 */
function withoutCdata(html: string): string {
  return html.includes("<![CDATA[") ? html.replaceAll("<![CDATA[", "<!-CDATA[") : html;
}

/** Tags by length of name, so that most are dismissed by one look-up. */
const tagsByLength: readonly (readonly ScannedTag[])[] = byLength<ScannedTag>([
  "a",
  "area",
  "base",
  "frame",
  "html",
  "iframe",
  "link",
  "meta",
  "noscript",
  "title",
]);

const attributesByLength = byLength<ScannedAttribute>(attributeNames);

function byLength<T extends string>(names: readonly T[]): T[][] {
  const longest = Math.max(...names.map((name) => name.length));
  return Array.from({ length: longest + 1 }, (_, length) =>
    names.filter((name) => name.length === length),
  );
}

/**
 * Turns the tokenizer's offsets into tags and attributes.
 *
 * Nothing is cut out of the document before a name has been recognised in place, character by character: that keeps a
 * page of uninteresting tags free of garbage. No stack of elements is kept, so nesting costs nothing.
 */
class TagScanner implements TokenizerCallbacks, TagAttributes {
  readonly #text: string;
  readonly #handler: TagHandler;
  readonly #titleUnitsMax: number;
  readonly #xhtml: boolean;
  readonly #foreign = new ForeignContent();

  #tag: ScannedTag | undefined;
  #foreignName = "";
  #inTitle = false;
  #attribute: ScannedAttribute | undefined;
  /** Start and end of each attribute's value in the text. */
  readonly #spans = new Map<ScannedAttribute, readonly [start: number, end: number]>();

  constructor(text: string, handler: TagHandler, options: ScanOptions) {
    this.#text = text;
    this.#handler = handler;
    this.#titleUnitsMax = options.titleUnitsMax;
    this.#xhtml = options.xhtml;
  }

  raw(name: ScannedAttribute): string | undefined {
    const span = this.#spans.get(name);
    return span === undefined ? undefined : this.#text.slice(span[0], span[1]);
  }

  isInForeignContext(): boolean {
    return this.#foreign.inside;
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#recognize(tagsByLength, start, end);
    if (this.#tag !== undefined) this.#spans.clear();
    if (this.#foreign.entered || this.#mayEnterForeign(start, end)) {
      this.#foreignName = this.#text.slice(start, end).toLowerCase();
    }
  }

  onattribname(start: number, end: number): void {
    if (this.#tag === undefined) return;
    const name = this.#recognize(attributesByLength, start, end);
    this.#attribute = name !== undefined && this.#spans.has(name) ? undefined : name;
    if (this.#attribute !== undefined) this.#spans.set(this.#attribute, [0, 0]);
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== undefined) this.#spans.set(this.#attribute, [start, end]);
  }

  onattribend(): void {
    this.#attribute = undefined;
  }

  onopentagend(): void {
    this.#endTag(false);
  }

  onselfclosingtag(): void {
    this.#endTag(true);
  }

  onclosetag(start: number, end: number): void {
    this.#inTitle = false;
    if (this.#foreign.entered) this.#foreign.close(this.#text.slice(start, end).toLowerCase());
    if (end - start === 8 && this.#recognize(tagsByLength, start, end) === "noscript") {
      this.#handler.onNoscriptEnd();
    }
  }

  ontext(start: number, end: number): void {
    if (!this.#inTitle) return;
    this.#inTitle = false;
    this.#handler.onTitleText(this.#text.slice(start, Math.min(end, start + this.#titleUnitsMax)));
  }

  ontextentity(): void {}
  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}

  /** `svg` and `math`, told apart from the rest by their length and first letter. */
  #mayEnterForeign(start: number, end: number): boolean {
    const length = end - start;
    if (length !== 3 && length !== 4) return false;
    const first = this.#text.charCodeAt(start) | 0x20;
    return (length === 3 && first === 0x73) || (length === 4 && first === 0x6d);
  }

  #endTag(selfClosing: boolean): void {
    if (this.#foreignName !== "") {
      this.#foreign.open(this.#foreignName, selfClosing);
      this.#foreignName = "";
    }
    const tag = this.#tag;
    if (tag === undefined) return;
    this.#tag = undefined;
    if (tag === "title") this.#inTitle = !this.#foreign.entered && !(selfClosing && this.#xhtml);
    else this.#handler.onTag(tag, this);
  }

  #recognize<T extends string>(
    names: readonly (readonly T[])[],
    start: number,
    end: number,
  ): T | undefined {
    const candidates = names[end - start];
    if (candidates === undefined) return undefined;
    for (const name of candidates) {
      if (this.#equalsLowerCase(name, start)) return name;
    }
    return undefined;
  }

  #equalsLowerCase(name: string, start: number): boolean {
    for (let index = 0; index < name.length; index++) {
      const code = this.#text.charCodeAt(start + index);
      // Letters alone have this bit as their case; the dash of http-equiv has it set already.
      if ((code | 0x20) !== name.charCodeAt(index)) return false;
    }
    return true;
  }
}
