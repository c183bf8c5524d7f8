/** A field that names the body's length, from the end of the line before it. */
const lengthField = /\n(content-length:)([^\n]*)/gi;

/** A line that begins with white space, or a carriage return within one: llhttp takes some of these for the head's end. */
const oddLine = /\n[\t ]|\r[^\n]/;

/**
 * The bytes with which a response begins, with one `Content-Length` where its head names one and the same length several
 * times, as fields or as a list (RFC 9112, section 6.3, rule 5). What the server sent is kept beside it as
 * `X-Orig-Content-Length`, the name that the archive has for lengths that are not to be read.
 *
 * A head that has not come whole, one with odd lines, and lengths that differ stay as they are: the parser judges them.
 *
 * Invariant: only a head that the parser would refuse is changed, and nothing behind it.
 */
export function withOneLength(chunk: Buffer): Buffer {
  const end = headEndOf(chunk);
  if (end < 0) return chunk;
  const head = chunk.toString("latin1", 0, end);
  const length = repeatedLengthOf(head);
  if (length === undefined) return chunk;
  const firstAt = head.search(lengthField);
  const given = head.slice(firstAt).replaceAll(lengthField, "\nX-Orig-$1$2");
  const changed = `${head.slice(0, firstAt)}\nContent-Length: ${length}\r${given}`;
  return Buffer.concat([Buffer.from(changed, "latin1"), chunk.subarray(end)]);
}

/** Where the line feed before the head's empty line is; -1 where no head begins here, or none that ends. */
function headEndOf(chunk: Buffer): number {
  if (chunk.toString("latin1", 0, 5) !== "HTTP/") return -1;
  const end = chunk.indexOf("\n\r\n");
  // Lines may end with a line feed alone, and then the head is over sooner.
  const soonerEnd = (end < 0 ? chunk : chunk.subarray(0, end + 1)).indexOf("\n\n");
  return soonerEnd < 0 ? end : soonerEnd;
}

/** The length that the head names more than once, in digits; undefined where it does not, or names others too. */
function repeatedLengthOf(head: string): string | undefined {
  const lengths: (string | undefined)[] = [];
  for (const [, , value = ""] of head.matchAll(lengthField)) {
    for (const part of value.split(",")) lengths.push(/^[\t ]*([0-9]+)[\t ]*\r?$/.exec(part)?.[1]);
  }
  const [first] = lengths;
  if (lengths.length < 2 || oddLine.test(head)) return undefined;
  return lengths.every((length) => length === first) ? first : undefined;
}
