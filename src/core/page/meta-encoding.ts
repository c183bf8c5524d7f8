import { encodingOfLabel, type EncodingName } from "./encoding-label.ts";

/** The attributes of a `meta` that may declare an encoding, their character references decoded. */
export interface MetaDeclaration {
  readonly charset: string | undefined;
  readonly httpEquiv: string | undefined;
  readonly content: string | undefined;
}

/**
 * The encoding that a `meta` element of an HTML document declares (HTML Standard, section 13.2.6.4.4, "A start tag whose tag
 * name is 'meta'").
 */
export function metaEncoding(meta: MetaDeclaration): EncodingName | undefined {
  const named = meta.charset === undefined ? undefined : encodingOfLabel(meta.charset);
  if (named !== undefined) return readableEncoding(named);
  if (meta.content === undefined || meta.httpEquiv?.toLowerCase() !== "content-type") {
    return undefined;
  }
  return readableEncoding(encodingOfMetaContent(meta.content));
}

/** A declaration that could be read byte by byte cannot have been in UTF-16. */
export function readableEncoding(encoding: EncodingName | undefined): EncodingName | undefined {
  return encoding === "utf-16le" || encoding === "utf-16be" ? "utf-8" : encoding;
}

/** HTML Standard, section 2.5.3, "extracting a character encoding from a meta element". */
export function encodingOfMetaContent(content: string): EncodingName | undefined {
  const declaration = /charset[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(content);
  if (declaration === null) return undefined;
  const value = content.slice(declaration.index + declaration[0].length);
  const quote = value.charAt(0);
  if (quote === '"' || quote === "'") {
    const end = value.indexOf(quote, 1);
    return end < 0 ? undefined : encodingOfLabel(value.slice(1, end));
  }
  return encodingOfLabel(value.replace(/[\t\n\f\r ;][^]*$/, ""));
}
