import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noJobCounts } from "../../../src/core/answers/job-counts.ts";
import {
  decodeClaim,
  encodeClaim,
  pageCountsMax,
  pastPageCountsMax,
} from "../../../src/core/messages/claim.ts";
import {
  contentChunkBytes,
  decodeContentChunk,
  decodeContentQuestion,
  encodeContentChunk,
  encodeContentQuestion,
  type ContentChunk,
  type ContentHead,
} from "../../../src/core/messages/content-message.ts";
import {
  decodeHostQuestion,
  decodeHostReply,
  encodeHostQuestion,
  encodeHostReply,
  hostRowsMax,
  type KnownHost,
} from "../../../src/core/messages/host-message.ts";
import { encodeJson } from "../../../src/core/messages/json-payload.ts";
import {
  decodeListQuestion,
  decodeListReply,
  encodeListQuestion,
  encodeListReply,
  listedBoundsMax,
  listedCharactersMax,
  listedUrlsMax,
  type ListQuestion,
  type ListReply,
} from "../../../src/core/messages/list-message.ts";
import { payloadBytesMax } from "../../../src/core/messages/read-payload.ts";
import {
  decodeStatsQuestion,
  decodeStatsReply,
  encodeStatsQuestion,
  encodeStatsReply,
  totalsMax,
  type StatsReply,
} from "../../../src/core/messages/stats-message.ts";
import {
  askedUrlsMax,
  decodeStatusQuestion,
  decodeStatusReply,
  encodeStatusQuestion,
  encodeStatusReply,
  type KnownStatus,
  type StatusQuestion,
  type StatusReply,
} from "../../../src/core/messages/status-message.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { circle } from "../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, HostName, JobId, MemberId } from "../../../src/core/units.ts";
import { expectSafe } from "./hostile.ts";

const job = "news" as JobId;
const member = "peer-7" as MemberId;
const place = { file: "a-00001.warc.gz", offset: 17, length: 400 };

const question: StatusQuestion = {
  urls: ["http://a.example/", "http://b.example/x?y=1"] as CanonicalUrl[],
  job,
  fromCopy: true,
};

const done: KnownStatus = {
  state: "done",
  attempts: 2,
  owner: member,
  job,
  httpStatus: 301,
  fetchedAt: "2030-01-01T00:00:04.556Z",
  redirect: "http://b.example/",
  reason: "redirect-loop",
  replica: true,
  unconfirmed: true,
  contentType: "text/html; charset=utf-8",
  bodyBytes: 1_234,
  truncated: true,
  title: "A “title”",
  digest: "sha1:YVKEML3WQKRHQ56CDKKOIBGSEPVIOE3D",
  archive: { ...place, peer: member, body: place },
  depth: 3,
};

const answers: StatusReply = {
  jobs: 3,
  answers: [done, { state: "unknown", attempts: 0, owner: member }, { holder: member }, {}],
};

const host: KnownHost = {
  owner: member,
  known: true,
  replica: true,
  queued: [{ job, urls: 12, orMore: false }],
  hold: "backoff",
  nextFetchAt: "2030-01-01T00:00:04.556Z",
  failuresInRow: 2,
  lastFailure: { httpStatus: 0, failure: "connect-refused" },
  crawlDelayMs: 1_500.5,
  robots: [
    {
      origin: "http://a.example",
      verdict: "allow-all",
      httpStatus: 404,
      fetchedAt: "2030-01-01T00:00:04.556Z",
      expiresAt: "2030-01-02T00:00:04.556Z",
    },
    {
      origin: "http://a.example:81",
      verdict: "disallow-all",
      httpStatus: 0,
      failure: "connect-refused",
      fetchedAt: "2030-01-01T00:00:04.556Z",
      expiresAt: "2030-01-02T00:00:04.556Z",
    },
  ],
};

const counts = { ...noJobCounts, pages: 4, skipped: { robots: 2 }, statuses: { "2xx": 4 } };
const past = [{ member, generation: 5, upMs: 10.5, jobs: [{ job, counts }] }];
const figures: StatsReply = {
  version: "1.2.3",
  generation: 9,
  upMs: 12.25,
  openRequests: 3,
  activeHosts: 4,
  pagesPerSecond: 1.5,
  jobs: [{ job, counts, finished: false }],
  past,
};

const contentHead: ContentHead = {
  url: "http://a.example/",
  status: 200,
  statusLine: "HTTP/1.0 200 Fine",
  fetchedAtMs: 12.5,
  headers: ["content-type", "text/html"],
  truncated: false,
  bodyBytes: 5,
};
const chunk: ContentChunk = { head: contentHead, bytes: Uint8Array.of(1, 2, 3) };

function arcsOf(bounds: number[]): ArcSet {
  const arcs = ArcSet.fromBounds(bounds);
  if (!arcs) throw new Error("no bounds of arcs");
  return arcs;
}

const listKey = (...rest: number[]): Uint8Array => Uint8Array.of(0x75, ...rest);
const listQuestion: ListQuestion = {
  job,
  filter: { state: "failed", http: 404, broken: true },
  from: listKey(1),
  count: 20,
};
const list: ListReply = {
  urls: [{ url: "http://a.example/", key: listKey(1) }],
  reached: listKey(2),
  arcs: arcsOf([0, 2 ** 50]),
};
const decodeList = (payload: Uint8Array): ListReply | undefined =>
  decodeListReply(payload, listQuestion);

const decodeFour = (payload: Uint8Array): StatusReply | undefined => decodeStatusReply(payload, 4);

describe("questions of users, and their answers", () => {
  it("arrive as they were sent", () => {
    expect(decodeStatusQuestion(encodeStatusQuestion(question))).toEqual(question);
    expect(decodeFour(encodeStatusReply(answers))).toEqual(answers);
    expect(
      decodeHostQuestion(encodeHostQuestion({ host: "a.b" as HostName, fromCopy: false })),
    ).toEqual({ host: "a.b", fromCopy: false });
    const change = { host: "a.b" as HostName, fromCopy: true, change: "release" } as const;
    expect(decodeHostQuestion(encodeHostQuestion(change))).toEqual(change);
    expect(decodeHostReply(encodeHostReply(host))).toEqual(host);
    expect(decodeHostReply(encodeHostReply({ holder: member }))).toEqual({ holder: member });
    expect(decodeStatsQuestion(encodeStatsQuestion({ past }))).toEqual({ past });
    expect(decodeStatsReply(encodeStatsReply(figures))).toEqual(figures);
    expect(decodeListQuestion(encodeListQuestion(listQuestion))).toEqual(listQuestion);
    expect(decodeList(encodeListReply(list))).toEqual(list);
    const wanted = { place, body: place, from: 9 };
    expect(decodeContentQuestion(encodeContentQuestion(wanted))).toEqual(wanted);
    expect(decodeContentChunk(encodeContentChunk(chunk))).toEqual(chunk);
    const none = { head: undefined, bytes: new Uint8Array(0) };
    expect(decodeContentChunk(encodeContentChunk(none))).toEqual(none);
  });

  it("makes up the status line that a member of the first version does not send", () => {
    const head = { ...contentHead, statusLine: undefined } as unknown as ContentHead;
    expect(decodeContentChunk(encodeContentChunk({ ...chunk, head }))).toEqual({
      ...chunk,
      head: { ...contentHead, statusLine: "HTTP/1.1 200" },
    });
  });

  it("count but for a reason that a later version alone knows", () => {
    const later = encodeJson({ jobs: 2, answers: [done, { ...done, reason: "from-the-future" }] });
    const { reason, ...known } = done;
    expect(reason).toBeDefined();
    expect(decodeStatusReply(later, 2)).toEqual({ jobs: 2, answers: [done, known] });
    const robots = host.robots.map((row) => ({ ...row, failure: "from-the-future" }));
    const { hold, ...still } = host;
    expect(hold).toBeDefined();
    expect(decodeHostReply(encodeJson({ ...host, hold: "sleeping", robots }))).toEqual({
      ...still,
      robots: host.robots.map(({ failure: _, ...row }) => row),
    });
  });

  it("are safe to receive from a stranger", () => {
    expectSafe(
      fc.constant(encodeStatusQuestion(question)),
      decodeStatusQuestion,
      encodeStatusQuestion,
    );
    expectSafe(fc.constant(encodeStatusReply(answers)), decodeFour, encodeStatusReply);
    expectSafe(fc.constant(encodeHostReply(host)), decodeHostReply, encodeHostReply);
    expectSafe(
      fc.constant(encodeStatsQuestion({ past })),
      decodeStatsQuestion,
      encodeStatsQuestion,
    );
    expectSafe(fc.constant(encodeStatsReply(figures)), decodeStatsReply, encodeStatsReply);
    expectSafe(fc.constant(encodeContentChunk(chunk)), decodeContentChunk, encodeContentChunk);
    expectSafe(
      fc.constant(encodeListQuestion(listQuestion)),
      decodeListQuestion,
      encodeListQuestion,
    );
    expectSafe(fc.constant(encodeListReply(list)), decodeList, encodeListReply);
  });

  it("are nothing where any JSON stands for them, and never an error", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const payload = encodeJson(data);
        const isEmptyReply = typeof data === "object" && !Array.isArray(data) && data !== null;
        expect(decodeStatusQuestion(payload)).toBeUndefined();
        expect(decodeFour(payload)).toBeUndefined();
        expect(decodeHostQuestion(payload)).toBeUndefined();
        if (!isEmptyReply) expect(decodeHostReply(payload)).toBeUndefined();
        expect(decodeStatsQuestion(payload)).toBeUndefined();
        expect(decodeStatsReply(payload)).toBeUndefined();
        expect(decodeContentQuestion(payload)).toBeUndefined();
        expect(decodeListQuestion(payload)).toBeUndefined();
        expect(decodeList(payload)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("are refused when one field is wrong", () => {
    const wrong: readonly Partial<Record<keyof KnownStatus, unknown>>[] = [
      { state: "finished" },
      { attempts: -1 },
      { attempts: 0.5 },
      { owner: "two words" },
      { job: "No Job" },
      { reason: "toString" },
      { replica: false },
      { fetchedAt: "yesterday" },
      { bodyBytes: "12" },
      { title: "x".repeat(1_001) },
      { archive: { ...place, peer: member, file: "../../etc/passwd" } },
      { archive: { ...place, peer: member, body: { ...place, offset: -1 } } },
    ];
    for (const fields of wrong) {
      const payload = encodeJson({ jobs: 1, answers: [{ ...done, ...fields }] });
      expect(decodeStatusReply(payload, 1), JSON.stringify(fields)).toBeUndefined();
    }
    const escaping = { place: { ...place, file: "a/../b" }, from: 0 };
    expect(decodeContentQuestion(encodeJson(escaping))).toBeUndefined();
    const lone = { ...contentHead, headers: ["name"] };
    const bytes = encodeContentChunk({ ...chunk, head: lone });
    expect(decodeContentChunk(bytes)).toBeUndefined();
    const negative = { ...counts, pages: -1 };
    const jobs = [{ job, counts: negative, finished: true }];
    expect(decodeStatsReply(encodeJson({ ...figures, jobs }))).toBeUndefined();
    expect(decodeHostReply(encodeJson({ ...host, hold: "Back off" }))).toBeUndefined();
  });

  it("are refused where a list would name rows of another kind, or not get on", () => {
    const wrong: readonly Partial<ListReply>[] = [
      { reached: listKey(1) },
      { reached: listKey(0) },
      { reached: Uint8Array.of(0x71, 9) },
      { urls: [{ url: "http://a.example/", key: listKey(0) }] },
      { urls: [{ url: "http://a.example/", key: Uint8Array.of(0x71, 9) }] },
    ];
    for (const fields of wrong) {
      const payload = encodeListReply({ ...list, ...fields });
      expect(decodeList(payload), JSON.stringify(fields)).toBeUndefined();
    }
  });

  it("are refused where a list is of no arcs", () => {
    const wrong = [undefined, 0.25, [0], [2, 1], [0, 2 ** 52 + 1], [0.5, 1], ["0", "1"]];
    for (const bounds of wrong) {
      const payload = encodeJson({ urls: [], arcs: bounds });
      expect(decodeList(payload), JSON.stringify(bounds)).toBeUndefined();
    }
    expect(decodeList(encodeJson({ urls: [], arcs: [] }))).toEqual({ urls: [], arcs: arcsOf([]) });
  });

  it("are bounded in number and size", () => {
    const many = Array.from({ length: askedUrlsMax + 1 }, () => "http://a.example/");
    const asked = encodeJson({ urls: many, fromCopy: false });
    expect(decodeStatusQuestion(asked)).toBeUndefined();
    expect(decodeFour(encodeStatusReply({ jobs: 1, answers: [done] }))).toBeUndefined();
    const rows = Array.from({ length: hostRowsMax + 1 }, () => host.queued[0]);
    expect(decodeHostReply(encodeJson({ ...host, queued: rows }))).toBeUndefined();
    const totals = Array.from({ length: totalsMax + 1 }, () => ({ job, counts, finished: true }));
    expect(decodeStatsReply(encodeJson({ ...figures, jobs: totals }))).toBeUndefined();
    const bounds = Array.from({ length: listedBoundsMax + 2 }, (_, at) => at);
    expect(decodeList(encodeJson({ urls: [], arcs: bounds }))).toBeUndefined();
    expect(decodeList(encodeJson({ urls: [], arcs: bounds.slice(2) }))).toBeDefined();
  });

  it("fit a message however long their texts are, and what finds no room is left out", () => {
    const long = {
      ...done,
      title: "\u0001".repeat(30_000),
      contentType: "é".repeat(30_000),
      redirect: `http://a.example/${"é".repeat(16_000)}`,
    };
    const reply = { jobs: 1, answers: Array.from({ length: askedUrlsMax }, () => long) };
    const payload = encodeStatusReply(reply);
    expect(payload.length).toBeLessThan(payloadBytesMax);
    const received = decodeStatusReply(payload, askedUrlsMax)?.answers ?? [];
    expect(received[0]).toMatchObject({ state: "done", title: "\u0001".repeat(1_000) });
    expect(received.at(-1)).toEqual({});
    const head = { ...contentHead, bodyBytes: contentChunkBytes };
    const url = `http://a.example/${"é".repeat(listedCharactersMax)}`;
    const urls = Array.from({ length: listedUrlsMax }, (_, at) => ({
      url: at === 0 ? url : "http://a.example/",
      key: listKey(...new Uint8Array(38)),
    }));
    const bounds = Array.from({ length: listedBoundsMax }, (_, at) => circle - at).reverse();
    expect(encodeListReply({ urls, arcs: arcsOf(bounds) }).length).toBeLessThan(payloadBytesMax);
    const full = encodeContentChunk({ head, bytes: new Uint8Array(contentChunkBytes) });
    expect(full.length).toBeLessThan(payloadBytesMax);
  });
});

describe("counts of pages", () => {
  const claim = { pageCounts: [{ job, pages: 12 }] };
  const decode = (payload: Uint8Array): ReturnType<typeof decodeClaim> => decodeClaim(payload, 0);

  it("arrive as they were sent, are safe to receive from a stranger, and bounded", () => {
    expect(decode(encodeClaim(claim))).toEqual(claim);
    expectSafe(fc.constant(encodeClaim(claim)), decode, encodeClaim);
    const longest = { job: "x".repeat(64) as JobId, pages: Number.MAX_SAFE_INTEGER };
    const most = { pageCounts: Array.from({ length: pageCountsMax }, () => longest) };
    expect(encodeClaim(most).length).toBeLessThan(64 * 1_024);
    expect(decode(encodeClaim(most))).toEqual(most);
    const more = { pageCounts: [...most.pageCounts, longest] };
    expect(decode(encodeClaim(more))).toBeUndefined();
  });

  it("of members that are gone arrive as they were sent, safe and bounded too", () => {
    const past = { pastPageCounts: [{ job, member: "peer-1" as MemberId, pages: 12 }] };
    expect(decode(encodeClaim(past))).toEqual(past);
    expectSafe(fc.constant(encodeClaim(past)), decode, encodeClaim);
    const longest = {
      job: "x".repeat(64) as JobId,
      member: "m".repeat(128) as MemberId,
      pages: Number.MAX_SAFE_INTEGER,
    };
    const most = { pastPageCounts: Array.from({ length: pastPageCountsMax }, () => longest) };
    expect(encodeClaim(most).length).toBeLessThan(64 * 1_024);
    expect(decode(encodeClaim(most))).toEqual(most);
    const more = { pastPageCounts: [...most.pastPageCounts, longest] };
    expect(decode(encodeClaim(more))).toBeUndefined();
  });
});
