import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

import type { Hit } from "../sample-web/hit-log.ts";

/** The fields that every hit has and their types, to be checked on reading. */
const fields: Readonly<Record<keyof Omit<Hit, "client">, "boolean" | "number" | "string">> = {
  arrivedAtMs: "number",
  finishedAtMs: "number",
  host: "string",
  address: "string",
  method: "string",
  path: "string",
  status: "number",
  bytes: "number",
  userAgent: "string",
  complete: "boolean",
};

/**
 * Hits of an NDJSON log, one after the other.
 *
 * A last line without its end is left out (a server that was killed); any other line that is no hit is an error, so
 * that a damaged log never passes for a short one.
 */
export async function* readHitLog(file: string): AsyncGenerator<Hit> {
  const strings = new Map<string, string>();
  // Hosts, addresses and agents come again and again: one copy of each is enough.
  const shared = (text: string): string => {
    const known = strings.get(text);
    if (known === undefined) strings.set(text, text);
    return known ?? text;
  };
  let held: string | undefined;
  let number = 0;
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  for await (const line of lines) {
    if (held !== undefined) {
      const hit = parseHit(held);
      if (hit === undefined) throw new RangeError(`${file}, line ${number}: not a hit`);
      const { host, address, client, userAgent } = hit;
      yield {
        ...hit,
        host: shared(host),
        address: shared(address),
        ...(client !== undefined && { client: shared(client) }),
        userAgent: shared(userAgent),
      };
    }
    held = line;
    number += 1;
  }
  const last = held === undefined ? undefined : parseHit(held);
  if (last !== undefined) yield last;
}

function parseHit(line: string): Hit | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isHit(value) ? value : undefined;
}

function isHit(value: unknown): value is Hit {
  if (typeof value !== "object" || value === null) return false;
  const given = new Map<string, unknown>(Object.entries(value));
  const client = given.get("client");
  if (client !== undefined && typeof client !== "string") return false;
  return Object.entries(fields).every(([name, type]) => typeof given.get(name) === type);
}
