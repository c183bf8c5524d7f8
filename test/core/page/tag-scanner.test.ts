import fc from "fast-check";
import { Parser, TokenizerMode, type Token } from "parse5";
import { describe, expect, it } from "vitest";
import { EntityReader } from "../../../src/core/page/entity-reader.ts";
import { scanTags, type ScannedTag, type TagHandler } from "../../../src/core/page/tag-scanner.ts";
import type { TagAttributes } from "../../../src/core/page/tag-attributes.ts";

/** A tag with the attributes that are looked at, or a title's text. */
type Seen = readonly [what: string, ...values: (string | null)[]];

const tags: ReadonlySet<string> = new Set<ScannedTag>([
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
]);

const attributes: readonly (readonly [name: string, field: keyof TagAttributes])[] = [
  ["charset", "charset"],
  ["content", "content"],
  ["data", "data"],
  ["href", "href"],
  ["hreflang", "hreflang"],
  ["http-equiv", "httpEquiv"],
  ["lang", "lang"],
  ["name", "name"],
  ["rel", "rel"],
  ["src", "src"],
  ["srcdoc", "srcdoc"],
  ["type", "type"],
];

class Recorder implements TagHandler {
  readonly seen: Seen[] = [];
  readonly #entities = new EntityReader();

  onTag(tag: ScannedTag, values: TagAttributes): void {
    const decoded = attributes.map(([, field]) => {
      const raw = values[field];
      return raw === undefined ? null : normalizeNewlines(this.#entities.attribute(raw));
    });
    this.seen.push([tag, ...decoded]);
  }

  onNoscriptEnd(): void {
    this.seen.push(["/noscript"]);
  }

  onTitleText(text: string): void {
    this.seen.push(["title", normalizeNewlines(this.#entities.text(text))]);
  }
}

/** The scanner leaves line ends alone: URLs lose them, and in all other values they are white space like any other. */
function normalizeNewlines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function scanned(html: string, xhtml = false): Seen[] {
  const recorder = new Recorder();
  scanTags(html, recorder, { xhtml, titleUnitsMax: 1_000 });
  return recorder.seen;
}

/**
 * The tags that browsers see: those which the tokenizer of the reference implementation hands to its tree builder, which
 * in turn sets the tokenizer's state; and those that browsers without scripting see in the text of a `noscript`.
 */
class Reference extends Parser<never> {
  readonly seen: Seen[] = [];
  #title: string | undefined;
  #noscript: string | undefined;
  #ended: Token.TagToken | undefined;

  override onStartTag(token: Token.TagToken): void {
    if (tags.has(token.tagName) && !this.#isForeignBase(token)) {
      const values = new Map(token.attrs.map(({ name, value }) => [name, value]));
      this.seen.push([token.tagName, ...attributes.map(([name]) => values.get(name) ?? null)]);
    }
    if (token.tagName === "title") this.#title = "";
    super.onStartTag(token);
    const isText = token.tagName === "noscript" && this.tokenizer.state === TokenizerMode.RAWTEXT;
    if (isText) this.#noscript = "";
  }

  override onEndTag(token: Token.TagToken): void {
    this.#endTitle();
    this.#endNoscript();
    // The tree builder may hand the token to itself again.
    if (token.tagName === "noscript" && token !== this.#ended) this.seen.push(["/noscript"]);
    this.#ended = token;
    super.onEndTag(token);
  }

  override onEof(token: Token.EOFToken): void {
    this.#endTitle();
    this.#endNoscript();
    super.onEof(token);
  }

  override onCharacter(token: Token.CharacterToken): void {
    this.#addToText(token);
    super.onCharacter(token);
  }

  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.#addToText(token);
    super.onWhitespaceCharacter(token);
  }

  /** Not one of the document: within a `template`, or of another language. */
  #isForeignBase(token: Token.TagToken): boolean {
    if (token.tagName !== "base") return false;
    return (
      this.openElements.tmplCount > 0 || this.shouldProcessStartTagTokenInForeignContent(token)
    );
  }

  #addToText({ chars }: Token.CharacterToken): void {
    if (this.#title !== undefined) this.#title += chars;
    if (this.#noscript !== undefined) this.#noscript += chars;
  }

  #endTitle(): void {
    if (this.#title !== undefined && this.#title !== "") this.seen.push(["title", this.#title]);
    this.#title = undefined;
  }

  #endNoscript(): void {
    if (this.#noscript !== undefined) this.seen.push(...seenByBrowsers(this.#noscript, false));
    this.#noscript = undefined;
  }
}

function seenByBrowsers(html: string, scriptingEnabled = true): Seen[] {
  const reference = new Reference({ scriptingEnabled });
  reference.tokenizer.write(html, true);
  return reference.seen;
}

/** Pieces of markup; within a line each is as likely as any other. */
function pieces(...lines: readonly string[]): fc.Arbitrary<string> {
  const unescape = (piece: string): string =>
    piece.replace(/\\[0nrtfvs]/g, (code) => escapes[code] ?? "");
  return fc.oneof(
    ...lines.map((line) => fc.constantFrom(...line.trim().split(/ +/).map(unescape))),
  );
}

const escapes: Readonly<Record<string, string>> = {
  "\\0": "\0",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
  "\\f": "\f",
  "\\v": "\v",
  "\\s": " ",
};

const opened = `
  <a\\s <A\\n <a\\r\\n <a/ <a\\v <a\\0 <area\\t <base\\f <link\\s <META\\s <frame\\s <iframe\\s <embed\\s <object\\s <html\\s <ab\\s <div\\s <p
  </a\\s </p </p/ </div\\n </ <`;
const attributeParts = `
  href= HREF\\s=\\s data= type= charset= src= srcdoc= rel=x\\s name=' content=" http-equiv= hreflang lang=\\0 hrefs= href\\0= =href= " ' = == / > /> \\s
  \\t \\r\\n \\f \\v \\0 \u0080 \u212a \u{1f600} x b.html ? # \``;
const references = `
  & &amp; &amp &lt &ltx &lt= &copy &copy=1 &not &notin; &notit; &#x41; &#65 &#0; &#x80; &#xD800; &#x110000; &#; &#x; &nosuch;
  &NotEqualTilde; &fjlig;`;
const comments = `
  <!-- <!--- --> -->\\s --!> <!--> <!---> -- - ! > <! <!- <!x <!doctype\\s <!DOCTYPE\\shtml> "> <? <?php\\s ?> </\\s </> </! <![CDATA[ ]]>`;
const rawTexts = `
  <script> <SCRIPT\\s <script/ </script> </script\\n </scripts> </ScRiPt/ <!-- --> <title> </title> </title\\s <textarea> </textarea
  <style> </style> <xmp> </xmp> <noframes> </noframes> <noembed> </noembed> <iframe> </iframe> <noscript> </noscript>`;
const templates = `
  <template> <TEMPLATE\\s <template/> </template> </template\\n </Template> <templates> </templates> <noscript> </noscript>`;
const whole = `
  <a\\shref=1> <a\\shref='2'> <area\\shref="3"> <base\\shref=4> <link\\srel=canonical\\shref=5> <meta\\sname=robots\\scontent=none>`;

function expectSameIn(
  piece: fc.Arbitrary<string>,
  { maxLength, numRuns } = { maxLength: 16, numRuns: 2_000 },
): void {
  fc.assert(
    fc.property(fc.array(piece, { maxLength }), (parts) => {
      const html = parts.join("");
      expect(scanned(html)).toEqual(seenByBrowsers(html));
    }),
    { numRuns },
  );
}

describe("the tags that are found", () => {
  it("are those that browsers find, in any soup of tags, comments and raw text", () => {
    const piece = pieces(
      opened,
      attributeParts,
      attributeParts,
      references,
      comments,
      rawTexts,
      whole,
    );
    expectSameIn(piece, { maxLength: 24, numRuns: 4_000 });
  });

  it.each<[string, fc.Arbitrary<string>]>([
    ["comments", pieces(comments, "<!-- --> --!> <!--> <!---> - ! > <a\\shref=1>")],
    ["scripts", pieces("<script> </script> <script\\s </script/ <script <!-- --> - <a> > < </")],
    ["escaped scripts", pieces("<script> </script> <!-- --> > <a>")],
    ["raw text and other elements", pieces(rawTexts, whole, "<plaintext> <table> <template> </p>")],
    [
      "scriptless content",
      pieces(rawTexts, whole, "<noscript> <noscript> </noscript> <!-- ' \" <"),
    ],
    ["templates", pieces(templates, whole, "<p> </p> <svg></svg> <base\\shref=1> <base\\shref=2>")],
    ["attributes", pieces("<a\\s <meta/", attributeParts, "> /> \\s / = ' \" href")],
    ["attributes that nobody looks at", pieces("<b\\s </b\\s = =\" =' ' \" > x \\s / <a>")],
    ["character references", pieces("<a\\shref= <a\\shref=' <title> </title> ' > = x", references)],
  ])("are those that browsers find among %s", (_, piece) => {
    expectSameIn(piece);
  });

  it.each([
    "<script><!--<script></script><a></script><a href=1>",
    "<script><!--<script></script>--></script><a href=1>",
    "<script><!--><script></script><a href=1>",
    "<script><!--<scripts></script><a href=1>",
    '<b ="x>"><a href=1>',
    "<b x = '>'><a href=1>",
    "<b x=y='><a href=1>'>",
    "</b x='><a href=1>'>",
    "<!--><a href=1>--!><a href=2>",
    "<!doctype '><a href=1>",
    "<title><&#65;</&#65;</titl&amp;</title>",
    "<noscript><iframe src=1></noscript><a href=2>",
    "<noscript><!-- </noscript><base href=1><a href=2>",
    "<noscript><img src='1></noscript><a href=2>it's",
    "<noscript><template></noscript><base href=1>",
    "<noscript><noscript><a href=1></noscript><a href=2>",
    "<svg><noscript><style></noscript></svg><a href=1>",
  ])("are those that browsers find in %s", (html) => {
    expect(scanned(html)).toEqual(seenByBrowsers(html));
  });

  it("are those that browsers find in SVG and MathML, whose CDATA sections are text", () => {
    const piece = pieces(
      "<svg> <svg\\s </svg> <math> </math> <svg/> <math/> <g></g> <path> <p> </p> <table>",
      "<![CDATA[ ]]> ]> > <style> </style> <script> </script> <a\\shref=1> <a\\shref=2>",
    );
    expectSameIn(piece);
  });

  it("are those that browsers find in SVG, MathML and templates, which have no base for the document", () => {
    const piece = pieces(
      "<svg> </svg> <math> </math> <svg/> <math/> <g></g> <path> <p> </p> <table> <base\\shref=1> <base\\shref=2>",
      "<template> <template><base\\shref=3></template> <template><svg></template> <svg><base\\shref=4></svg>",
    );
    expectSameIn(piece);
  });

  it.each([
    '<button><svg><path d="M0"></button><script>var a="<!--", b="<a href=/ghost>";</script><a href=/real>x</a>',
    '<a href=/><svg><use/></a><script>document.write("<a href=/ghost>")</script>',
    "<div><svg><a></div><style><a href=1></style>",
    "<a><svg><a><g></a><style><a href=1></style>",
    "<a><svg><a></a></a><style><a href=1></style>",
    "<a><svg><g><a></g></a><style><a href=1></style>",
    "<a><svg><a><svg></a><style><a href=1></style>",
    "<button><svg><button></button><style><a href=1></style>",
    "<div><svg><foreignObject><div><svg></div><style></foreignObject><a href=1></style>",
    "<svg><a><foreignObject><div><a></a></div></foreignObject></a><style><a href=1></style>",
    "<svg><path/></path><style><a href=1></style>",
    "<table><td><svg><g></table><style><a href=1></style>",
    "<svg><math></math><style><a href=1></style>",
    "<svg><g></g></g><style><a href=1></style>",
    "<svg><foreignObject></svg><title>x</title>",
    "<math><title><style><a href=1></style>",
    "<math><svg><title><style><a href=1></style>",
    "<svg></math><style><a href=1></style>",
    "<svg><base href=1></svg><base href=2>",
    "<svg><base href=1><p><base href=2>",
    "<svg><foreignObject><base href=1></foreignObject><base href=2>",
    "<svg><desc><template><base href=1></template><base href=2></desc><base href=3>",
    "<math><base href=1></math><base href=2>",
    "<svg><template></svg><base href=1>",
    "<template><svg><template></template></svg><base href=1></template><base href=2>",
    "<template><svg></template><base href=1>",
    "<template><template></template><base href=1></template></template><base href=2>",
    `${"<svg><foreignObject>".repeat(100)}<svg><style><a href=1>`,
    `${"<svg><foreignObject>".repeat(100)}${"</foreignObject></svg>".repeat(100)}<style><a href=1>`,
  ])("are those that browsers find where SVG and HTML end each other: %s", (html) => {
    expect(scanned(html)).toEqual(seenByBrowsers(html));
  });

  it("are found behind raw text elements of XHTML that end at once", () => {
    const a = (href: string): Seen => ["a", null, null, null, href, ...Array<null>(8).fill(null)];
    expect(scanned("<script/><title/><a href=1>", true)).toEqual([a("1")]);
    expect(scanned("<script/><title/><a href=1>")).toEqual([]);
    expect(scanned("<![CDATA[ > <a href=1> ]]><a href=2>", true)).toEqual([a("2")]);
    expect(scanned("<![CDATA[ > <a href=1> ]]><a href=2>")).toEqual([a("1"), a("2")]);
  });
});
