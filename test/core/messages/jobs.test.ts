import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobDefinition } from "../../../src/core/jobs/job-definition.ts";
import { decodeClaim } from "../../../src/core/messages/claim.ts";
import { decodeJobs, encodeJobs, type JobNews } from "../../../src/core/messages/jobs.ts";
import * as wire from "../../../src/core/messages/messages.pb.ts";
import {
  decodeActivity,
  decodeActivityReply,
  encodeActivity,
  encodeActivityReply,
} from "../../../src/core/messages/activity.ts";
import { decodeJson, encodeJson } from "../../../src/core/messages/json-payload.ts";
import { payloadBytesMax } from "../../../src/core/messages/read-payload.ts";
import type { JobId, MemberId } from "../../../src/core/units.ts";
import { generations, hashes } from "./arbitrary.ts";
import { expectSafe } from "./hostile.ts";

const job = "news" as JobId;
const definition: JobDefinition = {
  id: job,
  revision: 3,
  stateRevision: 2,
  state: "paused",
  options: { ...defaultJobOptions, include: ["^http://a"] },
};

const news: JobNews = {
  definitions: [definition, definition],
  digest: 2n ** 63n + 1n,
  pageCounts: [{ job, pages: 12 }],
  pastPageCounts: [{ job, member: "gone" as MemberId, pages: 34 }],
};

describe("news of jobs", () => {
  it("arrive as they were sent", () => {
    expect(decodeJobs(encodeJobs(news))).toEqual(news);
    for (const digest of [0n, undefined]) {
      const none: JobNews = { definitions: [], digest, pageCounts: [], pastPageCounts: [] };
      expect(decodeJobs(encodeJobs(none))).toEqual(none);
    }
  });

  it("are safe to receive from a stranger, and refused when one is none", () => {
    expectSafe(fc.constant(encodeJobs(news)), decodeJobs, encodeJobs);
    const sound = wire.Jobs.decode(encodeJobs(news));
    expect(decodeJobs(wire.Jobs.encode({ ...sound, definitions: ["{}"] }))).toBeUndefined();
    const pageCounts = [{ job: "No Job", pages: 1 }];
    expect(decodeJobs(wire.Jobs.encode({ ...sound, pageCounts }))).toBeUndefined();
  });

  it.each(["scope", "include", "id", "options", "none"])(
    "are refused with a value of %s that is nested deeper than the stack",
    (key) => {
      const nested = "[".repeat(30_000) + "]".repeat(30_000);
      const options = key === "options" ? nested : `{"${key}":${nested}}`;
      const id = key === "id" ? nested : '"x"';
      const text = `{"id":${id},"revision":1,"state":"running","options":${options}}`;
      expect(decodeJobs(wire.Jobs.encode({ definitions: [text] }))).toBeUndefined();
      expect(decodeClaim(wire.Claim.encode({ jobDefinition: text }), 0)).toBeUndefined();
    },
  );
});

describe("a job's activity", () => {
  const replies = fc.record({
    busy: fc.option(fc.string({ maxLength: 30 }), { nil: undefined }),
    activity: fc.maxSafeNat(),
    generation: generations,
    members: fc.option(hashes, { nil: undefined }),
    returning: fc.boolean(),
  });

  it("is asked for and told as it is", () => {
    expect(decodeActivity(encodeActivity(job))).toBe(job);
    fc.assert(
      fc.property(replies, (reply) => {
        expect(decodeActivityReply(encodeActivityReply(reply))).toEqual(reply);
      }),
    );
  });

  it("is safe to receive from a stranger", () => {
    expectSafe(fc.constant(encodeActivity(job)), decodeActivity, encodeActivity);
    expectSafe(replies.map(encodeActivityReply), decodeActivityReply, encodeActivityReply);
  });

  it("is of a job that can be, with a reason that people can read", () => {
    expect(decodeActivity(encodeActivity("No Job" as JobId))).toBeUndefined();
    const busy = "x".repeat(1_001);
    const said = { busy, activity: 1, generation: 1, members: 1n, returning: false };
    const reply = encodeActivityReply(said);
    expect(decodeActivityReply(reply)).toBeUndefined();
  });
});

describe("plain data in a message", () => {
  it("arrives as it was sent", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), (data) => {
        expect(decodeJson(encodeJson(data))).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });

  it("is refused when it is no JSON, no UTF-8, or too long", () => {
    expect(decodeJson(new TextEncoder().encode("{"))).toBeUndefined();
    expect(decodeJson(Uint8Array.of(0x22, 0xff, 0x22))).toBeUndefined();
    expect(decodeJson(new Uint8Array(0))).toBeUndefined();
    expect(
      decodeJson(new Uint8Array(payloadBytesMax + 1).fill(0x20).fill(0x31, 0, 1)),
    ).toBeUndefined();
  });
});
