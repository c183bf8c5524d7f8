import type { WholeRange } from "../../src/adapters/http-api/job-options-schema.ts";
import { formatCount } from "../text/human.ts";
import type { ListenAddress } from "./peer-config.ts";

/** What reading a value gave: the value, or what was expected instead. */
export type Reading<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly expected: string };

/**
 * Reads a value as a flag or the environment (always text) or a file (any JSON) gives it. Never throws: what is wrong
 * is reported together with everything else that is.
 */
export type ValueReader<T> = (raw: unknown) => Reading<T>;

function good<T>(value: T): Reading<T> {
  return { ok: true, value };
}

function bad<T>(expected: string): Reading<T> {
  return { ok: false, expected };
}

/** A whole number within a range. */
export function wholeNumber({ min, max }: WholeRange): ValueReader<number> {
  const expected = `a whole number from ${formatCount(min)} to ${formatCount(max)}`;
  return (raw) => {
    const text = typeof raw === "string" ? raw.trim().replace(/(?<=\d)[,_](?=\d{3})/g, "") : raw;
    const value = typeof text === "string" && /^-?\d+$/.test(text) ? Number(text) : text;
    if (typeof value !== "number" || !Number.isSafeInteger(value)) return bad(expected);
    return value < min || value > max ? bad(expected) : good(value);
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

/** A number of bytes, with or without a unit. */
export function byteCount({ min, max }: WholeRange): ValueReader<number> {
  const expected = `a size from ${formatCount(min)} to ${formatCount(max)} bytes, such as 500000 or 10MiB`;
  return (raw) => {
    const text = typeof raw === "number" ? String(raw) : raw;
    const match =
      typeof text === "string" ? /^(\d{1,15}(?:\.\d{1,3})?)\s*([a-z]*)$/i.exec(text.trim()) : null;
    const unit = byteUnits[match?.[2]?.toLowerCase() ?? ""];
    const value = unit === undefined ? NaN : Math.round(Number(match?.[1]) * unit);
    return value >= min && value <= max ? good(value) : bad(expected);
  };
}

/** One of a few words. */
export function oneOf<const T extends string>(words: readonly T[]): ValueReader<T> {
  const expected = `one of ${words.join(", ")}`;
  return (raw) => {
    const word = words.find((each) => each === raw);
    return word === undefined ? bad(expected) : good(word);
  };
}

/** A switch: a bare flag, or a word for it. */
export const onOrOff: ValueReader<boolean> = (raw) => {
  if (typeof raw === "boolean") return good(raw);
  if (raw === "true" || raw === "1" || raw === "yes" || raw === "on") return good(true);
  if (raw === "false" || raw === "0" || raw === "no" || raw === "off") return good(false);
  return bad("true or false");
};

/** Text that passes a test. */
export function text(expected: string, isSound: (value: string) => boolean): ValueReader<string> {
  return (raw) => (typeof raw === "string" && isSound(raw) ? good(raw) : bad(expected));
}

/** A list: a flag given several times, a JSON array, or words with white space between them. */
export function listOf<T>(item: ValueReader<T>, max: number): ValueReader<readonly T[]> {
  return (raw) => {
    const parts: readonly unknown[] =
      typeof raw === "string" ? raw.split(/\s+/).filter((part) => part !== "") : asArray(raw);
    if (!Array.isArray(raw) && typeof raw !== "string") return bad("a list of texts");
    if (parts.length > max) return bad(`at most ${formatCount(max)} entries`);
    const values: T[] = [];
    for (const part of parts) {
      const reading = item(part);
      if (!reading.ok) return bad(`${reading.expected} (wrong is ${JSON.stringify(part)})`);
      values.push(reading.value);
    }
    return good(values);
  };
}

function asArray(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? (raw as readonly unknown[]) : [];
}

/** A regular expression. */
export function pattern(charactersMax: number): ValueReader<string> {
  return text(
    `regular expressions of at most ${formatCount(charactersMax)} characters`,
    (source) => {
      if (source === "" || source.length > charactersMax) return false;
      try {
        new RegExp(source, "u");
        return true;
      } catch {
        return false;
      }
    },
  );
}

/** `HOST:PORT`, IPv6 addresses in brackets. */
export function hostAndPort(portMin: 0 | 1): ValueReader<ListenAddress> {
  const expected = "HOST:PORT, such as 127.0.0.1:7780";
  return (raw) => {
    const match =
      typeof raw === "string" ? /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(raw) : null;
    const [, host, port] = match ?? [];
    if (host === undefined || port === undefined) return bad(expected);
    if (Number(port) < portMin || Number(port) > 65_535) {
      return bad(`${expected}, with a port from ${portMin} to 65535`);
    }
    return good({ host: host.replace(/^\[|\]$/g, ""), port: Number(port) });
  };
}
