import type { RawHeaders } from "../../ports/fetcher.ts";

/** The first field of this lower-case name, if there is one. */
export function headerField(headers: RawHeaders, name: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === name) return headers[at + 1];
  }
  return undefined;
}

/**
 * The fields of a stored response with those of this lower-case name that a later answer says anew (RFC 9111, section 3.2);
 * what that answer does not say again stays in force.
 */
export function updatedFields(stored: RawHeaders, later: RawHeaders, name: string): RawHeaders {
  const fresh = headerFields(later, name);
  if (fresh.length === 0) return stored;
  const kept = stored.filter((_, at) => stored[at - (at % 2)]?.toLowerCase() !== name);
  return [...kept, ...fresh.flatMap((value) => [name, value])];
}

/** All fields of this lower-case name, in their order. */
export function headerFields(headers: RawHeaders, name: string): readonly string[] {
  return headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name);
}
