import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { Archive, ArchiveMark } from "../../src/ports/archive.ts";
import {
  digestOf,
  sampleCapture,
  sampleExchange,
  sampleRevisit,
} from "../support/sample-captures.ts";

/** Where archives of one kind live during one test. */
export interface ArchiveWorld {
  /** A new archive, not started, on an empty disk. */
  create(): Promise<Archive>;
  /** A new archive, not started, on what the disk would hold if `archive` were killed now. */
  crash(archive: Archive): Promise<Archive>;
  /** Ends all archives of the world. */
  dispose(): Promise<void>;
}

/** What every archive must do, whatever it is made of. */
export function archiveContract(name: string, newWorld: () => ArchiveWorld): void {
  describe(`${name} as an archive`, () => {
    let world: ArchiveWorld | undefined;

    afterEach(async () => {
      await world?.dispose();
      world = undefined;
    });

    async function started(): Promise<Archive> {
      world = newWorld();
      const archive = await world.create();
      await archive.start(undefined);
      return archive;
    }

    async function restarted(archive: Archive, mark: ArchiveMark | undefined): Promise<Archive> {
      if (world === undefined) throw new Error("no world");
      const next = await world.crash(archive);
      await next.start(mark);
      return next;
    }

    const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

    test("reads back what was appended and flushed", async () => {
      const archive = await started();
      const exchange = sampleExchange("/a", "hello", { headers: ["X-A", "1", "x-a", "caf\u00e9"] });
      const location = archive.append(sampleCapture(exchange));
      await archive.flush();
      const response = await archive.read(location);
      expect(response).toMatchObject({
        url: exchange.url,
        status: 200,
        statusLine: "HTTP/1.1 200 OK",
        fetchedAtMs: exchange.fetchedAtMs,
        headers: ["X-A", "1", "x-a", "caf\u00e9"],
        truncated: false,
      });
      expect(text(response.body)).toBe("hello");
    });

    test("reads back what was appended and not yet flushed", async () => {
      const archive = await started();
      const location = archive.append(sampleCapture(sampleExchange("/a", "hello")));
      expect(text((await archive.read(location)).body)).toBe("hello");
    });

    test("takes the content coding off", async () => {
      const archive = await started();
      const encodedBody = new Uint8Array(gzipSync("hello"));
      const headers = ["Content-Encoding", "gzip"];
      const exchange = sampleExchange("/a", "", { headers, encodedBody });
      const location = archive.append(sampleCapture(exchange));
      expect(text((await archive.read(location)).body)).toBe("hello");
    });

    test("returns a body that does not decode as it is", async () => {
      const archive = await started();
      const exchange = sampleExchange("/a", "no gzip", { headers: ["Content-Encoding", "gzip"] });
      const location = archive.append(sampleCapture(exchange));
      expect(text((await archive.read(location)).body)).toBe("no gzip");
    });

    test("says that a body is truncated", async () => {
      const archive = await started();
      const exchange = sampleExchange("/a", "hel", { truncation: "length" });
      const location = archive.append(sampleCapture(exchange));
      expect((await archive.read(location)).truncated).toBe(true);
    });

    test("reads a revisit as a response without a body", async () => {
      const archive = await started();
      const first = sampleExchange("/a", "hello");
      archive.append(sampleCapture(first));
      const again = { ...first, fetchedAtMs: first.fetchedAtMs + 60_000 };
      const location = archive.append(
        sampleRevisit(again, {
          url: first.url,
          fetchedAtMs: first.fetchedAtMs,
          reason: "identical-payload-digest",
          payloadDigest: digestOf(first.encodedBody),
        }),
      );
      const next = archive.append(sampleCapture(sampleExchange("/b", "next")));
      await archive.flush();
      const revisit = await archive.read(location);
      expect(revisit).toMatchObject({ fetchedAtMs: again.fetchedAtMs, status: 200 });
      expect(revisit).toMatchObject({ headers: first.headers, truncated: false });
      expect(revisit.body).toHaveLength(0);
      expect(text((await archive.read(next)).body)).toBe("next");
    });

    test("has a mark and no file before the first append", async () => {
      const archive = await started();
      expect(await archive.flush()).toMatchObject({ bytes: 0 });
      expect(archive.files()).toEqual([]);
    });

    test("forgets what was flushed before the first commit", async () => {
      const archive = await started();
      const mark = await archive.flush();
      const lost = archive.append(sampleCapture(sampleExchange("/a", "one")));
      await archive.flush();
      const next = await restarted(archive, mark);
      await expect(next.read(lost)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
      expect(next.files()).toEqual([]);
    });

    test("has a record from its append on, and through a crash", async () => {
      const archive = await started();
      const location = archive.append(sampleCapture(sampleExchange("/a", "one")));
      expect(archive.has(location)).toBe(true);
      const next = await restarted(archive, await archive.flush());
      expect(next.has(location)).toBe(true);
      expect(next.has({ ...location, file: location.file.replace("1.warc", "9.warc") })).toBe(
        false,
      );
      expect(next.has({ ...location, offset: location.offset + 1_000_000 })).toBe(false);
    });

    test("moves the mark with every flush that had something to write", async () => {
      const archive = await started();
      const location = archive.append(sampleCapture(sampleExchange("/a", "one")));
      const first = await archive.flush();
      expect(await archive.flush()).toEqual(first);
      archive.append(sampleCapture(sampleExchange("/b", "two")));
      const second = await archive.flush();
      expect(first.file).toBe(location.file);
      expect(second.file).toBe(location.file);
      expect(first.bytes).toBeGreaterThanOrEqual(location.offset + location.length);
      expect(second.bytes).toBeGreaterThan(first.bytes);
      expect(archive.files()).toEqual([location.file]);
    });

    test("keeps committed records through a crash", async () => {
      const archive = await started();
      const location = archive.append(sampleCapture(sampleExchange("/a", "one")));
      const mark = await archive.flush();
      const next = await restarted(archive, mark);
      expect(text((await next.read(location)).body)).toBe("one");
      expect(next.files()).toEqual([location.file]);
      expect(await next.flush()).toEqual(mark);
    });

    test("forgets what a crash found unflushed", async () => {
      const archive = await started();
      archive.append(sampleCapture(sampleExchange("/a", "one")));
      const mark = await archive.flush();
      const lost = archive.append(sampleCapture(sampleExchange("/b", "two")));
      const next = await restarted(archive, mark);
      await expect(next.read(lost)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
    });

    test("cuts off what was flushed and not committed", async () => {
      const archive = await started();
      const kept = archive.append(sampleCapture(sampleExchange("/a", "one")));
      const mark = await archive.flush();
      const lost = archive.append(sampleCapture(sampleExchange("/b", "two")));
      await archive.flush();
      const next = await restarted(archive, mark);
      await expect(next.read(lost)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
      expect(text((await next.read(kept)).body)).toBe("one");
    });

    test("marks what was appended before a flush was asked for, and nothing that came while it ran", async () => {
      const archive = await started();
      const kept = archive.append(sampleCapture(sampleExchange("/a", "one")));
      const flushed = archive.flush();
      const lost = archive.append(sampleCapture(sampleExchange("/b", "two")));
      const mark = await flushed;
      await archive.read(lost);
      const next = await restarted(archive, mark);
      await expect(next.read(lost)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
      expect(text((await next.read(kept)).body)).toBe("one");
    });

    test("goes on in a new file after a crash", async () => {
      const archive = await started();
      const first = archive.append(sampleCapture(sampleExchange("/a", "one")));
      const next = await restarted(archive, await archive.flush());
      const second = next.append(sampleCapture(sampleExchange("/b", "two")));
      const mark = await next.flush();
      const last = await restarted(next, mark);
      expect(second.file).not.toBe(first.file);
      expect(last.files()).toEqual([first.file, second.file]);
      expect(text((await last.read(first)).body)).toBe("one");
      expect(text((await last.read(second)).body)).toBe("two");
    });

    test("flushes when it stops, and stops twice without harm", async () => {
      const archive = await started();
      const location = archive.append(sampleCapture(sampleExchange("/a", "one")));
      await archive.stop();
      await archive.stop();
      const next = await restarted(archive, undefined);
      expect(text((await next.read(location)).body)).toBe("one");
    });

    test("that is stopped after a failed commit is cut like one that was killed", async () => {
      const archive = await started();
      const kept = archive.append(sampleCapture(sampleExchange("/a", "one")));
      const mark = await archive.flush();
      const lost = archive.append(sampleCapture(sampleExchange("/b", "two")));
      await archive.flush();
      await archive.stop(false);
      const next = await restarted(archive, mark);
      await expect(next.read(lost)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
      expect(text((await next.read(kept)).body)).toBe("one");
    });

    test("has no record where none was written", async () => {
      const archive = await started();
      const location = archive.append(sampleCapture(sampleExchange("/a", "one")));
      await archive.flush();
      for (const wrong of [
        { ...location, file: "orbweaver-20260301123000-peer-99999.warc.gz" },
        { ...location, file: "../secret.warc.gz" },
        { ...location, offset: location.offset + 1_000_000 },
        { ...location, offset: location.offset + 1 },
      ]) {
        await expect(archive.read(wrong)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
      }
      expect(archive.has(location)).toBe(true);
    });

    test("serves flushes that are asked for at once", async () => {
      const archive = await started();
      const marks: Promise<ArchiveMark | undefined>[] = [];
      for (let i = 0; i < 5; i++) {
        archive.append(sampleCapture(sampleExchange(`/${i}`, "page")));
        marks.push(archive.flush());
      }
      const bytes = (await Promise.all(marks)).map((mark) => mark?.bytes ?? 0);
      expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
      expect(await archive.flush()).toEqual(await marks.at(-1));
    });
  });
}
