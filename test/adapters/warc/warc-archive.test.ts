import { randomBytes } from "node:crypto";
import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { CDXIndexer } from "warcio";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  digestOf,
  sampleCapture,
  sampleExchange,
  sampleRevisit,
} from "../../support/sample-captures.ts";
import { ArchiveDirectories, facts } from "./archive-directories.ts";
import { faultsIn, namesIn, readIndex, readRecords, typeAt } from "./read-archive-file.ts";

let world: ArchiveDirectories;

beforeEach(() => {
  world = new ArchiveDirectories();
});

afterEach(() => world.dispose());

const hello = sampleExchange("/a", "hello");

function revisitOfHello() {
  return {
    url: hello.url,
    fetchedAtMs: hello.fetchedAtMs,
    reason: "identical-payload-digest" as const,
    payloadDigest: digestOf(hello.encodedBody),
  };
}

test("a WarcArchive is full from half of its buffer on, until that is flushed", async () => {
  const capture = sampleCapture(hello);
  const changes = { bufferBytesMax: capture.bytes.length * 3 };
  const archive = world.open(await world.directory(), changes);
  await archive.start(undefined);
  archive.append(capture);
  expect(archive.full).toBe(false);
  archive.append(capture);
  expect(archive.full).toBe(true);
  await archive.flush();
  expect(archive.full).toBe(false);
  await archive.stop();
});

describe("the files of a WarcArchive", () => {
  test("are read by another implementation, record by record", async () => {
    const directory = await world.directory();
    const archive = world.open(directory);
    await archive.start(undefined);
    const capture = archive.append(sampleCapture(hello));
    const revisit = archive.append(
      sampleRevisit({ ...hello, fetchedAtMs: hello.fetchedAtMs + 1 }, revisitOfHello()),
    );
    await archive.stop();

    const name = "orbweaver-20260301123000-peer1-00001.warc.gz";
    expect(await namesIn(directory)).toEqual([name.replace(".warc.gz", ".cdxj"), name]);
    const records = await readRecords(join(directory, name));
    expect(records.map(({ type }) => type)).toEqual([
      "warcinfo",
      "response",
      "request",
      "revisit",
      "request",
    ]);
    expect(records[0]?.payload).toContain(`operator: ${facts.operator}\r\n`);
    expect(records[0]?.header("WARC-Filename")).toBe(name);
    expect(records[1]).toMatchObject({ url: hello.url, payload: "hello" });
    expect(records[1]).toMatchObject({ offset: capture.offset, length: capture.length });
    expect(records[2]?.header("WARC-Concurrent-To")).toBe(records[1]?.header("WARC-Record-ID"));
    expect(records[3]).toMatchObject({ offset: revisit.offset, length: revisit.length });
    expect(records[3]?.header("WARC-Refers-To-Date")).toBe(records[1]?.header("WARC-Date"));
    expect(records[4]?.header("WARC-Concurrent-To")).toBe(records[3]?.header("WARC-Record-ID"));
    expect(await faultsIn(directory)).toEqual([]);
  });

  test("have the index that another implementation would make", async () => {
    const directory = await world.directory();
    const archive = world.open(directory);
    await archive.start(undefined);
    for (const path of ["/b", "/a?y=1&x=2", "/c?{d}", "/A"]) {
      archive.append(sampleCapture(sampleExchange(path, `page ${path}`)));
      await archive.flush();
    }
    archive.append(sampleRevisit(sampleExchange("/again", ""), revisitOfHello()));
    await archive.stop();

    const [file = ""] = archive.files();
    const path = join(directory, file);
    const reader = (async function* () {
      yield new Uint8Array(await readFile(path));
    })();
    const expected: string[] = [];
    for await (const line of new CDXIndexer().iterIndex([{ filename: file, reader }])) {
      const fields = Object.entries(line).map(([name, value]) => [name, String(value)]);
      const { urlkey, timestamp, ...rest } = Object.fromEntries(fields) as Record<string, string>;
      expected.push(JSON.stringify([urlkey, timestamp, Object.entries(rest).sort()]));
    }
    const index = await readIndex(path.replace(".warc.gz", ".cdxj"));
    const actual = index.map(({ key, time, fields }) =>
      JSON.stringify([key, time, Object.entries(fields).sort()]),
    );
    expect(actual).toHaveLength(5);
    expect(actual).toEqual(expected.sort());
    for (const { fields } of index) {
      const type = await typeAt(path, Number(fields["offset"]), Number(fields["length"]));
      expect(type).toBe(fields["mime"] === "warc/revisit" ? "revisit" : "response");
    }
  });

  test("are begun anew when one is full", async () => {
    const directory = await world.directory();
    const archive = world.open(directory, { fileBytesMax: 2000 });
    await archive.start(undefined);
    const locations = [];
    for (let i = 0; i < 12; i++) {
      locations.push(archive.append(sampleCapture(sampleExchange(`/${i}`, `page ${i}`))));
      if (i % 5 === 4) {
        const mark = await archive.flush();
        expect(mark.file).toBe(locations.at(-1)?.file);
        expect(archive.files()).toEqual([...new Set(locations.map(({ file }) => file))]);
      }
    }
    const before = await Promise.all(locations.map((location) => archive.read(location)));
    await archive.stop();
    const after = await Promise.all(locations.map((location) => archive.read(location)));
    expect(before.map(({ url }) => url)).toEqual(
      locations.map((_, i) => `http://example.com/${i}`),
    );
    expect(after).toEqual(before);
    expect(archive.files().length).toBeGreaterThan(3);
    expect(await faultsIn(directory)).toEqual([]);
  });

  test("hold no more captures than allowed", async () => {
    const directory = await world.directory();
    const archive = world.open(directory, { fileCapturesMax: 2 });
    await archive.start(undefined);
    for (let i = 0; i < 5; i++) archive.append(sampleCapture(sampleExchange(`/${i}`, "page")));
    await archive.stop();
    expect(archive.files().map((file) => file.slice(-13, -8))).toEqual(["00001", "00002", "00003"]);
    expect(await faultsIn(directory)).toEqual([]);
  });

  test("have a sorted index even when it is sorted in several runs", async () => {
    const directory = await world.directory();
    const archive = world.open(directory);
    await archive.start(undefined);
    const capture = sampleCapture(hello);
    for (let i = 0; i < 9000; i++) {
      const url = `http://example.com/${(i * 7919) % 9000}`;
      archive.append({ ...capture, index: { ...capture.index, url } });
    }
    await archive.stop();
    const [file = ""] = archive.files();
    const index = await readFile(join(directory, file.replace(".warc.gz", ".cdxj")), "utf8");
    const lines = index.split("\n").slice(0, -1);
    expect(new Set(lines).size).toBe(9000);
    expect(lines).toEqual(lines.toSorted());
  });

  test("stay whole when a server's fields are hostile", async () => {
    const directory = await world.directory();
    const archive = world.open(directory);
    await archive.start(undefined);
    const evil = "x\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nContent-Length: 999\r\n\r\n\0";
    const exchange = sampleExchange("/a", "hello", {
      statusText: evil,
      headers: [evil, evil, "Content-Type", evil, "Content-Length", "1\r\nA: b"],
      requestHeaders: [evil, evil],
    });
    const location = archive.append(sampleCapture(exchange));
    archive.append(sampleCapture(sampleExchange("/next", "next")));
    const response = await archive.read(location);
    expect(response).toMatchObject({ url: exchange.url, status: 200 });
    expect(new TextDecoder().decode(response.body)).toBe("hello");
    await archive.stop();
    expect(await faultsIn(directory)).toEqual([]);
    const [file = ""] = archive.files();
    expect(await readRecords(join(directory, file))).toHaveLength(5);
  });
});

describe("WarcArchive.read", () => {
  const page = "<p>hello</p>".repeat(500);

  async function bodyOf(encodedBody: Uint8Array, coding: string, bodyBytesMax = 10_000) {
    const archive = world.open(await world.directory(), { bodyBytesMax });
    await archive.start(undefined);
    const headers = ["Content-Encoding", coding];
    const exchange = sampleExchange("/", "", { headers, encodedBody: new Uint8Array(encodedBody) });
    const { body } = await archive.read(archive.append(sampleCapture(exchange)));
    return Buffer.from(body);
  }

  test.each([
    ["gzip", zlib.gzipSync(page)],
    ["x-gzip", zlib.gzipSync(page)],
    ["deflate", zlib.deflateSync(page)],
    ["deflate", zlib.deflateRawSync(page)],
    ["br", zlib.brotliCompressSync(page)],
    ["zstd", zlib.zstdCompressSync(page)],
    ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(page))],
    ["br, gzip", zlib.gzipSync(page)],
    ["gzip, none", zlib.gzipSync(page)],
    ["utf-8, gzip", zlib.gzipSync(page)],
    ["gzip", Buffer.concat([zlib.gzipSync(page.slice(0, 9)), zlib.gzipSync(page.slice(9))])],
    ["gzip", Buffer.concat([zlib.gzipSync(page), Buffer.from("<!-- tail -->")])],
    [
      "zstd",
      Buffer.concat([page.slice(0, 9), page.slice(9)].map((part) => zlib.zstdCompressSync(part))),
    ],
  ])("takes %s off", async (coding, encoded) => {
    expect((await bodyOf(encoded, coding)).toString()).toBe(page);
  });

  test("takes the coding off a body that is longer than what is kept by default", async () => {
    const archive = world.open(await world.directory());
    await archive.start(undefined);
    const piece = Buffer.concat([randomBytes(1_024), Buffer.alloc(63 * 1_024)]);
    const long = Buffer.concat(Array<Buffer>(65 * 16).fill(piece));
    const encodedBody = new Uint8Array(zlib.gzipSync(long));
    const headers = ["Content-Encoding", "gzip"];
    const exchange = sampleExchange("/", "", { headers, encodedBody });
    const { body } = await archive.read(archive.append(sampleCapture(exchange)));
    expect(body.length).toBe(long.length);
    // Its cut may have let through any part of what it decodes to.
    const cut = archive.append(sampleCapture({ ...exchange, truncation: "length" }));
    expect((await archive.read(cut)).body.length).toBe(encodedBody.length);
  });

  test("returns the stored body where it would grow as no page does", async () => {
    const archive = world.open(await world.directory());
    await archive.start(undefined);
    const encodedBody = new Uint8Array(zlib.gzipSync(Buffer.alloc(65 * 1_024 * 1_024)));
    const headers = ["Content-Encoding", "gzip"];
    const exchange = sampleExchange("/", "", { headers, encodedBody });
    const { body } = await archive.read(archive.append(sampleCapture(exchange)));
    expect(body.length).toBe(encodedBody.length);
  });

  test("decodes a cut body as far as it goes", async () => {
    const encoded = zlib.gzipSync(page);
    const body = (await bodyOf(encoded.subarray(0, encoded.length - 20), "gzip")).toString();
    expect(body.length).toBeGreaterThan(10);
    expect(page.startsWith(body)).toBe(true);
  });

  test.each([
    ["an unknown coding", Buffer.from(page), "compress"],
    ["plain text under br", Buffer.from("ok"), "br"],
    ["plain text under deflate", Buffer.from('{"a":1}'), "deflate"],
    ["plain text under gzip", Buffer.from("a"), "gzip"],
    [
      "a body with a wrong checksum",
      Buffer.concat([zlib.gzipSync(page).subarray(0, -8), Buffer.alloc(8)]),
      "gzip",
    ],
    ["a body that would grow over the bound", zlib.gzipSync("x".repeat(10_001)), "gzip"],
  ])("returns the stored body for %s", async (_, encoded, coding) => {
    expect(await bodyOf(encoded, coding)).toEqual(encoded);
  });

  test("makes no room for a record that is longer than any", async () => {
    const directory = await world.directory();
    const archive = world.open(directory, { recordBytesMax: 5_000 });
    await archive.start(undefined);
    const long = (path: string) => sampleExchange(path, randomBytes(6_000).toString("latin1"));
    const [short, last] = [hello, long("/long")].map((one) => archive.append(sampleCapture(one)));
    if (!short || !last) throw new Error("two places");
    const { file } = await archive.flush();
    // Who reads it sees that it is not there.
    await truncate(join(directory, `${file}.open`), last.offset);
    await expect(archive.read(last)).rejects.toMatchObject({ code: "ARCHIVE_CORRUPT" });
    await archive.read(short);
  });

  test("says that a record is one that cannot be read", async () => {
    const archive = world.open(await world.directory(), { recordBytesMax: 5_000 });
    await archive.start(undefined);
    const large = archive.append(sampleCapture(sampleExchange("/", "x".repeat(5_000))));
    await expect(archive.read(large)).rejects.toMatchObject({ code: "ARCHIVE_CORRUPT" });
  });
});

describe("WarcArchive", () => {
  test("stops the process that uses it wrongly", async () => {
    const directory = await world.directory();
    const archive = world.open(directory, { bufferBytesMax: 1000 });
    expect(() => archive.append(sampleCapture(hello))).toThrow("while it is new");
    await archive.start(undefined);
    archive.append(sampleCapture(hello));
    expect(() => {
      for (let i = 0; i < 3; i++) archive.append(sampleCapture(hello));
    }).toThrow("without a flush");
    await archive.stop();
    expect(() => archive.append(sampleCapture(hello))).toThrow("while it is stopped");
  });

  test("takes a single capture that is larger than its buffer", async () => {
    const archive = world.open(await world.directory(), { bufferBytesMax: 100 });
    await archive.start(undefined);
    const place = archive.append(sampleCapture(hello));
    expect(archive.full).toBe(true);
    await archive.flush();
    expect((await archive.read(place)).url).toBe(hello.url);
  });

  test("counts only what waits for a flush against the bound of its buffer", async () => {
    const archive = world.open(await world.directory(), { bufferBytesMax: 1000 });
    await archive.start(undefined);
    for (let i = 0; i < 5; i++) {
      archive.append(sampleCapture(hello));
      await archive.flush();
    }
    expect(archive.files()).toHaveLength(1);
  });

  test.each([{ prefix: "../x" }, { peerName: "a-b" }, { peerName: "" }])(
    "refuses the name %j, which could not be told from other files",
    (changes) => {
      expect(() => world.open("/nowhere", changes)).toThrow("archive files");
    },
  );
});
