import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { removeContentCodings } from "../../../src/adapters/warc/content-coding.ts";
import { gzipMembersMax } from "../../../src/core/net/gzip-member.ts";

const MiB = 1024 * 1024;

afterEach(() => void vi.restoreAllMocks());

describe("a gzip body of the archive is given as it is stored", () => {
  test("where it has very many members: each takes its time", async () => {
    const member = gzipSync("");
    const inMembers = (count: number): Uint8Array<ArrayBuffer> =>
      new Uint8Array(Buffer.concat(Array<Buffer>(count).fill(member)));
    const most = inMembers(gzipMembersMax);
    expect(await removeContentCodings(most, ["gzip"], 1_000)).toHaveLength(0);
    const more = inMembers(gzipMembersMax + 1);
    expect(await removeContentCodings(more, ["gzip"], 1_000)).toBe(more);
  });

  test("where it becomes too long, of which no more is decoded than that shows", async () => {
    const joined = vi.spyOn(Buffer, "concat");
    const body = new Uint8Array(gzipSync(Buffer.alloc(64 * MiB)));
    expect(await removeContentCodings(body, ["gzip"], 1_000)).toBe(body);
    const longest = joined.mock.results.map(({ value }) => (value as Buffer).length);
    expect(Math.max(0, ...longest)).toBeLessThan(MiB);
  });
});
