/** The bytes as characters of ISO-8859-1, which a `TextDecoder` of that name does not give: it reads windows-1252. */
export function latin1Text(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}
