import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiErrorBody } from "../../../src/adapters/http-api/api-error.ts";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import type { HttpApiOptions } from "../../../src/adapters/http-api/http-api-options.ts";
import { CrawlError, InvariantError } from "../../../src/core/errors.ts";
import type { LogFields, Logger } from "../../../src/ports/logger.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";

class MemoryLogger implements Logger {
  readonly events: { level: "warn" | "error"; event: string; fields: LogFields }[] = [];
  readonly debug = (): void => undefined;
  readonly info = (): void => undefined;
  warn(event: string, fields: LogFields = {}): void {
    this.events.push({ level: "warn", event, fields });
  }
  error(event: string, fields: LogFields = {}): void {
    this.events.push({ level: "error", event, fields });
  }
}

let control: FakePeerControl;
let logger: MemoryLogger;
let bugs: InvariantError[];
let api: HttpApi;

function newApi(options: Partial<HttpApiOptions> = {}): HttpApi {
  const parts = {
    logger,
    metrics: { contentType: "text/plain; version=0.0.4", text: () => Promise.resolve("up 1\n") },
    stopForBug: (bug: InvariantError) => void bugs.push(bug),
  };
  return fakePeerApi(control, parts, options);
}

beforeEach(async () => {
  control = new FakePeerControl();
  logger = new MemoryLogger();
  bugs = [];
  api = newApi();
  await api.start();
});

afterEach(() => api.stop());

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(api.url + path, init);
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const body: unknown = type.startsWith("application/json") ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

function post(path: string, body: unknown) {
  return call(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** A request with header fields that a fetch would not send. */
function rawStatus(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(api.url + path, { method, headers }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  sent.on("error", reject).end();
  return promise;
}

describe("HttpApi, starting and stopping", () => {
  it("reports the port that it really has, and is idempotent", async () => {
    expect(api.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    const { url } = api;
    await api.start();
    expect(api.url).toBe(url);
    await api.stop();
    await api.stop();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it("says that a port is in use", async () => {
    const other = newApi({ port: Number(new URL(api.url).port) });
    await expect(other.start()).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: expect.stringMatching(
        /^cannot listen to 127\.0\.0\.1:\d+: the port is in use$/,
      ) as string,
    });
    await other.stop();
  });

  it("says that an address is not this machine's", async () => {
    await expect(newApi({ host: "192.0.2.1" }).start()).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: "cannot listen to 192.0.2.1:0: this machine has no such address",
    });
  });

  it("warns when other machines can command the peer, and only then", async () => {
    expect(logger.events).toEqual([]);
    const open = newApi({ host: "0.0.0.0" });
    await open.start();
    await open.stop();
    expect(logger.events.map(({ event }) => event)).toEqual(["api-open-to-other-machines"]);
  });

  it("stops in time although an answer does not come", async () => {
    await api.stop();
    api = newApi({ stopMsMax: 50 });
    await api.start();
    control.stuck = true;
    const answer = fetch(`${api.url}/v1/status?url=x`);
    await control.asked.promise;
    await api.stop();
    await expect(answer).rejects.toThrow();
  });
});

describe("HttpApi, who may ask", () => {
  it.each([
    ["GET", "/v1/stats", { host: "evil.example" }],
    ["POST", "/v1/leave", { host: "evil.example:7780" }],
    ["POST", "/v1/leave", { origin: "http://evil.example" }],
    ["POST", "/v1/leave", { origin: "null" }],
    ["GET", "/v1/content?url=x", { "sec-fetch-site": "cross-site" }],
    ["GET", "/no-such-route", { host: "evil.example" }],
  ])("refuses %s %s with %j", async (method, path, headers) => {
    expect(await rawStatus(method, path, headers)).toBe(403);
  });

  it("serves a page of its own", async () => {
    expect(await rawStatus("GET", "/v1/stats", { origin: api.url })).toBe(200);
  });
});

describe("HttpApi, injecting", () => {
  it("hands URLs and options to the peer and answers with its report", async () => {
    const urls = ["http://a.example/", "ftp://no"];
    const answer = await post("/v1/inject", { job: "j", urls, options: { depthMax: 2 } });
    expect(answer).toMatchObject({
      status: 200,
      body: { job: "j", added: 1, known: 0, rejectedCount: 1 },
    });
    expect(control.injected).toEqual([{ job: "j", urls, options: { depthMax: 2 } }]);
  });

  it.each([
    ["no job", { urls: [] }],
    ["a job's name that is none", { job: "../x", urls: [] }],
    ["URLs that are no texts", { job: "j", urls: [1] }],
    ["an empty URL", { job: "j", urls: [""] }],
    ["too many URLs", { job: "j", urls: Array.from({ length: 10_001 }, () => "http://a/") }],
    ["an unknown key", { job: "j", urls: [], extra: 1 }],
    ["an unknown option", { job: "j", urls: [], options: { dept: 1 } }],
    ["a number as text", { job: "j", urls: [], options: { depthMax: "1" } }],
    ["a negative delay", { job: "j", urls: [], options: { delayMs: -1 } }],
    ["a priority too high", { job: "j", urls: [], options: { priority: 10 } }],
    ["an unknown scope", { job: "j", urls: [], options: { scope: "web" } }],
    ["a pattern that is none", { job: "j", urls: [], options: { include: ["("] } }],
  ])("refuses %s and tells the peer nothing", async (_name, body) => {
    const answer = await post("/v1/inject", body);
    expect(answer.status).toBe(400);
    const { code } = (answer.body as ApiErrorBody).error;
    expect(["BAD_REQUEST", "CONFIG_INVALID"]).toContain(code);
    expect(control.injected).toEqual([]);
  });

  it.each(["scope", "include", "none"])(
    "refuses a value of %s that is nested deeper than the stack",
    async (option) => {
      const nested = "[".repeat(30_000) + "]".repeat(30_000);
      const headers = { "content-type": "application/json" };
      const body = `{"job":"j","urls":[],"options":{"${option}":${nested}}}`;
      const answer = await call("/v1/inject", { method: "POST", headers, body });
      expect(answer.status).toBe(400);
      const { message } = (answer.body as ApiErrorBody).error;
      expect(message).toMatch(/got a list|a list is no text|unknown job option/);
      expect(message.length).toBeLessThan(400);
    },
  );

  it("refuses JSON that is none, other types, and bodies over the limit", async () => {
    const headers = { "content-type": "application/json" };
    const broken = await call("/v1/inject", { method: "POST", headers, body: "{" });
    expect(broken).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
    const xml = { "content-type": "application/xml" };
    const other = await call("/v1/inject", { method: "POST", headers: xml, body: "<a/>" });
    expect(other).toMatchObject({ status: 415, body: { error: { code: "BAD_REQUEST" } } });
    await api.stop();
    api = newApi({ bodyBytesMax: 100 });
    await api.start();
    const big = await post("/v1/inject", { job: "j", urls: ["http://a/".padEnd(200, "x")] });
    expect(big).toMatchObject({ status: 413, body: { error: { code: "TOO_LARGE" } } });
  });

  it("takes a plain file of URLs of any length in batches", async () => {
    await api.stop();
    api = newApi({ bodyBytesMax: 100 });
    await api.start();
    const lines = Array.from({ length: 2_500 }, (_, i) => `http://a.example/${i}`);
    const answer = await call("/v1/inject?job=big", {
      method: "POST",
      headers: { "content-type": "Text/Plain; charset=utf-8" },
      body: ["# a list", ...lines, "no-url", ""].join("\n"),
    });
    expect(answer.body).toEqual({
      job: "big",
      added: 2_500,
      known: 0,
      rejected: [{ input: "no-url", reason: "invalid-url" }],
      rejectedCount: 1,
    });
    expect(control.injected.map(({ urls }) => urls.length)).toEqual([1_000, 1_000, 501]);
    expect(control.injected.flatMap(({ urls }) => urls).slice(0, 2_500)).toEqual(lines);
  });

  it("takes NDJSON and names a line that is wrong", async () => {
    const init = { method: "POST", headers: { "content-type": "application/x-ndjson" } };
    const good = await call("/v1/inject", { ...init, body: '"http://a/"\n{"url":"http://b/"}\n' });
    expect(good.body).toMatchObject({ job: "default", added: 2 });
    const bad = await call("/v1/inject", { ...init, body: '"http://a/"\nhttp://b/\n' });
    expect(bad).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
  });
});

describe("HttpApi, asking", () => {
  it("answers with the state of many URLs or of one", async () => {
    const many = await post("/v1/status", { urls: ["http://a/", "http://b/"], job: "j" });
    expect(many.body).toMatchObject({
      urls: [
        { url: "http://a/", state: "unknown", job: "j" },
        { url: "http://b/", state: "unknown", job: "j" },
      ],
    });
    const one = await call(`/v1/status?url=${encodeURIComponent("http://a/?x=1&y=2")}`);
    expect(one.body).toMatchObject({ url: "http://a/?x=1&y=2", state: "unknown" });
    const none = await call("/v1/status");
    expect(none).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
  });

  it("hands out an archived body byte for byte, in a sandbox, whatever its headers", async () => {
    const body = Uint8Array.from({ length: 1_000 }, (_, i) => i % 256);
    control.archived.set("http://a/", {
      url: "http://a/\u0000\r\nx: y",
      status: 404,
      statusLine: "HTTP/1.0 404 Gone\u001b[1m",
      fetchedAtMs: 0,
      headers: [
        "Content-Type",
        "text/html",
        "Evil\r\n",
        "x",
        "Content-Length",
        "3",
        "Bad",
        "a\r\nb",
      ],
      body,
      truncated: false,
    });
    const response = await fetch(`${api.url}/v1/content?url=${encodeURIComponent("http://a/")}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html"]);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body);
    expect(response.headers.get("content-security-policy")).toBe("sandbox");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("x-archive-status")).toBe("404");
    const head = await call(`/v1/content/head?url=${encodeURIComponent("http://a/")}`);
    const told = { status: 404, bodyBytes: 1_000, fetchedAt: "1970-01-01T00:00:00.000Z" };
    expect(head.body).toMatchObject({ ...told, statusLine: "HTTP/1.0 404 Gone\u001b[1m" });
    expect(head.body).toHaveProperty("headers.0", ["Content-Type", "text/html"]);
  });

  it("says what is not in the archive, which job there is not, and which route", async () => {
    expect(await call("/v1/content?url=http://x/")).toMatchObject({
      status: 404,
      body: { error: { code: "NOT_ARCHIVED", message: "http://x/ is not in the archive" } },
    });
    expect(await call("/v1/jobs/none")).toMatchObject({
      status: 404,
      body: { error: { code: "JOB_UNKNOWN" } },
    });
    expect(await call("/v1/nothing?x=1")).toMatchObject({
      status: 404,
      body: { error: { code: "NOT_FOUND", message: "no such route: GET /v1/nothing" } },
    });
  });

  it("tells of the peer, its health and its metrics", async () => {
    expect((await call("/v1/stats")).body).toMatchObject({ peer: "peer-0", openRequests: 3 });
    for (const path of ["/healthz", "/v1/healthz"]) {
      expect((await call(path)).body).toEqual({
        status: "ok",
        peer: "peer-0",
        pid: process.pid,
        version: "1.2.3",
      });
    }
    expect(await call("/metrics")).toMatchObject({ status: 200, body: "up 1\n" });
  });
});

describe("HttpApi, jobs", () => {
  it("lists, shows, pauses, resumes and cancels jobs", async () => {
    control.reports.set("j", jobReport("j", { queued: 5 }));
    expect((await call("/v1/jobs")).body).toMatchObject({ jobs: [{ definition: { id: "j" } }] });
    expect((await call("/v1/jobs/j")).body).toMatchObject({ counts: { queued: 5 } });
    for (const [change, state] of [
      ["pause", "paused"],
      ["resume", "running"],
      ["cancel", "cancelled"],
    ]) {
      const answer = await call(`/v1/jobs/j/${change ?? ""}`, { method: "POST" });
      expect(answer).toMatchObject({ status: 200, body: { definition: { state } } });
    }
    expect(control.changes.map(({ change }) => change)).toEqual(["pause", "resume", "cancel"]);
  });

  it("answers at the end of a job", async () => {
    control.reports.set("j", jobReport("j", { queued: 5 }));
    const answer = call("/v1/jobs/j/wait");
    await expect.poll(() => control.waiting).toBe(1);
    control.finish();
    expect((await answer).body).toMatchObject({ finished: true, counts: { queued: 0, pages: 5 } });
  });

  it("answers with an unfinished job when the time is over, and asks the peer no longer", async () => {
    control.reports.set("j", jobReport("j", { queued: 5 }));
    const answer = await call("/v1/jobs/j/wait?timeoutMs=20");
    expect(answer.body).toMatchObject({ finished: false });
    await expect.poll(() => control.waiting).toBe(0);
  });

  it("asks the peer no longer when the asker has gone", async () => {
    control.reports.set("j", jobReport("j", { queued: 5 }));
    const gone = new AbortController();
    const answer = fetch(`${api.url}/v1/jobs/j/wait`, { signal: gone.signal });
    await expect.poll(() => control.waiting).toBe(1);
    gone.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => control.waiting).toBe(0);
  });

  it("answers open questions when it stops", async () => {
    control.reports.set("j", jobReport("j", { queued: 5 }));
    const answer = call("/v1/jobs/j/wait");
    await expect.poll(() => control.waiting).toBe(1);
    await api.stop();
    const { body, headers } = await answer;
    expect(body).toMatchObject({ finished: false });
    // Kept open for a next question, it would be waited for.
    expect(headers.get("connection")).toBe("close");
  });

  it("refuses a time that is none, and a job that is unknown", async () => {
    expect((await call("/v1/jobs/j/wait?timeoutMs=soon")).status).toBe(400);
    expect((await call("/v1/jobs/none/wait")).status).toBe(404);
    expect((await call(`/v1/jobs/${"x".repeat(65)}/wait`)).status).toBe(400);
  });
});

describe("HttpApi, failing", () => {
  it("answers with the peer's own trouble and logs it", async () => {
    control.broken = new CrawlError("DISK_FULL", "no space left in /data");
    expect(await call("/v1/stats")).toMatchObject({
      status: 507,
      body: { error: { code: "DISK_FULL", message: "no space left in /data" } },
    });
    const fields = { route: "/v1/stats", code: "DISK_FULL" };
    expect(logger.events).toMatchObject([{ level: "error", event: "api-request-failed", fields }]);
    expect(bugs).toEqual([]);
  });

  it.each(["MEMBER_UNREACHABLE", "PEER_STOPPED", "SWARM_BUSY"] as const)(
    "warns of %s, a state that passes",
    async (code) => {
      control.broken = new CrawlError(code, "not now");
      expect((await call("/v1/stats")).status).toBe(503);
      const fields = { route: "/v1/stats", code };
      expect(logger.events).toMatchObject([{ level: "warn", event: "api-request-failed", fields }]);
    },
  );

  it("explains an unforeseen failure to the log, not to the asker", async () => {
    control.broken = new Error("secret detail");
    const answer = await call("/v1/stats");
    expect(answer).toMatchObject({ status: 500, body: { error: { code: "INTERNAL" } } });
    expect(JSON.stringify(answer.body)).not.toContain("secret");
    expect(logger.events).toMatchObject([{ fields: { message: "secret detail" } }]);
  });

  it("ends the process on a bug", async () => {
    control.broken = new InvariantError("two owners");
    expect((await call("/v1/stats")).status).toBe(500);
    expect(bugs).toEqual([control.broken]);
  });
});
