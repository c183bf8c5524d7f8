import type { CanonicalUrl } from "../units.ts";
import {
  admittedUrlBytesMax,
  canonicalizeUrl,
  inputUnitsMax,
  parseUrl,
} from "../url/canonicalize-url.ts";
import { pathStartOf } from "../url/site-of.ts";
import type { EncodingName } from "./encoding-label.ts";
import { type EncodingTables, QueryEncoder } from "./query-encoder.ts";

/**
 * References that need no parser: from the root, this directory or an upper one, segments of unreserved characters that do
 * not begin with a dot, and a query that nothing in it asks to escape. Most links of most pages are such.
 */
const plainReference =
  /^(\/|\.\/|(?:\.\.\/)*)((?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?(?:\?[\w.~=&;+-]*)?)$/;

/** Longer ones take the slow way, which has the bounds. */
const plainUnitsMax = 1_024;

/** Resolves the links of one document. */
export class LinkResolver {
  readonly #base: string | undefined;
  readonly #encoder: QueryEncoder;
  /** Whether the base is canonical and has no escapes, so that what it begins with is canonical, too. */
  readonly #plainBase: boolean;
  /** Canonical URLs of `/`, of the base's directory, and of those above it; each ends in a slash. */
  readonly #directories = new Map<string, CanonicalUrl | undefined>();

  /** `base` as `URL.href` gives it; nothing where the document has none, so that only absolute links resolve. */
  constructor(base: string | undefined, charset: EncodingName, tables: EncodingTables) {
    this.#base = base;
    this.#encoder = new QueryEncoder(charset, tables);
    this.#plainBase = base !== undefined && !base.includes("%") && canonicalizeUrl(base) === base;
  }

  /** Length of the base. */
  get baseUnits(): number {
    return this.#base?.length ?? 0;
  }

  /**
   * Canonical http(s) URL that `reference` (without fragment) means; nothing for any other. A query is escaped in the
   * document's encoding, as servers of such pages expect (URL Standard, section 4.4, query state).
   */
  resolve(reference: string): CanonicalUrl | undefined {
    const plain = this.#resolvePlain(reference);
    // Behind a long base a short reference is a URL that is too long, and the slow way has the bound.
    const isFit = plain !== undefined && plain.length <= admittedUrlBytesMax;
    return isFit ? plain : this.#resolveAny(reference);
  }

  /** The URL that `reference` means, whatever its scheme, as `URL.href` gives it. */
  resolveUrl(reference: string): string | undefined {
    return parseUrl(this.#encoded(reference), this.#base)?.href;
  }

  #resolvePlain(reference: string): CanonicalUrl | undefined {
    if (reference.length > plainUnitsMax) return undefined;
    const [, start, rest] = plainReference.exec(reference) ?? [];
    if (start === undefined || rest === undefined) return undefined;
    if (start === "" && (rest === "" || rest.startsWith("?"))) {
      // Without a path, what follows belongs to the base's own path and not to its directory.
      return this.#plainBase ? this.#plainPage(rest) : undefined;
    }
    const directory = this.#directory(start);
    return directory && ((directory + rest) as CanonicalUrl);
  }

  /** `start` is empty, `/`, `./`, or `../` some times: at most a few hundred, by the length of a plain reference. */
  #directory(start: string): CanonicalUrl | undefined {
    if (!this.#directories.has(start)) {
      const directory = this.#plainBase
        ? this.#plainDirectory(start)
        : canonicalizeUrl(start === "" ? "./" : start, this.#base);
      this.#directories.set(start, directory);
    }
    return this.#directories.get(start);
  }

  /** The part of a plain base that `start` leaves; above the root is the root. */
  #plainDirectory(start: string): CanonicalUrl {
    const base = this.#base as CanonicalUrl;
    const root = pathStartOf(base);
    if (start === "/") return base.slice(0, root + 1) as CanonicalUrl;
    const query = base.indexOf("?", root);
    let end = base.lastIndexOf("/", query < 0 ? base.length : query);
    for (let ups = start === "./" ? 0 : start.length / "../".length; ups > 0 && end > root; ups--) {
      end = base.lastIndexOf("/", end - 1);
    }
    return base.slice(0, end + 1) as CanonicalUrl;
  }

  /** The base itself, with another query where there is one. */
  #plainPage(query: string): CanonicalUrl {
    const base = this.#base as CanonicalUrl;
    return (query === "" ? base : base.replace(/\?.*/, "") + query) as CanonicalUrl;
  }

  #resolveAny(reference: string): CanonicalUrl | undefined {
    return canonicalizeUrl(this.#encoded(reference), this.#base);
  }

  /** What is too long to be looked at stays as it is: to encode it would take a second for each megabyte. */
  #encoded(reference: string): string {
    return reference.length > inputUnitsMax ? reference : this.#encoder.encodeQuery(reference);
  }
}
