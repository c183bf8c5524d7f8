import { withOneLength } from "./repeated-length.ts";

/** A line that begins with white space, or a carriage return within one: llhttp takes some of these for the head's end. */
const oddLine = /\n[\t ]|\r[^\n]/;

/** A line of the head that does not begin with a field's name and a colon (RFC 9110, section 5.6.2). */
const namelessLine = /\n(?![\w!#$%&'*+.^`|~-]+:)([^\n]*)/g;

/** A field whose name has white space behind it. */
const spacedField = /^([\w!#$%&'*+.^`|~-]+)[\t ]+(?=:)/;

/**
 * The bytes with which a response begins, with a head that llhttp reads as browsers do: what is no field is passed over,
 * white space behind a field's name is none of it (RFC 9112, section 5.1), and one length that is named several times is
 * one. A line that is no field is kept as the value of `X-Orig-Line`.
 *
 * A head that has not come whole, and one with odd lines, stay as they are: the parser judges them.
 *
 * Invariant: only a head that the parser would refuse gets another meaning, and nothing behind it is changed.
 */
export function withReadableHead(chunk: Buffer): Buffer {
  const end = headEndOf(chunk);
  if (end < 0) return chunk;
  const head = chunk.toString("latin1", 0, end);
  if (oddLine.test(head)) return chunk;
  const readable = withOneLength(withFieldsAlone(head));
  if (readable === head) return chunk;
  return Buffer.concat([Buffer.from(readable, "latin1"), chunk.subarray(end)]);
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
