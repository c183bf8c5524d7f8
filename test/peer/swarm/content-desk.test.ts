import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { InTurn } from "../../../src/core/fair-slots.ts";
import { CrawlError, type CrawlErrorCode } from "../../../src/core/errors.ts";
import {
  contentChunkBytes,
  decodeContentChunk,
  encodeContentChunk,
  type ContentChunk,
  type ContentHead,
} from "../../../src/core/messages/content-message.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { defaultFetchLimits } from "../../../src/ports/fetcher.ts";
import { ContentDesk } from "../../../src/peer/swarm/answers/content-desk.ts";
import { readBytesMax } from "../../../src/ports/archive.ts";
import type { UrlStatus } from "../../../src/ports/peer-control.ts";
import { sampleResponse } from "../../support/sample-captures.ts";

const url = "http://a.example/";

type Parts = ConstructorParameters<typeof ContentDesk>[0];

function deskWith(
  parts: Partial<Parts> & Pick<Parts, "urls">,
  signal = new AbortController().signal,
): ContentDesk {
  const calls = { content: () => Promise.resolve(undefined) };
  const clock = new VirtualClock();
  const view = { self: "peer-0" as MemberId };
  const bodyBytesMax = readBytesMax(defaultFetchLimits.bodyBytesMax);
  return new ContentDesk({ calls, clock, view, ...parts }, bodyBytesMax, signal);
}

const atOnce: InTurn = (work) => work();

const archive = { peer: "peer-1", file: "a-1.warc.gz", offset: 0, length: 100 };
const archived: UrlStatus = { url, state: "done", attempts: 1, owner: "peer-1", archive };

function headOf(bodyBytes: number): ContentHead {
  const head = { url, status: 200, statusLine: "HTTP/1.1 200 OK", fetchedAtMs: 0, headers: [] };
  return { ...head, truncated: true, bodyBytes };
}

/** What a desk gets of another member's archive that answers so, from this byte on. */
function fetchedBy(
  content: (from: number) => ContentChunk | undefined,
  signal?: AbortSignal,
): ReturnType<ContentDesk["fetch"]> {
  const calls: Parts["calls"] = { content: (_peer, { from }) => Promise.resolve(content(from)) };
  const urls = { read: () => Promise.reject(new Error("it is in another archive")) };
  return deskWith({ calls, urls }).fetch(url, archived, signal);
}

/** The same, of one that has a body of `bodyBytes`: each part is filled with its number. */
function fetched(bodyBytes: number): ReturnType<ContentDesk["fetch"]> {
  return fetchedBy((from) => {
    const bytes = new Uint8Array(Math.min(contentChunkBytes, bodyBytes - from));
    return { head: headOf(bodyBytes), bytes: bytes.fill(from / contentChunkBytes) };
  });
}

it("takes a body from another member that decodes to more than it was cut at", async () => {
  const bodyBytes = defaultFetchLimits.bodyBytesMax + 65_536;
  const { body } = await fetched(bodyBytes);
  expect(body.length).toBe(bodyBytes);
  const ends = [0, contentChunkBytes - 1, contentChunkBytes, bodyBytes - 1];
  expect(ends.map((at) => body[at])).toEqual([0, 0, 1, 10]);
});

it("takes an empty body from another member", async () => {
  expect((await fetched(0)).body).toHaveLength(0);
});

it("says of what it does not have no more than that, and fails where the archive does", async () => {
  const partOr = (code: CrawlErrorCode): Promise<ContentChunk> => {
    const read = () => Promise.reject(new CrawlError(code, "cannot be read"));
    return deskWith({ urls: { read } }).part({ place: archive, from: 0 }, atOnce);
  };
  expect((await partOr("NOT_ARCHIVED")).head).toBeUndefined();
  await expect(partOr("DISK_FULL")).rejects.toMatchObject({ code: "DISK_FULL" });
});

describe("a member that does not give what it should", () => {
  const part = (bodyBytes: number, length: number): ContentChunk => {
    return { head: headOf(bodyBytes), bytes: new Uint8Array(length) };
  };
  const none = { head: undefined, bytes: new Uint8Array(0) };

  it.each<[string, ContentChunk | undefined, code: string]>([
    ["falls silent", undefined, "MEMBER_UNREACHABLE"],
    ["has it no more", none, "NOT_ARCHIVED"],
    ["gives nothing more", part(5, 0), "MEMBER_UNREACHABLE"],
    ["gives more than there is", part(5, 3), "MEMBER_UNREACHABLE"],
    ["has another one by now", part(6, 2), "MEMBER_UNREACHABLE"],
  ])("is not asked on when it %s", async (_, second, code) => {
    const asked: number[] = [];
    const fetching = fetchedBy((from) => {
      asked.push(from);
      if (asked.length > 2) throw new Error("asked on");
      return from === 0 ? part(5, 3) : second;
    });
    await expect(fetching).rejects.toMatchObject({ code });
    expect(asked).toEqual([0, 3]);
  });

  it("is not asked on for who has gone meanwhile", async () => {
    const gone = new AbortController();
    const fetching = fetchedBy((from) => {
      if (from > 0) throw new Error("asked on");
      gone.abort();
      return part(5, 3);
    }, gone.signal);
    await expect(fetching).rejects.toMatchObject({ name: "AbortError" });
  });

  it.each([
    [{ ...archived, archive: undefined, reason: "owner-unreachable" }, "MEMBER_UNREACHABLE"],
    [{ url, state: "done", attempts: 1, owner: "peer-1" }, "NOT_ARCHIVED"],
    [undefined, "NOT_ARCHIVED"],
  ] as [UrlStatus | undefined, string][])("is not asked by %o", async (status, code) => {
    const desk = deskWith({ urls: { read: () => Promise.reject(new Error("asked")) } });
    await expect(desk.fetch(url, status)).rejects.toMatchObject({ code });
  });
});

it("says of a longer body whom to ask for it", async () => {
  await expect(fetched(200 * 1_024 * 1_024)).rejects.toMatchObject({
    code: "MEMBER_UNREACHABLE",
    message: `peer-1 has ${url}, in 200.0 MiB; that is more than is taken from another peer: ask that one`,
  });
});

it("says that a record of another member's archive is damaged, where that one cannot read it", async () => {
  const read: Parts["urls"]["read"] = () =>
    Promise.reject(new CrawlError("ARCHIVE_CORRUPT", "a-1.warc.gz is damaged"));
  const holder = deskWith({ urls: { read } });
  const calls: Parts["calls"] = {
    content: async (_peer, question) =>
      decodeContentChunk(encodeContentChunk(await holder.part(question, atOnce))),
  };
  await expect(deskWith({ calls, urls: { read } }).fetch(url, archived)).rejects.toMatchObject({
    code: "ARCHIVE_CORRUPT",
    message: `the record of ${url} in the archive of peer-1 is damaged`,
  });
});

it("tells the archive which places are what other members say", async () => {
  const told: boolean[] = [];
  const read: Parts["urls"]["read"] = (_place, _body, isTold) => {
    told.push(isTold);
    return Promise.reject(new CrawlError("ARCHIVE_CORRUPT", "a-1.warc.gz is damaged"));
  };
  const desk = deskWith({ urls: { read } });
  const place = { file: "a-1.warc.gz", offset: 0, length: 100 };
  await desk.part({ place, from: 0 }, atOnce);
  for (const owner of ["peer-1", "peer-0"]) {
    const archive = { ...place, peer: "peer-0" };
    const status: UrlStatus = { url, state: "done", attempts: 1, owner, archive };
    await expect(desk.fetch(url, status)).rejects.toThrow("damaged");
  }
  expect(told).toEqual([true, true, false]);
});

describe("a body that another member reads part after part", () => {
  const parts = 5;
  const place = { file: "a-1.warc.gz", offset: 0, length: 100 };

  /** A desk in whose archive such a body stands, and how often the record was unpacked. */
  function holder(signal?: AbortSignal) {
    const clock = new VirtualClock();
    const reads: number[] = [];
    const read: Parts["urls"]["read"] = ({ offset }) => {
      reads.push(offset);
      const body = new Uint8Array(parts * contentChunkBytes).fill(offset);
      return Promise.resolve({
        url,
        status: 200,
        statusLine: "HTTP/1.1 200 OK",
        fetchedAtMs: 0,
        headers: [],
        truncated: false,
        body,
      });
    };
    return { clock, desk: deskWith({ clock, urls: { read } }, signal), reads };
  }

  it("is unpacked once, also beside another one", async () => {
    const { desk, reads } = holder();
    for (let part = 0; part < parts; part += 1) {
      for (const offset of [0, 7]) {
        const from = part * contentChunkBytes;
        const { bytes } = await desk.part({ place: { ...place, offset }, from }, atOnce);
        expect(bytes).toHaveLength(contentChunkBytes);
        expect(bytes[0]).toBe(offset);
      }
    }
    expect(reads).toEqual([0, 7]);
    await desk.part({ place, from: 0 }, atOnce);
    expect(reads).toEqual([0, 7, 0]);
  });

  it("is let go when nobody reads on, and when the peer ends", async () => {
    const ending = new AbortController();
    const { clock, desk, reads } = holder(ending.signal);
    await desk.part({ place, from: 0 }, atOnce);
    await clock.run(clock.sleep(9_000));
    await desk.part({ place, from: contentChunkBytes }, atOnce);
    await clock.run(clock.sleep(9_000));
    await desk.part({ place, from: contentChunkBytes }, atOnce);
    expect(reads).toHaveLength(1);
    await clock.run(clock.sleep(11_000));
    await desk.part({ place, from: contentChunkBytes }, atOnce);
    expect(reads).toHaveLength(2);
    ending.abort();
    await desk.part({ place, from: contentChunkBytes }, atOnce);
    expect(reads).toHaveLength(3);
  });
});

it("keeps nobody from what is here while other members are silent, and asks them no more for who is gone", async () => {
  let asked = 0;
  const calls: Parts["calls"] = {
    content: () => {
      asked += 1;
      return new Promise(() => undefined);
    },
  };
  const desk = deskWith({ calls, urls: { read: () => Promise.resolve(sampleResponse) } });
  const statusAt = (peer: string): UrlStatus => {
    const archive = { peer, file: "a-1.warc.gz", offset: 0, length: 100 };
    return { url, state: "done", attempts: 1, owner: peer, archive };
  };
  for (let count = 0; count < 20; count += 1) void desk.fetch(url, statusAt("peer-1"));
  expect(await desk.fetch(url, statusAt("peer-0"))).toBe(sampleResponse);
  expect(asked).toBe(4);
  const goneAlready = AbortSignal.abort();
  const other = deskWith({ calls, urls: { read: () => Promise.resolve(sampleResponse) } });
  for (const peer of ["peer-0", "peer-1"]) {
    await expect(other.fetch(url, statusAt(peer), goneAlready)).rejects.toMatchObject({
      name: "AbortError",
    });
  }
  expect(asked).toBe(4);
});

it("asks one member after one answer of another one, however many of that one's are waited for", async () => {
  const asked: string[] = [];
  const ends: (() => void)[] = [];
  const content = async (member: MemberId): Promise<undefined> => {
    asked.push(member);
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  const read = () => Promise.reject(new Error("it is in another archive"));
  const desk = deskWith({ calls: { content }, urls: { read } });
  const fetchFrom = (peer: string): void => {
    const status: UrlStatus = { ...archived, archive: { ...archive, peer } };
    desk.fetch(url, status).catch(() => undefined);
  };
  for (let count = 0; count < 20; count += 1) fetchFrom("silent");
  fetchFrom("peer-2");
  for (let ended = 0; ended < 2; ended += 1) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  expect(asked.slice(4)).toContain("peer-2");
});
