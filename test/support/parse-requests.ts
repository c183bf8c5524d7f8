import {
  defaultJobOptions,
  type JobDefinition,
  type JobOptions,
} from "../../src/core/jobs/job-definition.ts";
import type { JobId } from "../../src/core/units.ts";
import { digestOf } from "./sample-captures.ts";
import type { ParseRequest } from "../../src/ports/page-parser.ts";

export interface GivenPage {
  readonly url?: string;
  readonly html?: string;
  /** Body as received; the same as `html` where it is not given. */
  readonly encoded?: Uint8Array<ArrayBuffer>;
  readonly headers?: readonly string[];
  readonly job?: JobDefinition;
  readonly follow?: boolean;
  readonly depth?: number;
  readonly sitemaps?: readonly string[];
}

export function jobWith(options: Partial<JobOptions>, id = "job", revision = 1): JobDefinition {
  return {
    id: id as JobId,
    revision,
    stateRevision: 1,
    state: "running",
    options: { ...defaultJobOptions, ...options },
  };
}

export function parseRequest(given: GivenPage = {}): ParseRequest {
  const body = new TextEncoder().encode(given.html ?? "<title>T</title><a href=x>");
  return {
    exchange: {
      url: given.url ?? "http://e.org/dir/",
      address: "192.0.2.1",
      method: "GET",
      status: 200,
      httpVersion: "1.1",
      statusText: "OK",
      headers: given.headers ?? ["Content-Type", "text/html; charset=utf-8"],
      requestHeaders: ["Host", "e.org"],
      encodedBody: given.encoded ?? body,
      fetchedAtMs: 1_772_366_400_000,
    },
    payloadDigest: digestOf(given.encoded ?? body),
    body,
    contentHeaders: given.headers ?? ["Content-Type", "text/html; charset=utf-8"],
    follow: given.follow ?? true,
    depth: given.depth ?? 0,
    redirectChain: [],
    sitemaps: given.sitemaps ?? [],
    job: given.job ?? jobWith({}),
  };
}
