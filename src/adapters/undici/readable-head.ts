import { withOneLength } from "./repeated-length.ts";

/** A line that begins with white space, or a carriage return within one: llhttp takes some of these for the head's end. */
const oddLine = /\n[\t ]|\r[^\n]/;

/** A line of the head that does not begin with a field's name and a colon (RFC 9110, section 5.6.2). */
const namelessLine = /\n(?![\w!#$%&'*+.^`|~-]+:)([^\n]*)/g;

/** A field whose name has white space behind it. */
const spacedField = /^([\w!#$%&'*+.^`|~-]+)[\t ]+(?=:)/;

/** A field that says how the body is framed, from the end of the line before it. */
const framingField = /\n(?:content-length|(transfer-encoding)):[^\n]*/gi;

/** Behind the head of such a response stands that of the next (RFC 9110, section 15.2). */
const informational = /^HTTP\/[\d.]+ 1\d\d/;

/** Heads that are looked at, at most: nobody who sends more of them is listened to. */
const headsMax = 32;

const lineFeed = 0x0a;

/**
 * The bytes with which a response begins, with a head that llhttp reads as browsers do: what is no field is passed over,
 * white space behind a field's name is none of it (RFC 9112, section 5.1), nor is a tab behind the value of one that frames
 * the body, and one length that is named several times is one. A line that is no field is kept as the value of
 * `X-Orig-Line`. So are the heads of informational responses, and the one behind them.
 *
 * A head that has not come whole, and one with odd lines, stay as they are: the parser judges them.
 *
 * Invariant: only a head that the parser would refuse or misread gets another meaning, and nothing behind it is changed.
 */
export function withReadableHead(chunk: Buffer): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  let copiedTo = 0;
  for (let heads = 0; heads < headsMax; heads += 1) {
    const length = headEndOf(chunk.subarray(start));
    if (length < 0) break;
    const end = start + length;
    const head = chunk.toString("latin1", start, end);
    if (oddLine.test(head)) break;
    const readable = withOneLength(withTightFraming(withFieldsAlone(head)));
    if (readable !== head) {
      parts.push(chunk.subarray(copiedTo, start), Buffer.from(readable, "latin1"));
      copiedTo = end;
    }
    if (!informational.test(head)) break;
    start = end + (chunk[end + 1] === lineFeed ? 2 : 3);
  }
  return copiedTo === 0 ? chunk : Buffer.concat([...parts, chunk.subarray(copiedTo)]);
}

/** Where the line feed before the head's empty line is; -1 where no head begins here, or none that ends. */
function headEndOf(chunk: Buffer): number {
  if (chunk.toString("latin1", 0, 5) !== "HTTP/") return -1;
  const end = chunk.indexOf("\n\r\n");
  // Lines may end with a line feed alone, and then the head is over sooner.
  const soonerEnd = (end < 0 ? chunk : chunk.subarray(0, end + 1)).indexOf("\n\n");
  return soonerEnd < 0 ? end : soonerEnd;
}

function withFieldsAlone(head: string): string {
  return head.replace(namelessLine, (_, line: string) => {
    const field = line.replace(spacedField, "$1");
    return field === line ? `\nX-Orig-Line: ${line}` : `\n${field}`;
  });
}

/**
 * Without what stands behind the value of a field that frames the body: a tab (RFC 9110, section 5.5), of which llhttp makes no
 * length, and chunks that are none. Empty elements of a list count for nothing, too (RFC 9110, section 5.6.1.2).
 */
function withTightFraming(head: string): string {
  return head.replace(framingField, (field, isList: string | undefined) => {
    const lineEnd = field.endsWith("\r") ? "\r" : "";
    const valueEnd = endWithout(isList === undefined ? "\t " : "\t ,", field, lineEnd.length);
    const behind = field.slice(valueEnd, field.length - lineEnd.length);
    return /[\t,]/.test(behind) ? field.slice(0, valueEnd) + lineEnd : field;
  });
}

/** Where `text`, but for its last `left` units, ends without these characters. */
function endWithout(characters: string, text: string, left: number): number {
  let end = text.length - left;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return end;
}
