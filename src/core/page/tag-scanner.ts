import { isAsciiSpace } from "./ascii.ts";
import { ForeignContent } from "./foreign-content.ts";
import { NameTable, startsWithName } from "./name-table.ts";
import { rawTextEnd, scriptEnd } from "./raw-text.ts";
import { knownAttributes, ReadAttributes, type TagAttributes } from "./tag-attributes.ts";
import {
  endsAttributeName,
  endsTagName,
  endsUnquotedValue,
  isGap,
  isLetter,
  usualTagEnd,
} from "./tag-syntax.ts";

/** Elements whose tags a crawler looks into. */
const tagNames = [
  "a",
  "area",
  "base",
  "embed",
  "frame",
  "html",
  "iframe",
  "link",
  "meta",
  "noscript",
  "object",
] as const;
export type ScannedTag = (typeof tagNames)[number];

/** What the scanner tells of a document, in its order. */
export interface TagHandler {
  /** The tag's attributes are valid during the call. A `base` is one of the document (HTML Standard, section 4.2.3). */
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

/**
 * Passes over a whole document once and tells `handler` of the few tags that matter.
 *
 * Finds the tags that the tokenizer of the HTML Standard finds (section 13.2.5) and tells of no others, in time linear
 * in the document's length. A `noscript` is the text that it is to browsers with scripting, so that nothing left open in it
 * reaches beyond its end; the tags in that text are told of, too.
 */
export function scanTags(html: string, handler: TagHandler, options: ScanOptions): void {
  new TagScanner(html, handler, options).run();
}

/** What follows the start tag of an element, other than markup of the document. */
type Content = "raw-text" | "script" | "plain-text" | "fragment" | "unscripted";

/** An element that is more than text between other tags. */
interface KnownElement {
  readonly name: string;
  readonly tag: ScannedTag | undefined;
  /** Of `svg` and `math`, where another world begins. */
  readonly foreign: boolean;
  readonly content: Content | undefined;
}

/**
 * HTML Standard, section 13.2.6.4, with scripting: start tags after which the tokenizer leaves the data state, and that of an
 * element whose content is a document of its own.
 */
const contents: Readonly<Record<string, Content>> = {
  iframe: "raw-text",
  noembed: "raw-text",
  noframes: "raw-text",
  noscript: "unscripted",
  plaintext: "plain-text",
  script: "script",
  style: "raw-text",
  template: "fragment",
  textarea: "raw-text",
  title: "raw-text",
  xmp: "raw-text",
};

const foreignRoots: readonly string[] = ["svg", "math"];

const knownElements = new NameTable<KnownElement>(
  [...new Set([...tagNames, ...Object.keys(contents), ...foreignRoots])].map((name) => [
    name,
    {
      name,
      tag: tagNames.find((tag) => tag === name),
      foreign: foreignRoots.includes(name),
      content: contents[name],
    },
  ]),
);

const exclamation = 0x21;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const dash = 0x2d;
const slash = 0x2f;
const equals = 0x3d;
const greaterThan = 0x3e;
const question = 0x3f;

/**
 * The tokenizer of the HTML Standard, section 13.2.5, without its tokens.
 *
 * Text is jumped over, and so is what comments and quotes hold; most tags end where their names do. Each method
 * takes the place of some of the Standard's states: it begins at a place in the text and returns where the scan goes on.
 * No stack of elements is kept, so nesting costs nothing.
 */
class TagScanner {
  readonly #text: string;
  readonly #handler: TagHandler;
  readonly #options: ScanOptions;
  /** Whether the text is that of a `noscript`. */
  readonly #unscripted: boolean;
  readonly #foreign = new ForeignContent();
  /** What is returned where the document ends within a tag, which then counts for nothing. */
  readonly #unfinished: number;
  /** Elements of the kind `template` that are open. */
  #templates = 0;
  /** Whether the tag that just ended did so with `/>`. */
  #selfClosing = false;
  /** Where the last attribute's value stands. */
  #valueStart = 0;
  #valueEnd = 0;

  constructor(text: string, handler: TagHandler, options: ScanOptions, unscripted = false) {
    this.#text = text;
    this.#handler = handler;
    this.#options = options;
    this.#unscripted = unscripted;
    this.#unfinished = text.length + 1;
  }

  /** Data state (13.2.5.1). */
  run(): void {
    const text = this.#text;
    let at = text.indexOf("<");
    while (at >= 0) at = text.indexOf("<", this.#markup(at + 1));
  }

  /** Tag open state (13.2.5.6). */
  #markup(at: number): number {
    const code = this.#text.charCodeAt(at);
    if (isLetter(code)) return this.#startTag(at);
    if (code === slash) return this.#endTag(at + 1);
    if (code === exclamation) return this.#declaration(at + 1);
    return code === question ? this.#after(">", at + 1) : at;
  }

  #startTag(start: number): number {
    const nameEnd = this.#nameEnd(start);
    const element = knownElements.find(this.#text, start, nameEnd);
    if (element === undefined && !this.#foreign.entered) return this.#tagEnd(nameEnd);

    const attributes = element?.tag === undefined ? undefined : new ReadAttributes();
    const end = this.#attributes(nameEnd, attributes);
    if (end === this.#unfinished) return end;
    const html = !this.#foreign.inside;
    if (element?.tag === "a" && this.#foreign.insideSvg) attributes?.takeXlinkHref();
    if (this.#foreign.entered || element?.foreign === true) {
      this.#foreign.open(this.#text.slice(start, nameEnd).toLowerCase(), this.#selfClosing);
    }
    if (element === undefined) return end;
    const isForeignBase = element.tag === "base" && !(html && this.#templates === 0);
    if (element.tag !== undefined && attributes && !isForeignBase) {
      this.#handler.onTag(element.tag, attributes);
    }
    const closed = this.#options.xhtml && this.#selfClosing;
    if (closed && element.tag === "noscript") this.#handler.onNoscriptEnd();
    return html && !closed ? this.#contentEnd(element, end) : end;
  }

  /** RCDATA, RAWTEXT, script data and PLAINTEXT states (13.2.5.2 to 13.2.5.5). */
  #contentEnd({ name, content }: KnownElement, start: number): number {
    switch (content) {
      case undefined:
        return start;
      case "fragment":
        this.#templates += 1;
        return start;
      case "plain-text":
        return this.#text.length;
      case "script":
        return scriptEnd(this.#text, start);
      case "raw-text": {
        const end = rawTextEnd(this.#text, start, name);
        if (name === "title" && end > start) this.#title(start, end);
        return end;
      }
      case "unscripted":
        return this.#options.xhtml || this.#unscripted ? start : this.#unscriptedEnd(name, start);
    }
  }

  /** In XML, and where there are no scripts, as within itself, a `noscript` is an element like others. */
  #unscriptedEnd(name: string, start: number): number {
    const end = rawTextEnd(this.#text, start, name);
    new TagScanner(this.#text.slice(start, end), this.#handler, this.#options, true).run();
    return end;
  }

  /** A title within SVG is that of the drawing. */
  #title(start: number, end: number): void {
    if (this.#foreign.entered) return;
    this.#handler.onTitleText(this.#cut(start, Math.min(end, start + this.#options.titleUnitsMax)));
  }

  /** End tag open state (13.2.5.7); the attributes of an end tag are read, as browsers do, and forgotten. */
  #endTag(start: number): number {
    const text = this.#text;
    if (!isLetter(text.charCodeAt(start))) {
      return start === text.length ? start : this.#after(">", start);
    }
    const nameEnd = this.#nameEnd(start);
    const end = this.#tagEnd(nameEnd);
    if (end === this.#unfinished) return end;
    if (this.#foreign.entered) this.#foreign.close(text.slice(start, nameEnd).toLowerCase());
    if (nameEnd - start === "template".length) this.#eightLettersEnd(start);
    return end;
  }

  #eightLettersEnd(start: number): void {
    if (startsWithName(this.#text, start, "noscript")) this.#handler.onNoscriptEnd();
    else if (this.#templates > 0 && !this.#foreign.inside) {
      if (startsWithName(this.#text, start, "template")) this.#templates -= 1;
    }
  }

  /**
   * Markup declaration open state (13.2.5.42). A DOCTYPE ends at the first `>`, within quotes too, and so does all that
   * is nothing else.
   */
  #declaration(at: number): number {
    const text = this.#text;
    if (text.startsWith("--", at)) return this.#comment(at + 2);
    const hasCdata = this.#options.xhtml || this.#foreign.inside;
    if (hasCdata && text.startsWith("[CDATA[", at)) return this.#after("]]>", at + 7);
    return this.#after(">", at);
  }

  /** Comment start state and all after it (13.2.5.43 to 13.2.5.52): `-->` and `--!>` end a comment, and `>` or `->` at once. */
  #comment(start: number): number {
    const text = this.#text;
    if (text.startsWith(">", start)) return start + 1;
    if (text.startsWith("->", start)) return start + 2;
    let at = start;
    for (;;) {
      at = this.#after("--", at);
      while (text.charCodeAt(at) === dash) at++;
      if (text.charCodeAt(at) === greaterThan) return at + 1;
      if (text.startsWith("!>", at)) return at + 2;
      if (at >= text.length) return at;
    }
  }

  /** The end of the next `mark`, or of the document. */
  #after(mark: string, at: number): number {
    const found = this.#text.indexOf(mark, at);
    return found < 0 ? this.#text.length : found + mark.length;
  }

  /** Tag name state (13.2.5.8). */
  #nameEnd(start: number): number {
    const text = this.#text;
    let at = start;
    while (at < text.length && !endsTagName(text.charCodeAt(at))) at++;
    return at;
  }

  #tagEnd(nameEnd: number): number {
    return usualTagEnd(this.#text, nameEnd) ?? this.#attributes(nameEnd);
  }

  /** The rest of a tag, to behind its `>` (13.2.5.32 to 13.2.5.40); its attributes are put into `target`. */
  #attributes(start: number, target?: ReadAttributes): number {
    const text = this.#text;
    let at = start;
    for (;;) {
      const gapStart = at;
      while (at < text.length && isGap(text.charCodeAt(at))) at++;
      if (at >= text.length) return this.#unfinished;
      if (text.charCodeAt(at) === greaterThan) {
        this.#selfClosing = at > gapStart && text.charCodeAt(at - 1) === slash;
        return at + 1;
      }
      const nameStart = at++;
      // A name may begin with `=`, but not go on with one.
      while (at < text.length && !endsAttributeName(text.charCodeAt(at))) at++;
      const nameEnd = at;
      at = this.#value(nameEnd);
      if (target === undefined) continue;
      const name = knownAttributes.find(text, nameStart, nameEnd);
      if (name !== undefined) target.add(name, this.#cut(this.#valueStart, this.#valueEnd));
    }
  }

  /** The value of the attribute whose name ends at `nameEnd`, where it has one. */
  #value(nameEnd: number): number {
    const text = this.#text;
    this.#valueStart = nameEnd;
    this.#valueEnd = nameEnd;
    let at = this.#skipSpaces(nameEnd);
    if (text.charCodeAt(at) !== equals) return at;
    at = this.#skipSpaces(at + 1);
    const quote = text.charCodeAt(at);
    if (quote === doubleQuote || quote === singleQuote) {
      const end = text.indexOf(quote === doubleQuote ? '"' : "'", at + 1);
      if (end < 0) return this.#unfinished;
      this.#valueStart = at + 1;
      this.#valueEnd = end;
      return end + 1;
    }
    this.#valueStart = at;
    while (at < text.length && !endsUnquotedValue(text.charCodeAt(at))) at++;
    this.#valueEnd = at;
    return at;
  }

  /** Part of the text; in values and raw text, a NUL is U+FFFD. */
  #cut(start: number, end: number): string {
    const part = this.#text.slice(start, end);
    return part.includes("\0") ? part.replaceAll("\0", "\uFFFD") : part;
  }

  #skipSpaces(start: number): number {
    let at = start;
    while (at < this.#text.length && isAsciiSpace(this.#text.charCodeAt(at))) at++;
    return at;
  }
}
