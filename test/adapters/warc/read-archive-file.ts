import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { WARCParser } from "warcio";
import { payloadDigestText } from "../../../src/core/archive/payload-digest.ts";

/** A record as another WARC implementation sees it. */
export interface SeenRecord {
  readonly type: string;
  readonly url: string | null;
  readonly offset: number;
  readonly length: number;
  readonly digest: string | null;
  /** Digest of the payload that was read. */
  readonly actualDigest: string;
  readonly payload: string;
  readonly header: (name: string) => string | null;
}

/** Reads a whole file with `warcio`. */
export async function readRecords(path: string): Promise<SeenRecord[]> {
  const parser = new WARCParser([new Uint8Array(await readFile(path))]);
  const records: SeenRecord[] = [];
  for await (const record of parser) {
    const payload = await record.readFully(false);
    const headers = new Headers([...record.warcHeaders.headers]);
    records.push({
      type: record.warcType,
      url: record.warcTargetURI ?? null,
      offset: parser.offset,
      length: parser.recordLength,
      digest: record.warcPayloadDigest ?? null,
      actualDigest: payloadDigestText(createHash("sha1").update(payload).digest()),
      payload: new TextDecoder().decode(payload),
      header: (name) => headers.get(name),
    });
  }
  return records;
}

export interface IndexLine {
  readonly key: string;
  readonly time: string;
  readonly fields: Readonly<Record<string, string>>;
}

export async function readIndex(path: string): Promise<IndexLine[]> {
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => {
    const [key = "", time = ""] = line.split(" ", 2);
    const json: unknown = JSON.parse(line.slice(key.length + time.length + 2));
    const fields = Object.entries(json ?? {}).map(
      ([name, value]) => [name, String(value)] as const,
    );
    return { key, time, fields: Object.fromEntries(fields) };
  });
}

/** The start of the WARC head at a place of a file, read as a gzip member of its own. */
export async function typeAt(path: string, offset: number, length: number): Promise<string> {
  const member = (await readFile(path)).subarray(offset, offset + length);
  return /^WARC-Type: (\w+)\r$/m.exec(gunzipSync(member).toString("latin1"))?.[1] ?? "";
}

/** Names in a directory, sorted. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).sort();
}

/**
 * What is wrong with the finished files of a directory: torn records, wrong digests, an index that does not match.
 * Empty when all is well.
 */
export async function faultsIn(directory: string): Promise<string[]> {
  const faults: string[] = [];
  const names = await namesIn(directory);
  for (const name of names) {
    if (name.endsWith(".cdxj")) continue;
    if (!name.endsWith(".warc.gz")) {
      faults.push(`${name} is left over`);
      continue;
    }
    const bytes = await readFile(join(directory, name));
    const records = await readRecords(join(directory, name));
    const last = records.at(-1);
    if (bytes.length !== (last?.offset ?? 0) + (last?.length ?? 0)) faults.push(`${name} is torn`);
    if (records[0]?.type !== "warcinfo") faults.push(`${name} does not say who wrote it`);
    const captures = records.filter(({ type }) => type === "response" || type === "revisit");
    for (const { type, url, digest, actualDigest } of captures) {
      if (type === "response" && digest !== actualDigest) faults.push(`${url ?? ""} has changed`);
    }
    const index = await readIndex(join(directory, name.replace(".warc.gz", ".cdxj")));
    const indexed = index.map(
      ({ fields }) => `${fields["offset"] ?? ""}+${fields["length"] ?? ""}`,
    );
    const seen = captures.map(({ offset, length }) => `${offset}+${length}`);
    if (indexed.sort().join() !== seen.sort().join()) faults.push(`${name} is indexed wrongly`);
    const keys = index.map(({ key, time }) => `${key} ${time}`);
    if (keys.join() !== keys.toSorted().join()) faults.push(`the index of ${name} is not sorted`);
  }
  return faults;
}
