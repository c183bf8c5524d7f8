/**
 * A key as a value that maps and sets compare by content: one character for each byte.
 *
 * It is made for every row that is written: spread arguments would take four times as long.
 */
export function idOf(key: Uint8Array): string {
  return Reflect.apply(String.fromCharCode, undefined, key) as string;
}
