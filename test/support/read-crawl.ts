import { createReadStream } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { WARCParser } from "warcio";
import { digestOf } from "./sample-captures.ts";

const decoders: ReadonlyMap<string, (bytes: Uint8Array) => Uint8Array> = new Map([
  ["gzip", (bytes: Uint8Array) => gunzipSync(bytes)],
  ["br", (bytes: Uint8Array) => brotliDecompressSync(bytes)],
  ["zstd", (bytes: Uint8Array) => zstdDecompressSync(bytes)],
]);

/** A record of an archive, read by another implementation of WARC. */
export interface WarcEntry {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly url: string;
  readonly header: (name: string) => string | null;
  /** Status of the archived response; 0 where the record holds none. */
  readonly status: number;
  /** A field of the archived HTTP head. */
  readonly field: (name: string) => string | null;
  /** Body with its content coding removed. */
  readonly body: Uint8Array;
}

/** A line of an index. */
export interface IndexEntry {
  readonly key: string;
  readonly url: string;
  readonly status: string;
  readonly filename: string;
  readonly offset: string;
  readonly length: string;
  readonly digest: string;
}

/** Every record of these files. Fails where a file is not whole or a payload is not what its digest says. */
export async function readWarcs(files: readonly string[]): Promise<WarcEntry[]> {
  const entries: WarcEntry[] = [];
  for (const file of files) entries.push(...(await readWarc(file)));
  return entries;
}

async function readWarc(path: string): Promise<WarcEntry[]> {
  const parser = new WARCParser(createReadStream(path) as AsyncIterable<Uint8Array>);
  const entries: WarcEntry[] = [];
  for await (const record of parser) {
    const payload = await record.readFully(false);
    const warc = new Headers([...record.warcHeaders.headers]);
    const http = new Headers([...(record.httpHeaders?.headers ?? [])]);
    const status = record.warcType === "request" ? 0 : Number(record.httpHeaders?.statusCode ?? 0);
    const promised = record.warcPayloadDigest;
    if (record.warcType === "response" && promised !== digestOf(payload)) {
      throw new Error(`${record.warcTargetURI ?? ""}: the payload is not ${promised ?? ""}`);
    }
    entries.push({
      file: basename(path),
      offset: parser.offset,
      length: parser.recordLength,
      type: record.warcType,
      url: record.warcTargetURI ?? "",
      header: (name) => warc.get(name),
      status,
      field: (name) => http.get(name),
      body: decoded(payload, http.get("content-encoding")),
    });
  }
  return entries;
}

function decoded(payload: Uint8Array, coding: string | null): Uint8Array {
  const decode = decoders.get(coding ?? "");
  return payload.length === 0 || decode === undefined ? payload : decode(payload);
}

/** The lines of every index beside these WARC files; fails where one is not sorted. */
export async function readIndexes(files: readonly string[]): Promise<IndexEntry[]> {
  const directories = [...new Set(files.map((file) => dirname(file)))];
  const entries: IndexEntry[] = [];
  for (const directory of directories) {
    const names = (await readdir(directory)).filter((name) => name.endsWith(".cdxj"));
    for (const name of names.sort()) {
      const lines = (await readFile(join(directory, name), "utf8")).split("\n").slice(0, -1);
      if (lines.some((line, at) => at > 0 && line < (lines[at - 1] ?? ""))) {
        throw new Error(`${name} is not sorted`);
      }
      entries.push(...lines.map(indexEntry));
    }
  }
  return entries;
}

function indexEntry(line: string): IndexEntry {
  const [key = ""] = line.split(" ", 1);
  const fields = JSON.parse(line.slice(line.indexOf("{"))) as Omit<IndexEntry, "key">;
  return { ...fields, key };
}

/** The WARC record that stands at a place of an index, unpacked as a gzip member of its own. */
export async function recordAt(directory: string, entry: IndexEntry): Promise<string> {
  const file = await open(join(directory, entry.filename));
  try {
    const member = Buffer.alloc(Number(entry.length));
    await file.read(member, 0, member.length, Number(entry.offset));
    return gunzipSync(member).toString("latin1");
  } finally {
    await file.close();
  }
}
