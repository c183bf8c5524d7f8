import { describe, expect, it } from "vitest";
import { defaultSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import { VirtualArchive, VirtualArchiveDisk } from "../../../sim/world/virtual-archive.ts";
import { VirtualPages } from "../../../sim/world/virtual-pages.ts";
import type { EncodedCapture } from "../../../src/ports/archive.ts";
import { stillProcess } from "../../support/still-process.ts";

const pages = new VirtualPages(new SampleWeb(defaultSampleWebOptions, 80));

function captureOf(page: number): EncodedCapture {
  const index = {
    url: pages.web.urlOf(page),
    fetchedAtMs: 1_000 + page,
    status: 200,
    mime: "text/html",
    payloadDigest: "",
    recordId: "",
  };
  return { bytes: new Uint8Array(100), responseLength: 80, index };
}

/** A disk and the archives on it, one process after the other. */
class ArchiveBench {
  readonly disk = new VirtualArchiveDisk();
  process = stillProcess();

  /** The archive of the next process; the one before it is dead. */
  async next(mark?: Awaited<ReturnType<VirtualArchive["flush"]>>): Promise<VirtualArchive> {
    this.process.end();
    this.process = stillProcess();
    const archive = new VirtualArchive(this.disk, pages, this.process);
    await archive.start(mark);
    return archive;
  }
}

describe("a virtual archive", () => {
  it("reads back the page of each record, flushed or not, and no other", async () => {
    const archive = await new ArchiveBench().next();
    const first = archive.append(captureOf(0));
    await archive.flush();
    const second = archive.append(captureOf(1));
    const url = pages.web.urlOf(1);
    expect(await archive.read(second)).toMatchObject({ url, status: 200, fetchedAtMs: 1_001 });
    expect((await archive.read(first)).body.length).toBeGreaterThan(0);
    const wrong = { ...first, offset: 7 };
    await expect(archive.read(wrong)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
    expect(archive.files()).toEqual([first.file]);
  });

  it("keeps what was committed, cuts off what was not, and goes on in a new file", async () => {
    const bench = new ArchiveBench();
    const archive = await bench.next();
    const kept = archive.append(captureOf(0));
    const mark = await archive.flush();
    const cut = archive.append(captureOf(1));
    await archive.flush();
    const unflushed = archive.append(captureOf(2));
    const next = await bench.next(mark);
    expect((await next.read(kept)).url).toBe(pages.web.urlOf(0));
    for (const lost of [cut, unflushed]) {
      await expect(next.read(lost)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
    }
    const later = next.append(captureOf(3));
    expect(later.file).not.toBe(kept.file);
    const last = await bench.next(await next.flush());
    expect(last.files()).toEqual([kept.file, later.file]);
    expect((await last.read(later)).url).toBe(pages.web.urlOf(3));
  });

  it("leaves of what had no room a part, which the next start cuts off when there is room", async () => {
    const bench = new ArchiveBench();
    const archive = await bench.next();
    const kept = archive.append(captureOf(0));
    const mark = await archive.flush();
    const [part, rest] = [archive.append(captureOf(1)), archive.append(captureOf(2))];
    bench.disk.full = true;
    await expect(archive.flush()).rejects.toMatchObject({ code: "DISK_FULL" });
    expect([kept, part, rest].map((place) => bench.disk.has(place))).toEqual([true, true, false]);
    await expect(bench.next(mark)).rejects.toMatchObject({ code: "DISK_FULL" });
    bench.disk.full = false;
    await bench.next(mark);
    expect([kept, part, rest].map((place) => bench.disk.has(place))).toEqual([true, false, false]);
  });

  it("refuses for good when its disk is full, and forgets everything when that is wiped", async () => {
    const bench = new ArchiveBench();
    const archive = await bench.next();
    archive.append(captureOf(0));
    bench.disk.full = true;
    await expect(archive.flush()).rejects.toMatchObject({ code: "DISK_FULL" });
    bench.disk.full = false;
    expect(() => archive.append(captureOf(1))).toThrow("full");
    const next = await bench.next();
    const location = next.append(captureOf(1));
    await next.stop();
    bench.disk.wipe();
    const last = await bench.next();
    await expect(last.read(location)).rejects.toMatchObject({ code: "NOT_ARCHIVED" });
  });
});
