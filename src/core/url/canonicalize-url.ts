import type { CanonicalUrl } from "../units.ts";

/** Longest URL that a job may admit, in bytes. */
export const admittedUrlBytesMax = 16_384;

/**
 * Longest input looked at, in UTF-16 units: far above what a URL may have, since a reference may lose much of its length
 * (dot segments, a fragment), and low enough that a hostile page cannot buy much work with one attribute.
 */
export const inputUnitsMax = 65_536;

/** Longest name of a host, in characters; in ASCII, where the last form of a name is at most 253, in UTF-16 units. */
const nameCharsMax = 255;
const asciiNameUnitsMax = 2_048;

/** Where a URL names its host, between what the parser passes over and the path. */
const authorityPart = /^[\0- ]*(?:https?:[/\\]*|[/\\]{2,})([^/\\?#]*)/i;

/** What the parser takes out wherever it stands. */
const passedOver = /[\t\n\r]+/g;

const dot = 0x2e;

/** A malformed escape: a percent sign that two hexadecimal digits do not follow. */
const malformedEscape = /%(?![0-9A-Fa-f]{2})/;

/** An escape with a lower-case digit, or of an unreserved character: `- . _ ~`, a letter or a digit. */
const improvableEscape =
  /%(?:[0-9A-Fa-f][a-f]|[a-f][0-9A-F]|2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)/;

const escape = /%[0-9A-Fa-f]{2}/g;
const unreserved = /[A-Za-z0-9\-._~]/;

/** In lower case, not encoded (`xn--`), and no IPv4 address in another form: the last label begins with a letter. */
const plainName = /(?:(?!xn--)[a-z0-9-]+\.)*(?!xn--)[a-z][a-z0-9-]*/.source;

const byte = /(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)/.source;
const plainAddress = `(?:${byte}\\.){3}${byte}`;

/** Neither scheme's own one, and few digits enough to be one. */
const plainPort = /:(?!80\/|443\/)(?:[1-9]\d{0,3}|[1-5]\d{4})/.source;

/** Segments of unreserved characters that do not begin with a dot, and a query that nothing in it asks to escape. */
const plainPath = /\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?(?:\?[\w.~=&;+-]*)?/.source;

/** Absolute URLs that are canonical as they stand, as most are. */
const plainUrl = new RegExp(
  `^https?://(?:${plainName}|${plainAddress})(?:${plainPort})?${plainPath}$`,
);

/** Longer ones take the slow way. */
const plainUnitsMax = 1_024;

/** Whether `input` is canonical at first sight. A URL of which this is not true may be canonical all the same. */
export function isPlainUrl(input: string): input is CanonicalUrl {
  return input.length <= plainUnitsMax && plainUrl.test(input);
}

/**
 * The canonical form of an http(s) URL, resolved against `base`; undefined for anything else, whatever it is.
 *
 * Resolution and normalisation are those of the WHATWG URL Standard (dot segments, default port, IDNA, IPv4 forms,
 * escaping); on top of it the fragment, the user information and the host's trailing dot go, and escapes are
 * normalised by RFC 3986, 6.2.2.1 and 6.2.2.2. Nothing is done that could name another resource, so the form is what
 * is fetched; what merely identifies a page is the business of `dedupeKey`.
 *
 * A URL that is longer than any job may admit counts as none: no row, message or page has to have room for it.
 *
 * Invariant: the result is ASCII, has the form `scheme://host[:port]/...` and at most `admittedUrlBytesMax` characters, and
 * is its own canonical form.
 */
export function canonicalizeUrl(input: string, base?: string): CanonicalUrl | undefined {
  const url = canonicalForm(input, base);
  return url === undefined || url.length > admittedUrlBytesMax ? undefined : url;
}

/** The same of a URL of any length that is looked at: rules of robots.txt hold for all. */
export function canonicalForm(input: string, base?: string): CanonicalUrl | undefined {
  if (input.length > inputUnitsMax) return undefined;
  if (isPlainUrl(input)) return input;
  const parsed = parseUrl(input, base);
  if (parsed === null) return undefined;
  let url = parsed.href;
  const authorityStart = url.startsWith("https://") ? 8 : 7;
  if (authorityStart === 7 && !url.startsWith("http://")) return undefined;

  const fragmentStart = url.indexOf("#");
  if (fragmentStart !== -1) url = url.slice(0, fragmentStart);

  const pathStart = url.indexOf("/", authorityStart);
  const userEnd = url.lastIndexOf("@", pathStart);
  if (userEnd !== -1) url = url.slice(0, authorityStart) + url.slice(userEnd + 1);

  const hostEnd = endOfHost(url, authorityStart);
  if (url.charCodeAt(hostEnd - 1) === dot && isName(url, authorityStart, hostEnd - 1)) {
    url = url.slice(0, hostEnd - 1) + url.slice(hostEnd);
  }
  return (url.includes("%") ? normalizeEscapes(url) : url) as CanonicalUrl;
}

/**
 * As `URL.parse`, but nothing for a host whose name is too long to be one: to encode a name takes time in proportion to the
 * square of its length, some 100 ms for 5,000 characters.
 */
export function parseUrl(input: string, base?: string): URL | null {
  if (input.length > nameCharsMax && hasImpossibleName(input)) return null;
  return URL.parse(input, base);
}

function hasImpossibleName(input: string): boolean {
  const [, authority = ""] = authorityPart.exec(input.replace(passedOver, "")) ?? [];
  const name = authority.slice(authority.lastIndexOf("@") + 1);
  if (name.length > asciiNameUnitsMax) return true;
  return (
    name.length > nameCharsMax && /[^\0-\x7f]/.test(name) && Array.from(name).length > nameCharsMax
  );
}

/** The colons inside an IPv6 literal may be taken for the port's here: no dot stands before them. */
function endOfHost(url: string, authorityStart: number): number {
  const pathStart = url.indexOf("/", authorityStart);
  const portStart = url.lastIndexOf(":", pathStart);
  return portStart > authorityStart ? portStart : pathStart;
}

/** Whether something other than an empty label stands before a trailing dot: `.` and `a..` stay what they are. */
function isName(url: string, start: number, end: number): boolean {
  return end > start && url.charCodeAt(end - 1) !== dot;
}

/**
 * A URL with a malformed escape keeps what it escapes: in `%%341`, decoding would make a new escape of the old
 * percent sign.
 */
function normalizeEscapes(url: string): string {
  if (!improvableEscape.test(url)) return url;
  const decodes = !malformedEscape.test(url);
  return url.replace(escape, (triplet) => {
    const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return decodes && unreserved.test(character) ? character : triplet.toUpperCase();
  });
}
