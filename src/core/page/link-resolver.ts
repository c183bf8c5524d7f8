import type { CanonicalUrl } from "../units.ts";
import { canonicalizeUrl } from "../url/canonicalize-url.ts";
import type { EncodingName } from "./encoding-label.ts";
import { type EncodingTables, QueryEncoder } from "./query-encoder.ts";

/**
 * References that need no parser: from the root or from this or an upper directory, segments of unreserved characters
 * that do not begin with a dot, and a query that nothing in it asks to escape. Most links of most pages are such.
 */
const plainReference =
  /^(\/|(?:\.\.\/)*)((?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?(?:\?[\w.~=&;+-]*)?)$/;

/** Longer ones take the slow way, which has the bounds. */
const plainUnitsMax = 1_024;

/** Resolves the links of one document. */
export class LinkResolver {
  readonly #base: string | undefined;
  readonly #encoder: QueryEncoder;
  /** Canonical URLs of `/`, of the base's directory, and of those above it; each ends in a slash. */
  readonly #directories = new Map<string, CanonicalUrl | undefined>();

  /** `base` as `URL.href` gives it; nothing where the document has none, so that only absolute links resolve. */
  constructor(base: string | undefined, charset: EncodingName, tables: EncodingTables) {
    this.#base = base;
    this.#encoder = new QueryEncoder(charset, tables);
  }

  /**
   * Canonical http(s) URL that `reference` (without fragment) means; nothing for any other. A query is escaped in the
   * document's encoding, as servers of such pages expect (URL Standard, section 4.4, query state).
   */
  resolve(reference: string): CanonicalUrl | undefined {
    return this.#resolvePlain(reference) ?? this.#resolveAny(reference);
  }

  /** The URL that `reference` means, whatever its scheme, as `URL.href` gives it. */
  resolveUrl(reference: string): string | undefined {
    return URL.parse(this.#encoder.encodeQuery(reference), this.#base)?.href;
  }

  #resolvePlain(reference: string): CanonicalUrl | undefined {
    if (reference.length > plainUnitsMax) return undefined;
    const [, start, rest] = plainReference.exec(reference) ?? [];
    if (start === undefined || rest === undefined) return undefined;
    // Without a path, what follows belongs to the base's own path and not to its directory.
    if (start === "" && (rest === "" || rest.startsWith("?"))) return undefined;
    const directory = this.#directory(start);
    return directory && ((directory + rest) as CanonicalUrl);
  }

  /** `start` is empty, `/`, or `../` some times: at most a few hundred, by the length of a plain reference. */
  #directory(start: string): CanonicalUrl | undefined {
    if (!this.#directories.has(start)) {
      const directory = canonicalizeUrl(start === "" ? "./" : start, this.#base);
      this.#directories.set(start, directory);
    }
    return this.#directories.get(start);
  }

  #resolveAny(reference: string): CanonicalUrl | undefined {
    return canonicalizeUrl(this.#encoder.encodeQuery(reference), this.#base);
  }
}
