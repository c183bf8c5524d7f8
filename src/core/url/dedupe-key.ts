import { isQueryNoise, withoutSessionPathParameters } from "./query-noise.ts";

export interface DedupeKeyOptions {
  /** False: the key is the URL itself. @default true */
  readonly normalizeQuery?: boolean;
}

/** One `name=value` of a query, as written. */
interface Parameter {
  readonly name: string;
  readonly text: string;
}

/**
 * What two canonical URLs have in common when they are taken for one page: the URL without session ids and tracking
 * parameters, and with its query parameters ordered by name.
 *
 * Parameters of one name keep their order, because servers read it. The key is for comparing, the URL for fetching: a
 * server may well insist on an order.
 *
 * Invariant: the key of a key is the key.
 */
export function dedupeKey(url: string, options?: DedupeKeyOptions): string {
  if (options?.normalizeQuery === false) return url;
  const queryStart = url.indexOf("?");
  if (queryStart === -1) return url.includes(";") ? withoutSessionPathParameters(url) : url;

  const head = url.slice(0, queryStart);
  const path = head.includes(";") ? withoutSessionPathParameters(head) : head;
  const query = normalizeQuery(url.slice(queryStart + 1));
  return query === "" ? path : `${path}?${query}`;
}

function normalizeQuery(query: string): string {
  const parameters: Parameter[] = [];
  for (const text of query.split("&")) {
    if (text === "") continue;
    const equals = text.indexOf("=");
    const name = equals === -1 ? text : text.slice(0, equals);
    const value = equals === -1 ? "" : text.slice(equals + 1);
    if (!isQueryNoise(name, value)) parameters.push({ name, text });
  }
  return parameters
    .sort(byName)
    .map(({ text }) => text)
    .join("&");
}

function byName(left: Parameter, right: Parameter): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}
