import { isIP } from "node:net";
import type { JobOptions } from "../../src/core/jobs/job-definition.ts";
import { isJobId, jobIdForm, jobOptionProblem } from "../../src/core/jobs/validate-job-options.ts";
import { formatCount } from "../../src/core/text/human.ts";
import type { ListenAddress } from "./peer-config.ts";

/** What reading a value gave: the value, or what is wrong with it, to be read after its name. */
export type Reading<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/**
 * Reads a value as a flag or the environment (always text) or a file (any JSON) gives it. Never throws: what is wrong
 * is reported together with everything else that is.
 */
export type ValueReader<T> = (raw: unknown) => Reading<T>;

function good<T>(value: T): Reading<T> {
  return { ok: true, value };
}

function bad<T>(expected: string, raw: unknown): Reading<T> {
  return { ok: false, problem: `must be ${expected}, got ${shown(raw)}` };
}

/** A value as the user wrote it, cut to what fits a line. */
export function shown(raw: unknown): string {
  const json = jsonOf(raw);
  return json.length > 80 ? `${json.slice(0, 79)}…` : json;
}

/** A file may nest a value deeper than the stack is: there is nothing to see in that. */
function jsonOf(raw: unknown): string {
  try {
    return JSON.stringify(raw);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return Array.isArray(raw) ? "[…]" : "{…}";
  }
}

/** An option of a job: turned into its type where it came as text, then judged where jobs are. */
export function jobOption<K extends keyof JobOptions>(
  key: K,
  typed: (raw: unknown) => unknown,
): ValueReader<JobOptions[K]> {
  return (raw) => {
    const value = typed(raw);
    const problem = jobOptionProblem(key, value);
    // What has no problem is of the option's type.
    return problem === undefined ? good(value as JobOptions[K]) : { ok: false, problem };
  };
}

/** A job's name, which a file may give as a number; of anything else the text would be a name that nobody chose. */
export const jobName: ValueReader<string> = (raw) => {
  const name = typeof raw === "number" ? String(raw) : raw;
  return isJobId(name) ? good(name) : bad(jobIdForm, raw);
};

/** Text that is a whole number as that number; anything else as it is. */
export function numberOrAsIs(raw: unknown): unknown {
  const text = typeof raw === "string" ? raw.trim().replace(/(?<=\d)[,_](?=\d{3})/g, "") : raw;
  return typeof text === "string" && /^-?\d+$/.test(text) ? Number(text) : raw;
}

/** Text as its words, without the white space between them; anything else as it is. */
export function wordsOrAsIs(raw: unknown): unknown {
  return typeof raw === "string" ? raw.split(/\s+/).filter((part) => part !== "") : raw;
}

/** Bounds of a number, both included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** A whole number within a range. `of`: what it is a number of. */
export function wholeNumber({ min, max }: NumberRange, of = ""): ValueReader<number> {
  return (raw) => {
    const value = numberOrAsIs(raw);
    const sound = typeof value === "number" && Number.isSafeInteger(value);
    return sound && value >= min && value <= max
      ? good(value)
      : bad(`a whole number ${of}from ${formatCount(min)} to ${formatCount(max)}`, value);
  };
}

/** A number within a range, with or without a fraction. */
export function decimalNumber({ min, max }: NumberRange): ValueReader<number> {
  return (raw) => {
    const isText = typeof raw === "string" && /^\d{1,9}(\.\d{1,9})?$/.test(raw.trim());
    const value = isText ? Number(raw) : raw;
    return typeof value === "number" && value >= min && value <= max
      ? good(value)
      : bad(`a number from ${min} to ${max}`, value);
  };
}

const byteUnits: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1_024,
  kb: 1_000,
  kib: 1_024,
  m: 1_024 ** 2,
  mb: 1_000 ** 2,
  mib: 1_024 ** 2,
  g: 1_024 ** 3,
  gb: 1_000 ** 3,
  gib: 1_024 ** 3,
};

/** Sizes as {@link byteCount} reads them, for people. */
export const byteCountExamples = "5000000, 10MB or 10MiB";

/** A number of bytes as {@link byteCount} reads it: `10MiB`. */
export function byteCountText(bytes: number): string {
  const unit = (["GiB", "MiB", "KiB"] as const).find((each) => bytes % sizeOf(each) === 0);
  return unit === undefined ? String(bytes) : `${bytes / sizeOf(unit)}${unit}`;
}

function sizeOf(unit: string): number {
  return byteUnits[unit.toLowerCase()] ?? NaN;
}

/** A number of bytes, with or without a unit. */
export function byteCount({ min, max }: NumberRange): ValueReader<number> {
  const expected = `a size from ${byteCountText(min)} to ${byteCountText(max)}, such as ${byteCountExamples}`;
  return (raw) => {
    const text = typeof raw === "number" ? String(raw) : raw;
    const match =
      typeof text === "string" ? /^(\d{1,15}(?:\.\d{1,3})?)\s*([a-z]*)$/i.exec(text.trim()) : null;
    const value = Math.round(Number(match?.[1]) * sizeOf(match?.[2] ?? ""));
    return value >= min && value <= max ? good(value) : bad(expected, raw);
  };
}

/** One of a few words. */
export function oneOf<const T extends string>(words: readonly T[]): ValueReader<T> {
  const expected = `one of ${words.join(", ")}`;
  return (raw) => {
    const word = words.find((each) => each === raw);
    return word === undefined ? bad(expected, raw) : good(word);
  };
}

/** A switch: a bare flag, or a word for it. */
export const onOrOff: ValueReader<boolean> = (raw) => {
  if (typeof raw === "boolean") return good(raw);
  if (raw === "true" || raw === "1" || raw === "yes" || raw === "on") return good(true);
  if (raw === "false" || raw === "0" || raw === "no" || raw === "off") return good(false);
  return bad("true or false", raw);
};

/** Text that passes a test. */
export function text(expected: string, isSound: (value: string) => boolean): ValueReader<string> {
  return (raw) => (typeof raw === "string" && isSound(raw) ? good(raw) : bad(expected, raw));
}

/** A list: a flag given several times, a JSON array, or words with white space between them. */
export function listOf<T>(item: ValueReader<T>, max: number): ValueReader<readonly T[]> {
  return (raw) => {
    const parts = wordsOrAsIs(raw);
    if (!Array.isArray(parts)) return bad("a list of texts", raw);
    if (parts.length > max) return bad(`a list of at most ${formatCount(max)}`, raw);
    const values: T[] = [];
    for (const part of parts as readonly unknown[]) {
      const reading = item(part);
      if (!reading.ok) return reading;
      values.push(reading.value);
    }
    return good(values);
  };
}

/** `HOST:PORT`, IPv6 addresses in brackets; `example` is one for people. */
export function hostAndPort(portMin: 0 | 1, example: string): ValueReader<ListenAddress> {
  const expected = `HOST:PORT, such as ${example}`;
  return (raw) => {
    const match =
      typeof raw === "string" ? /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(raw) : null;
    const [, host, port] = match ?? [];
    if (host === undefined || port === undefined) return bad(expected, raw);
    if (Number(port) < portMin || Number(port) > 65_535) {
      return bad(`${expected}, with a port from ${portMin} to 65535`, raw);
    }
    return good({ host: host.replace(/^\[|\]$/g, ""), port: Number(port) });
  };
}

/** `ADDRESS:PORT`, where a name would have to be looked up first; `example` is one for people. */
export function addressAndPort(example: string): ValueReader<ListenAddress> {
  const read = hostAndPort(1, example);
  return (raw) => {
    const reading = read(raw);
    return reading.ok && isIP(reading.value.host) !== 0
      ? reading
      : bad(`ADDRESS:PORT, an IP address and no name, such as ${example}`, raw);
  };
}

/** Where a peer listens or is reached: `HOST:PORT`, or a multiaddr over TCP. */
export function peerAddress(portMin: 0 | 1): ValueReader<string> {
  const example = "192.0.2.1:7781";
  const expected = `HOST:PORT, such as ${example}, or a multiaddr, such as /ip4/192.0.2.1/tcp/7781`;
  const readPlain = hostAndPort(portMin, example);
  return (raw) => {
    if (typeof raw !== "string" || raw.length > addressCharactersMax) return bad(expected, raw);
    const isMultiaddr = /^\/(ip4|ip6|dns|dns4|dns6)\/[^/\s]+\/tcp\/\d{1,5}(\/p2p\/\w+)?$/.test(raw);
    return isMultiaddr || readPlain(raw).ok ? good(raw) : bad(expected, raw);
  };
}

/** Longer ones name nothing. */
const addressCharactersMax = 512;

/** A list that may be given bare, which is an empty one. */
export function listOrBare<T>(item: ValueReader<T>, max: number): ValueReader<readonly T[]> {
  const list = listOf(item, max);
  return (raw) => (raw === true || raw === "true" ? good([]) : list(raw));
}
