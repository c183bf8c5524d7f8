import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiErrorBody } from "../../../src/adapters/http-api/api-error.ts";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

/** Keeps what operators are told; resolves with what developers are told first. */
class MistakeLogger implements Logger {
  readonly told: string[] = [];
  readonly #debugged = Promise.withResolvers<string>();
  readonly debugged = this.#debugged.promise;
  readonly debug = (event: string): void => this.#debugged.resolve(event);
  readonly info = (): void => undefined;
  readonly warn = (event: string): void => void this.told.push(event);
  readonly error = (event: string): void => void this.told.push(event);
}

let logger: MistakeLogger;
let api: HttpApi;

beforeEach(async () => {
  logger = new MistakeLogger();
  api = fakePeerApi(new FakePeerControl(), { logger });
  await api.start();
});

afterEach(async () => {
  await api.stop();
  expect(logger.told).toEqual([]);
});

async function call(path: string, method: string, init: RequestInit = {}) {
  const response = await fetch(api.url + path, { method, ...init });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** An injection. */
function post(type: string, body: string) {
  return call("/v1/inject", "POST", { headers: { "content-type": type }, body });
}

const lineTypes = ["text/plain", "application/x-ndjson"];

describe("HttpApi, asked wrongly", () => {
  it.each(["/v1/inject", "/v1/status"])("refuses a request to %s without a body", async (path) => {
    const answer = await call(path, "POST");
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
  });

  it.each([
    [{ delay: 5 }, /^unknown job option "delay" \(known: scope, .*delayMs/],
    [
      { delayMs: "x", priority: 99, scope: 3, prio: 1 },
      /^delayMs must be .*got "x"; priority .*; scope must be one of page, .*; unknown .*"prio"/,
    ],
  ])("names all that is wrong with the options %j", async (options, message) => {
    const answer = await post("application/json", JSON.stringify({ job: "j", urls: [], options }));
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: { code: "CONFIG_INVALID", message: expect.stringMatching(message) as string },
      },
    });
  });

  it.each([
    [{ job: "j", urls: [], dept: 1 }, 'the body has an unknown "dept" (known: job, urls, options)'],
    [{ job: "j", urls: ["http://a.example/", 1] }, '"urls/1" of the body must be string'],
    [{ job: "j" }, "the body must have required property 'urls'"],
    [{ job: "j", urls: [], ["x".repeat(999)]: 1 }, `the body has an unknown "${"x".repeat(80)}" `],
  ])("says what is wrong with a body", async (body, message) => {
    const answer = await post("application/json", JSON.stringify(body));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
    expect((answer.body as ApiErrorBody).error.message.slice(0, message.length)).toBe(message);
  });

  it.each([
    ["lists", "[],"],
    ["objects", "{},"],
    ["nested lists", "["],
    ["names", '"":1,'],
    ["texts", '"",'],
  ])("parses no body of countless %s", async (_what, piece) => {
    const message =
      "the body has more than 100,000 lists, objects, names and values: no request needs so many";
    for (const path of ["/v1/inject", "/v1/status", "/v1/jobs/j/pause"]) {
      const init = { headers: { "content-type": "application/json" }, body: piece.repeat(100_001) };
      const answer = await call(path, "POST", init);
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { code: "BAD_REQUEST", message } },
      });
    }
  });

  it("takes URLs whose characters look like countless values", async () => {
    const url = `http://a.example/\\?"${"[{,:".repeat(1_000)}`;
    const urls = Array.from({ length: 1_000 }, (_, at) => `${url}${at}`);
    const answer = await post("application/json", JSON.stringify({ job: "j", urls }));
    expect(answer).toMatchObject({ status: 200, body: { added: 1_000 } });
  });

  it("tells of a list with ten times the URLs that it takes how many there may be", async () => {
    const urls = Array.from({ length: 99_990 }, () => "http://a.example/");
    const answer = await post("application/json", JSON.stringify({ job: "j", urls }));
    const message = '"urls" of the body must NOT have more than 10000 items';
    expect(answer).toMatchObject({ status: 400, body: { error: { message } } });
  });

  it("takes no JSON for another job than the query names", async () => {
    const headers = { "content-type": "application/json" };
    const init = { headers, body: '{"job":"j","urls":["http://a.example/"]}' };
    expect(await call("/v1/inject?job=k", "POST", init)).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "BAD_REQUEST",
          message: 'the query names job "k", and the body "j"; name it in the body alone',
        },
      },
    });
    expect(await call("/v1/inject?job=j", "POST", init)).toMatchObject({ status: 200 });
  });

  it.each([
    [
      "/v1/urls?job=j&state=gone",
      '"state" of the query must be one of "queued", "fetched", "failed", "excluded", got "gone"',
    ],
    ["/v1/stats?own=maybe", '"own" of the query must be one of "", "true", "false", got "maybe"'],
    ["/v1/jobs?owm", 'the query has an unknown "owm" (known: own)'],
    ["/v1/urls", "the query must have required property 'job'"],
    ["/v1/status?url=", '"url" of the query must not be empty'],
    [
      "/v1/jobs/j/wait?timeoutMs=-1",
      '"timeoutMs" of the query must be a whole number of at most nine digits, got "-1"',
    ],
  ])("says what is wrong with the query of %s", async (path, message) => {
    const answer = await call(path, "GET");
    expect(answer.body).toEqual({ error: { code: "BAD_REQUEST", message } });
  });

  it("names the types of a body that it takes to who sends another", async () => {
    const answer = await post("application/x-www-form-urlencoded", '{"urls":[]}');
    expect(answer).toMatchObject({ status: 415, body: { error: { code: "BAD_REQUEST" } } });
    const { message } = (answer.body as ApiErrorBody).error;
    for (const type of lineTypes) expect(message).toContain(type);
    expect(message).toContain("application/json");
  });

  it.each([
    ["in another charset", { "content-type": "text/plain; charset=iso-8859-1" }],
    ["compressed", { "content-type": "text/plain", "content-encoding": "gzip" }],
  ])("takes no lines %s", async (_, headers) => {
    const answer = await call("/v1/inject", "POST", { headers, body: "http://a.example/\n" });
    expect(answer).toMatchObject({ status: 415, body: { error: { code: "BAD_REQUEST" } } });
  });

  it.each(["/v1/inject", "/v1/status"])("takes no JSON by %s but plain UTF-8", async (path) => {
    const body = '{"job":"j","urls":["http://a.example/"]}';
    const inLatin1 = { "content-type": "application/json; charset=iso-8859-1" };
    const compressed = { "content-type": "application/json", "content-encoding": "gzip" };
    for (const headers of [inLatin1, compressed]) {
      const answer = await call(path, "POST", { headers, body });
      expect(answer).toMatchObject({ status: 415, body: { error: { code: "BAD_REQUEST" } } });
    }
    const type = { "content-type": "application/json" };
    const garbled = { headers: type, body: Buffer.from(body.replace('/"', '/\u00e4"'), "latin1") };
    expect(await call(path, "POST", garbled)).toMatchObject({ status: 415 });
    const headers = { "content-type": 'Application/JSON; charset="UTF-8"' };
    expect(await call(path, "POST", { headers, body })).toMatchObject({ status: 200 });
  });

  it.each(["; charset=UTF-8", ';charset="utf-8"', "; format=flowed"])(
    "takes lines of text/plain%s",
    async (parameters) => {
      const answer = await post(`text/plain${parameters}`, "http://a.example/\n");
      expect(answer).toMatchObject({ status: 200, body: { added: 1 } });
    },
  );

  it.each(lineTypes)("names a line of %s that is too long", async (type) => {
    const answer = await post(type, `"http://a.example/"\n"${"x".repeat(70_000)}"\n`);
    expect(answer.body).toEqual({
      error: { code: "TOO_LARGE", message: "line 2 is longer than 65536 characters" },
    });
  });

  it.each([...lineTypes, "application/json"])(
    "takes a body of %s that breaks off for no trouble of the peer's",
    async (type) => {
      const headers = { "content-type": type, "content-length": "1000" };
      const sent = request(`${api.url}/v1/inject`, { method: "POST", headers });
      const failed = once(sent, "error");
      sent.write('"http://a.example/"\n', () => sent.destroy(new Error("gone")));
      await failed;
      expect(await logger.debugged).toBe("api-request-broken-off");
    },
  );

  it("closes a connection whose request never comes to an end", async () => {
    const patient = fakePeerApi(new FakePeerControl(), { logger }, { silenceMsMax: 300 });
    await patient.start();
    const { port } = new URL(patient.url);
    const socket = connect(Number(port), "127.0.0.1");
    const head = `host: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: 9`;
    socket.write(`POST /v1/inject HTTP/1.1\r\n${head}\r\n\r\n{`);
    await once(socket.resume(), "close");
    await patient.stop();
  });

  it("reads a question for the longest URL there may be", async () => {
    const url = `http://a.example/${"%C3%A4".repeat(2_700)}`;
    const answer = await call(`/v1/content?${new URLSearchParams({ url }).toString()}`, "GET");
    expect(answer).toMatchObject({ status: 404, body: { error: { code: "NOT_ARCHIVED" } } });
  });

  it.each([
    ["what is no HTTP at all", "what is this\r\n\r\n", 400, "is not an HTTP request"],
    ["a request for no host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "Host"],
    [
      "an expectation that it does not know",
      "POST /v1/leave HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: magic\r\n\r\n",
      417,
      "Expect",
    ],
    [
      "a longer URL than it reads",
      `GET /url?url=http://a.example/${"y".repeat(70_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
      431,
      "longer together than this API reads",
    ],
  ])("answers to %s as to any other mistake", async (_what, sent, status, told) => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname).end(sent);
    const [head, body = ""] = (await text(socket)).split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `, "u"));
    const message: unknown = expect.stringContaining(told);
    expect(JSON.parse(body)).toMatchObject({ error: { code: "BAD_REQUEST", message } });
  });

  it.each(["/v1/jobs/%E0%A4%A", "/%"])("answers to %s as to any other mistake", async (path) => {
    const answer = await call(path, "GET");
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
  });

  it.each([
    ["POST", "/v1/stats", "GET, HEAD"],
    ["DELETE", "/v1/jobs/j", "GET, HEAD"],
    ["GET", "/v1/leave", "POST"],
    ["PUT", "/v1/status", "GET, HEAD, POST"],
    ["OPTIONS", "/metrics", "GET, HEAD"],
  ])("says to %s %s which methods there are", async (method, path, allowed) => {
    const { status, headers, body } = await call(path, method);
    expect(status).toBe(405);
    expect(headers.get("allow")?.split(", ").sort().join(", ")).toBe(allowed);
    expect(body).toMatchObject({ error: { code: "METHOD_NOT_ALLOWED" } });
  });

  it("looks at no body that comes with a wrong method", async () => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${api.url}/v1/stats`, { method: "PUT", headers, body: "{" });
    expect(answer.status).toBe(405);
  });

  it("names a hundred of the lines of a file that are no URLs, and counts all", async () => {
    const lines = Array.from({ length: 1_130 }, (_, at) => `no-url-${at}`);
    const { body } = await post("text/plain", lines.join("\n"));
    const rejected = lines.slice(0, 100).map((input) => ({ input, reason: "invalid-url" }));
    expect(body).toMatchObject({ rejected, rejectedCount: 1_130 });
  });
});
