/**
 * Signs that a URL belongs to an endless part of a site, read from its path and query alone. `start` is where the path
 * of the canonical URL starts.
 */

/**
 * Years that a calendar's page may show. The first is about that of the oldest web page; the last leaves room for plans. Both
 * are fixed, because peers must judge alike and `core` has no clock; a release moves them on.
 */
export const calendarYears = Object.freeze({ first: 1990, last: 2035 });

/** Four digits that may be a year, which few URLs have: asked first. */
const anyYear = /[12]\d{3}/;

/** A word by which a URL calls itself the page of a calendar, in its path or in its query. */
const calendarWord =
  /(?:^|[^a-z])(?:i?cal(?:date|day|month|year)?|calendar|calendario|calendrier|kalender|events?|agenda|schedule)(?![a-z])/i;

/** A word by which `2040/1` in a path is a month, and not, say, the first part of number 2040. */
const dateWord = /(?:^|[^a-z])(?:year|month|week|day|date)(?![a-z])/i;

/** A year and a month in a path with one of these words. */
const calendarMonth = /(?<!\d)(1[6-9]\d\d|2\d{3})[-/_.](?:0?[1-9]|1[0-2])(?!\d)/g;

/** Elsewhere: a full date, as a path (`/2040/01/31`) or as one word (`2040-01` or `2040-01-31`). */
const fullDate =
  /\/([12]\d{3})\/(?:0[1-9]|1[0-2])\/(?:0[1-9]|[12]\d|3[01])(?=[/?]|$)|(?<![\w-])([12]\d{3})-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?![\w-])/g;

/** The value of a query parameter that says a day or a month. */
const dateValue =
  /^([12]\d{3})(?:-(?:0?[1-9]|1[0-2])(?:-[0-3]?\d)?|(?:0[1-9]|1[0-2])(?:[0-3]\d)?)(?!\d)/;
const dateName = nameOf("date|day|month|week|cal|calendar");

/** Year and month as two parameters; a year alone may be that of a film. */
const yearValue = /^[12]\d{3}$/;
const yearName = nameOf("year|yr");
const monthName = nameOf("month|mon|week|day");

/** A parameter with one of these words, alone or beside another that calendars use: a candidate and a layer have none. */
function nameOf(words: string): RegExp {
  const before = "^|[^a-z]|cal|start|end|from|to|event|show|view";
  return new RegExp(`(?:${before})(?:${words})s?(?![a-z])`, "i");
}

/** Segments of the path, empty ones included, but not the one after a final slash. */
export function pathSegmentCount(url: string, start: number): number {
  const end = pathEnd(url, start);
  let count = 0;
  for (let at = start; at !== -1 && at < end - 1; at = url.indexOf("/", at + 1)) count++;
  return count;
}

/**
 * Whether a segment occurs more than `occurrencesMax` times, or a run of two and more segments `occurrencesMax` times in
 * a row (at least twice): `/a/b/a/b/a/b` is what a relative link does on a page that answers to every path, while a
 * single word comes again in honest paths too.
 *
 * Quadratic in the segments, which `pathSegmentsMax` bounds.
 */
export function hasRepeatedSegments(url: string, start: number, occurrencesMax: number): boolean {
  const segments = url.slice(start + 1, pathEnd(url, start)).split("/");
  if (segments.at(-1) === "") segments.pop();
  const occurrences = new Map<string, number>();
  for (const segment of segments) {
    const count = (occurrences.get(segment) ?? 0) + 1;
    if (count > occurrencesMax) return true;
    occurrences.set(segment, count);
  }
  return hasRunInARow(segments, Math.max(occurrencesMax, 2));
}

/** A run of length n comes k times in a row where n * (k - 1) segments in a row equal the ones n places on. */
function hasRunInARow(segments: readonly string[], times: number): boolean {
  for (let length = 2; length * times <= segments.length; length++) {
    let equalInARow = 0;
    for (let at = 0; at + length < segments.length; at++) {
      equalInARow = segments[at] === segments[at + length] ? equalInARow + 1 : 0;
      if (equalInARow === length * (times - 1)) return true;
    }
  }
  return false;
}

/**
 * Whether the URL looks like the page of a calendar far from the present, where "next month" leads on for ever.
 *
 * The past counts only where the URL calls itself a calendar: what was printed centuries ago is dated by the day, too, and an
 * archive asks for it as others ask for the month of a calendar. One that steps back without that name is bounded by its
 * depth, and by the query strings of its path.
 */
export function isFarCalendarPage(url: string, start: number): boolean {
  const text = url.slice(start);
  if (!anyYear.test(text)) return false;
  for (const [, inPath, inWord] of text.matchAll(fullDate)) {
    if (Number(inPath ?? inWord) > calendarYears.last) return true;
  }
  const isFar = calendarWord.test(text) ? isFarFromNow : isFarAhead;
  const end = pathEnd(text, 0);
  return isFarInPath(text.slice(0, end), isFar) || isFarInQuery(text.slice(end + 1), isFar);
}

function isFarInPath(path: string, isFar: (year: string) => boolean): boolean {
  if (!calendarWord.test(path) && !dateWord.test(path)) return false;
  for (const [, year = ""] of path.matchAll(calendarMonth)) {
    if (isFar(year)) return true;
  }
  return false;
}

function isFarInQuery(query: string, isFar: (year: string) => boolean): boolean {
  let farYear = false;
  let hasMonth = false;
  for (const parameter of query.split("&")) {
    const [name = "", value = ""] = parameter.split("=", 2);
    const year = dateName.test(name) ? dateValue.exec(value)?.[1] : undefined;
    if (year !== undefined && isFar(year)) return true;
    farYear ||= yearName.test(name) && yearValue.test(value) && isFar(value);
    hasMonth ||= monthName.test(name);
  }
  return farYear && hasMonth;
}

function isFarAhead(year: string): boolean {
  return Number(year) > calendarYears.last;
}

function isFarFromNow(year: string): boolean {
  return isFarAhead(year) || Number(year) < calendarYears.first;
}

function pathEnd(url: string, start: number): number {
  const queryStart = url.indexOf("?", start);
  return queryStart === -1 ? url.length : queryStart;
}
