const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const scratch = new Uint8Array(8_192);
/** A character takes three bytes at most. */
const shortUnits = scratch.length / 3;

/**
 * The same text with bytes of its own. A part that was cut out of a longer text is a view of it, and keeps the whole of
 * it alive for as long as it is held itself. Of a half surrogate pair U+FFFD is left.
 */
export function ownText(text: string): string {
  if (text.length > shortUnits) return decoder.decode(encoder.encode(text));
  const { written } = encoder.encodeInto(text, scratch);
  return decoder.decode(scratch.subarray(0, written));
}
