import { NameTable } from "./name-table.ts";

/**
 * Values of one tag, as written: references are not decoded. The first of two equal names counts; what the tag does not
 * have is undefined.
 */
export interface TagAttributes {
  readonly charset: string | undefined;
  readonly content: string | undefined;
  readonly data: string | undefined;
  /** In an SVG also what it calls `xlink:href`. */
  readonly href: string | undefined;
  readonly hreflang: string | undefined;
  readonly httpEquiv: string | undefined;
  readonly lang: string | undefined;
  readonly name: string | undefined;
  readonly rel: string | undefined;
  readonly src: string | undefined;
  readonly srcdoc: string | undefined;
  readonly type: string | undefined;
}

type KnownAttribute = keyof TagAttributes | "xlinkHref";

/** The attributes that are looked at. */
export const knownAttributes = new NameTable<KnownAttribute>([
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
  ["xlink:href", "xlinkHref"],
]);

/** All attributes in one shape, whichever a tag has: a dictionary would cost more than all the rest of a tag. */
export class ReadAttributes implements TagAttributes {
  charset: string | undefined = undefined;
  content: string | undefined = undefined;
  data: string | undefined = undefined;
  href: string | undefined = undefined;
  hreflang: string | undefined = undefined;
  httpEquiv: string | undefined = undefined;
  lang: string | undefined = undefined;
  name: string | undefined = undefined;
  rel: string | undefined = undefined;
  src: string | undefined = undefined;
  srcdoc: string | undefined = undefined;
  type: string | undefined = undefined;
  xlinkHref: string | undefined = undefined;

  /** For an element of SVG without `href` (SVG 2, section 16.1, "Deprecated XLink URL reference attributes"). */
  takeXlinkHref(): void {
    this.href ??= this.xlinkHref;
  }

  add(name: KnownAttribute, value: string): void {
    switch (name) {
      case "href":
        this.href ??= value;
        break;
      case "rel":
        this.rel ??= value;
        break;
      case "content":
        this.content ??= value;
        break;
      case "name":
        this.name ??= value;
        break;
      case "lang":
        this.lang ??= value;
        break;
      case "hreflang":
        this.hreflang ??= value;
        break;
      case "httpEquiv":
        this.httpEquiv ??= value;
        break;
      case "src":
        this.src ??= value;
        break;
      case "srcdoc":
        this.srcdoc ??= value;
        break;
      case "data":
        this.data ??= value;
        break;
      case "type":
        this.type ??= value;
        break;
      case "charset":
        this.charset ??= value;
        break;
      case "xlinkHref":
        this.xlinkHref ??= value;
        break;
    }
  }
}
