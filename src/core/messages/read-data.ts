/**
 * Readers of plain data from outside: each returns what it was given, typed and without anything else that was there, or
 * nothing when it is not of its kind.
 */
export type Read<T> = (data: unknown) => T | undefined;

type Readers<T> = { readonly [Name in keyof T]-?: Read<T[Name]> };

type Guards<T> = { readonly [Name in keyof T]-?: (data: unknown) => data is T[Name] };

/**
 * An object with all of these fields, and perhaps some of those.
 *
 * @param words fields that tell one word of a list to which later versions add, and may be missing: a word that is not known
 *   here is left out, and what the object tells besides holds
 */
export function objectOf<T extends object, U extends object = object, V extends object = object>(
  required: Readers<T>,
  optional: Readers<U> = {} as Readers<U>,
  words: Guards<V> = {} as Guards<V>,
): Read<T & Partial<U> & Partial<V>> {
  const mandatory = Object.entries<Read<unknown>>(required);
  const others = Object.entries<Read<unknown>>(optional);
  const guards = Object.entries<(data: unknown) => boolean>(words);
  return (data) => {
    if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
    const fields = data as Readonly<Record<string, unknown>>;
    const result: Record<string, unknown> = {};
    for (const [name, read] of mandatory) {
      const value = read(fields[name]);
      if (value === undefined) return undefined;
      result[name] = value;
    }
    for (const [name, read] of others) {
      if (fields[name] === undefined) continue;
      const value = read(fields[name]);
      if (value === undefined) return undefined;
      result[name] = value;
    }
    for (const [name, isKnown] of guards) {
      const word = fields[name];
      if (word !== undefined && !isWord(word)) return undefined;
      if (isKnown(word)) result[name] = word;
    }
    return result as T & Partial<U> & Partial<V>;
  };
}

/** At most `itemsMax` of a kind. */
export function listOf<T>(read: Read<T>, itemsMax: number): Read<readonly T[]> {
  return (data) => {
    if (!Array.isArray(data) || data.length > itemsMax) return undefined;
    const items: T[] = [];
    for (const one of data as readonly unknown[]) {
      const item = read(one);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  };
}

/** Values by name, at most `namesMax`. */
export function mapOf<Name extends string, T>(
  isName: (name: string) => name is Name,
  read: Read<T>,
  namesMax: number,
): Read<Record<Name, T>> {
  return (data) => {
    if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
    const entries = Object.entries(data);
    if (entries.length > namesMax) return undefined;
    const result = {} as Record<Name, T>;
    for (const [name, one] of entries) {
      const value = read(one);
      if (!isName(name) || value === undefined) return undefined;
      result[name] = value;
    }
    return result;
  };
}

/** A text of at most so many UTF-16 units, of a form where one is given. */
export function textOf(charactersMax: number, form?: RegExp): Read<string> {
  return (data) =>
    typeof data === "string" && data.length <= charactersMax && (form?.test(data) ?? true)
      ? data
      : undefined;
}

/** What a type guard lets through. */
export function valueOf<T>(isOne: (data: unknown) => data is T): Read<T> {
  return (data) => (isOne(data) ? data : undefined);
}

export function oneOf<const T>(values: readonly T[]): Read<T> {
  return (data) => values.find((value) => value === data);
}

/** The form of reasons and their like. */
export function isWord(data: unknown): data is string {
  return typeof data === "string" && /^[a-z-]{1,64}$/.test(data);
}

/** A whole number from 0 on. */
export const readCount: Read<number> = (data) =>
  typeof data === "number" && Number.isSafeInteger(data) && data >= 0 ? data : undefined;

/** Any number from 0 on. */
export const readAmount: Read<number> = (data) =>
  typeof data === "number" && Number.isFinite(data) && data >= 0 ? data : undefined;

export const readFlag: Read<boolean> = (data) => (typeof data === "boolean" ? data : undefined);

/** A mark that is there or not. */
export const readMark: Read<true> = (data) => (data === true ? true : undefined);
