/** Header fields of a message in the order of the wire: name, value, name, value. */
type Fields = readonly string[];

/** The first field of this lower-case name, if there is one. */
export function headerField(fields: Fields, name: string): string | undefined {
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (isNamed(fields[at], name)) return fields[at + 1];
  }
  return undefined;
}

/** All fields of this lower-case name, in their order. */
export function headerFields(fields: Fields, name: string): readonly string[] {
  return fields.filter((_, at) => at % 2 === 1 && isNamed(fields[at - 1], name));
}

/**
 * The fields of a stored response with those of this lower-case name that a later answer says anew (RFC 9111, section 3.2);
 * what that answer does not say again stays in force.
 */
export function updatedFields(stored: Fields, later: Fields, name: string): Fields {
  const fresh = headerFields(later, name);
  if (fresh.length === 0) return stored;
  const kept = stored.filter((_, at) => !isNamed(stored[at - (at % 2)], name));
  return [...kept, ...fresh.flatMap((value) => [name, value])];
}

function isNamed(field: string | undefined, name: string): boolean {
  return field?.length === name.length && field.toLowerCase() === name;
}
