import type { RawHeaders } from "../../ports/fetcher.ts";

/** The first field of this lower-case name, if there is one. */
export function headerField(headers: RawHeaders, name: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === name) return headers[at + 1];
  }
  return undefined;
}

/** All fields of this lower-case name, in their order. */
export function headerFields(headers: RawHeaders, name: string): readonly string[] {
  return headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name);
}
