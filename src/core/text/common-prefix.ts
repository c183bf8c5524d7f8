/** Characters that two texts share at their beginning; none of them is half of a surrogate pair. */
export function commonPrefix(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let length = 0;
  while (length < end && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return isHighSurrogate(one.charCodeAt(length - 1)) ? length - 1 : length;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
