import type { Millis } from "../units.ts";

/** Longer values are no delay and no date. */
const VALUE_CHARS_MAX = 64;
/** RFC 9111, section 1.2.2: what stands for a number of seconds too large to count. */
const SECONDS_MAX = 2 ** 31;
/** RFC 9110, section 5.6.7: a two-digit year more than 50 years ahead is one of the past. */
const YEARS_AHEAD_MAX = 50;

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const time = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
/**
 * The three forms of RFC 9110, section 5.6.7: IMF-fixdate, RFC 850, asctime. The first as those of mail have it, too, which many
 * programs take it for: a day of one digit, and other names of the same zone.
 */
const dateForms = [
  String.raw`^[a-z]{3}, (?<day>\d\d?) (?<month>[a-z]{3}) (?<year>\d{4}) ${time} (?:gmt|utc?|[+-]0000)$`,
  String.raw`^[a-z]{6,9}, (?<day>\d\d)-(?<month>[a-z]{3})-(?<year>\d\d) ${time} gmt$`,
  String.raw`^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]\d) ${time} (?<year>\d{4})$`,
].map((form) => new RegExp(form, "i"));

/** Between values that a proxy has joined to one, and not behind the day of a date. */
const separator = /,(?! *\d\d?[ -][a-z])/i;

/**
 * How long a Retry-After field (RFC 9110, section 10.2.3) asks to wait from `nowMs` on, or `undefined` where it makes no
 * sense. Parts of a second, which some programs send, are rounded up. A date in the past is 0. A date is one of the server's
 * clock, which the response's Date field `sent` tells where there is one: by ours, it could be over when it comes. Of several
 * values, which RFC 9110, section 5.3, has no use for, the longest counts.
 *
 * Invariant: the result is never negative, and finite.
 */
export function parseRetryAfter(field: string, nowMs: Millis, sent?: string): Millis | undefined {
  let longestMs: Millis | undefined;
  for (const value of field.split(separator)) {
    const waitMs = waitOf(value.trim(), nowMs, sent);
    if (waitMs !== undefined) longestMs = Math.max(longestMs ?? 0, waitMs);
  }
  return longestMs;
}

function waitOf(text: string, nowMs: Millis, sent: string | undefined): Millis | undefined {
  if (text.length <= VALUE_CHARS_MAX && /^\d+(?:\.\d*)?$/.test(text)) {
    return Math.min(Math.ceil(Number(text)), SECONDS_MAX) * 1_000;
  }
  const dateMs = parseHttpDate(text, nowMs);
  if (dateMs === undefined) return undefined;
  const sentAtMs = sent === undefined ? undefined : parseHttpDate(sent.trim(), nowMs);
  return Math.max(0, dateMs - (sentAtMs ?? nowMs));
}

function parseHttpDate(text: string, nowMs: Millis): Millis | undefined {
  if (text.length > VALUE_CHARS_MAX) return undefined;
  for (const form of dateForms) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return momentOf(parts, nowMs);
  }
  return undefined;
}

function momentOf(
  parts: Readonly<Record<string, string | undefined>>,
  nowMs: Millis,
): Millis | undefined {
  const month = months.indexOf((parts["month"] ?? "").toLowerCase());
  const day = Number(parts["day"]);
  const [hour, minute, second] = [parts["hour"], parts["minute"], parts["second"]].map(Number);
  if (month < 0 || day < 1 || day > 31) return undefined;
  // A leap second is 60.
  if (!within(hour, 23) || !within(minute, 59) || !within(second, 60)) return undefined;
  const year = fullYear(parts["year"] ?? "", nowMs);
  return Date.UTC(year, month, day, hour, minute, second);
}

function within(value: number | undefined, max: number): value is number {
  return value !== undefined && value <= max;
}

function fullYear(digits: string, nowMs: Millis): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + YEARS_AHEAD_MAX ? year - 100 : year;
}
