import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { locationUnitsMax, type SitemapUrls } from "./sitemap-urls.ts";

/** Where the URLs stand in files of one kind. */
interface Form {
  readonly entry: string;
  readonly location: string;
  /** The URL is in this attribute of the location, not in its text. */
  readonly attribute?: string;
  /** What leads to an entry without a location, unless an attribute says that it does not. */
  readonly permalink?: string;
  /** The first element's prefix is not that of the others, which have none. */
  readonly isWithoutPrefix?: boolean;
}

/** Kinds of files, by the local name of their first element. */
const forms: Readonly<Record<string, Form>> = {
  urlset: { entry: "url", location: "loc" },
  sitemapindex: { entry: "sitemap", location: "loc" },
  // An item need not have a link, and its guid is one unless it says otherwise (RSS 2.0 Specification, "<guid>").
  rss: { entry: "item", location: "link", permalink: "guid" },
  // RSS 1.0, which stands within another vocabulary's element (RSS 1.0 Specification, section 5.2).
  RDF: { entry: "item", location: "link", isWithoutPrefix: true },
  // Atom (RFC 4287, sections 2 and 4.2.7): an entry has links of several relations, and one without any is to the entry
  // itself. They are references, to be resolved against the nearest `xml:base`.
  feed: { entry: "entry", location: "link", attribute: "href" },
};

const relationOfPages = "alternate";
const baseAttribute = "xml:base";
const permalinkAttribute = "isPermaLink";

/** What stands one within the other, each with a base of its own. */
type Level = "root" | "entry" | "location" | "permalink";

/** A tokenizer without a tree: what is nested as deep as a file is long costs no more than any other. */
export class SitemapElements implements TokenizerCallbacks {
  readonly #text: string;
  readonly #urls: SitemapUrls;
  readonly #tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, this);
  #root: string | undefined;
  #form: Form | undefined;
  /** Before the names of the kind's elements: nothing, or a prefix and its colon. */
  #prefix = "";
  #isInEntry = false;
  #hasLocation = false;
  /** Text of the location, or of the permalink, that is being read. */
  #location: string | undefined;
  /** That of the entry. */
  #permalink: string | undefined;
  /** Where attributes matter, the start tag that is being read: those that count, and the one that is read now. */
  #level: Level | undefined;
  #attributes = new Map<string, string>();
  #attribute: string | undefined;
  readonly #bases: Record<"document" | "root" | "entry", string | undefined>;

  /** `url`: that of the file. */
  constructor(text: string, urls: SitemapUrls, url: string | undefined) {
    this.#text = text;
    this.#urls = urls;
    this.#bases = { document: url, root: url, entry: url };
  }

  /** Takes in the URLs; returns the first element's local name, or nothing when this is no such file. */
  read(): string | undefined {
    this.#tokenizer.write(this.#text);
    return this.#form && this.#root;
  }

  onopentagname(start: number, end: number): void {
    const name = this.#text.slice(start, end);
    if (this.#root === undefined) {
      this.#begin(name);
      this.#beginTag("root");
    } else if (this.#isEntry(name)) {
      this.#isInEntry = true;
      this.#hasLocation = false;
      this.#permalink = undefined;
      this.#beginTag("entry");
    } else if (this.#isInEntry && this.#isLocation(name)) {
      this.#location = "";
      this.#beginTag("location");
    } else if (this.#isInEntry && this.#isPermalink(name)) {
      this.#location = "";
      this.#beginTag("permalink");
    }
  }

  onattribname(start: number, end: number): void {
    if (this.#level === undefined) return;
    const name = this.#text.slice(start, end);
    const isRead = ["rel", baseAttribute, permalinkAttribute, this.#form?.attribute].includes(name);
    this.#attribute = isRead ? name : undefined;
    if (isRead) this.#attributes.set(name, "");
  }

  onattribdata(start: number, end: number): void {
    this.#appendToAttribute(this.#text.slice(start, end));
  }

  onattribentity(codePoint: number): void {
    this.#appendToAttribute(String.fromCodePoint(codePoint));
  }

  onattribend(): void {
    this.#attribute = undefined;
  }

  onopentagend(): void {
    const level = this.#level;
    this.#level = undefined;
    switch (level) {
      case undefined:
        return;
      case "root":
        this.#bases.root = this.#baseWithin(this.#bases.document);
        return;
      case "entry":
        this.#bases.entry = this.#baseWithin(this.#bases.root);
        return;
      case "location":
        this.#endLocation(this.#attributeOfPage(), this.#baseWithin(this.#bases.entry));
        return;
      case "permalink":
        if (this.#attributes.get(permalinkAttribute) === "false") this.#location = undefined;
    }
  }

  onselfclosingtag(): void {
    this.onopentagend();
    this.#location = undefined;
  }

  onclosetag(start: number, end: number): void {
    const name = this.#text.slice(start, end);
    if (this.#isEntry(name)) this.#endEntry();
    else if (this.#isLocation(name)) this.#endLocation(this.#location);
    else if (this.#isPermalink(name)) this.#endPermalink();
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
    this.#root = name.slice(colon + 1);
    if (Object.hasOwn(forms, this.#root)) this.#form = forms[this.#root];
    else this.#tokenizer.pause();
    if (!this.#form?.isWithoutPrefix) this.#prefix = name.slice(0, colon + 1);
  }

  #isEntry(name: string): boolean {
    return name === `${this.#prefix}${this.#form?.entry}`;
  }

  #isLocation(name: string): boolean {
    return name === `${this.#prefix}${this.#form?.location}`;
  }

  #isPermalink(name: string): boolean {
    const { permalink } = this.#form ?? {};
    return permalink !== undefined && name === `${this.#prefix}${permalink}`;
  }

  #beginTag(level: Level): void {
    if (this.#form?.attribute === undefined && level !== "permalink") return;
    this.#level = level;
    this.#attributes = new Map();
    this.#attribute = undefined;
  }

  /** The base that the tag sets, or the one around it. */
  #baseWithin(outer: string | undefined): string | undefined {
    const own = this.#attributes.get(baseAttribute);
    return own === undefined ? outer : (this.#urls.baseOf(own, outer) ?? outer);
  }

  /** In an Atom entry: where the link leads, if it is to a page. */
  #attributeOfPage(): string | undefined {
    const { attribute = "" } = this.#form ?? {};
    const relation = this.#attributes.get("rel") ?? relationOfPages;
    return relation === relationOfPages ? this.#attributes.get(attribute) : undefined;
  }

  #append(text: string): void {
    if (this.#location === undefined || this.#location.length > locationUnitsMax) return;
    this.#location += text;
  }

  #appendToAttribute(text: string): void {
    if (this.#attribute === undefined) return;
    const before = this.#attributes.get(this.#attribute) ?? "";
    if (before.length <= locationUnitsMax) this.#attributes.set(this.#attribute, before + text);
  }

  #endLocation(location: string | undefined, base?: string): void {
    if (this.#location === undefined) return;
    this.#location = undefined;
    if (location === undefined) return;
    this.#hasLocation ||= location.trim() !== "";
    this.#urls.add(location, base);
  }

  #endPermalink(): void {
    this.#permalink ??= this.#location;
    this.#location = undefined;
  }

  #endEntry(): void {
    this.#isInEntry = false;
    if (!this.#hasLocation && this.#permalink !== undefined) this.#urls.add(this.#permalink);
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
}
