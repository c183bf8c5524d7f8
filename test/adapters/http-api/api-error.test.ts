import { describe, expect, it } from "vitest";
import {
  BodyFormError,
  failureOf,
  RequestError,
} from "../../../src/adapters/http-api/api-error.ts";
import { CrawlError, type CrawlErrorCode } from "../../../src/core/errors.ts";
import { MalformedMessage } from "../../../src/core/protobuf/malformed-message.ts";

describe("the answer to a request that failed", () => {
  it.each<[CrawlErrorCode, number]>([
    ["CONFIG_INVALID", 400],
    ["JOB_UNKNOWN", 404],
    ["NOT_ARCHIVED", 404],
    ["JOB_CANCELLED", 409],
    ["STORE_IO", 500],
    ["MEMBER_UNREACHABLE", 503],
    ["PEER_STOPPED", 503],
    ["SWARM_BUSY", 503],
    ["DISK_FULL", 507],
  ])("has for %s the status %i, and says why", (code, status) => {
    expect(failureOf(new CrawlError(code, "why"))).toEqual({
      status,
      body: { error: { code, message: "why" } },
    });
  });

  it("has the status of the mistake that the asker has made", () => {
    const statuses = (
      ["BAD_REQUEST", "FORBIDDEN", "NOT_FOUND", "METHOD_NOT_ALLOWED", "TOO_LARGE"] as const
    ).map((code) => failureOf(new RequestError(code, "why")).status);
    expect(statuses).toEqual([400, 403, 404, 405, 413]);
  });

  it.each([
    [400, 400, "BAD_REQUEST", "why"],
    [413, 413, "TOO_LARGE", "larger than"],
    [415, 415, "BAD_REQUEST", "application/json"],
    [499, 499, "BAD_REQUEST", "why"],
    [399, 500, "INTERNAL", "its log says why"],
    [500, 500, "INTERNAL", "its log says why"],
    [undefined, 500, "INTERNAL", "its log says why"],
  ])("has where the framework says %s the status %i", (statusCode, status, code, message) => {
    const error = Object.assign(new Error("why"), statusCode !== undefined && { statusCode });
    expect(failureOf(error)).toMatchObject({
      status,
      body: { error: { code, message: expect.stringContaining(message) as string } },
    });
  });

  it("says that the database is damaged where a row of it cannot be read", () => {
    expect(failureOf(new MalformedMessage("why"))).toMatchObject({
      status: 500,
      body: { error: { code: "STORE_CORRUPT", message: expect.stringContaining("why") as string } },
    });
  });

  it("names the forms of a body that are taken to who sends another", () => {
    expect(failureOf(new BodyFormError("gzip"))).toMatchObject({ status: 415 });
  });
});
