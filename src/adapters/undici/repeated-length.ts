/** A field that names the body's length, from the end of the line before it. */
const lengthField = /\n(content-length:)([^\n]*)/gi;

/**
 * The head with one `Content-Length` where it names one and the same length several times, as fields or as a list (RFC 9112,
 * section 6.3, rule 5). What the server sent is kept beside it as `X-Orig-Content-Length`, the name that the archive has
 * for lengths that are not to be read. Lengths that differ stay as they are.
 */
export function withOneLength(head: string): string {
  const length = repeatedLengthOf(head);
  if (length === undefined) return head;
  const firstAt = head.search(lengthField);
  const given = head.slice(firstAt).replaceAll(lengthField, "\nX-Orig-$1$2");
  return `${head.slice(0, firstAt)}\nContent-Length: ${length}\r${given}`;
}

/** The length that the head names more than once, in digits; undefined where it does not, or names others too. */
function repeatedLengthOf(head: string): string | undefined {
  const lengths: (string | undefined)[] = [];
  for (const [, , value = ""] of head.matchAll(lengthField)) {
    for (const part of value.split(",")) lengths.push(/^[\t ]*([0-9]+)[\t ]*\r?$/.exec(part)?.[1]);
  }
  const [first] = lengths;
  if (lengths.length < 2) return undefined;
  return lengths.every((length) => length === first) ? first : undefined;
}
