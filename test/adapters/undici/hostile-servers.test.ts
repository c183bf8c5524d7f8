import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureOfOutcome, requestTo, responseOf } from "../../contracts/fetcher.ts";
import { HttpHarness } from "./http-harness.ts";

const ok = "HTTP/1.1 200 OK\r\n";

/** Writes `part` again and again until the socket is closed. */
function drip(socket: Socket, part: string): void {
  const timer = setInterval(() => socket.write(part), 5);
  socket.once("close", () => clearInterval(timer));
}

describe("UndiciFetcher against a server that", () => {
  let harness: HttpHarness;
  beforeEach(() => {
    harness = new HttpHarness();
  });
  afterEach(async () => {
    await harness.stop();
  });

  const framings: readonly (readonly [string, string, string])[] = [
    ["closes inside a counted body", `${ok}Content-Length: 9\r\n\r\nx`, "content-length-mismatch"],
    [
      "closes inside a counted body after Connection: close",
      `${ok}Connection: close\r\nContent-Length: 9\r\n\r\nx`,
      "content-length-mismatch",
    ],
    [
      "closes inside a chunked body",
      `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
      "connection-reset",
    ],
    [
      "closes between the chunks of a body",
      `${ok}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`,
      "connection-reset",
    ],
    ["closes inside the head", `${ok}Content-Le`, "connection-reset"],
    ["closes without a word", "", "connection-reset"],
    [
      "sends a chunk without a size",
      `${ok}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      "bad-framing",
    ],
    [
      "sends more than a chunk's size",
      `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nabcdef\r\n0\r\n\r\n`,
      "bad-framing",
    ],
    [
      "names a length and sends chunks",
      `${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      "bad-framing",
    ],
    ["names two lengths", `${ok}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`, "bad-framing"],
    ["lists two lengths", `${ok}Content-Length: 3, 4\r\n\r\nabcd`, "bad-framing"],
    [
      "names a length twice and sends chunks",
      `${ok}Content-Length: 3, 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      "bad-framing",
    ],
    ["names a negative length", `${ok}Content-Length: -3\r\n\r\nabc`, "bad-framing"],
    ["names a length that is no number", `${ok}Content-Length: 3x\r\n\r\nabc`, "bad-framing"],
    ["sends no status", "HTTP/1.1 OK\r\n\r\n", "bad-framing"],
    ["speaks another protocol", "SSH-2.0-OpenSSH_9.9\r\n", "bad-framing"],
    ["sends a folded line without a colon", `${ok}nonsense\r\n more\r\n\r\n`, "bad-framing"],
    ["switches protocols unasked", switching(), "bad-framing"],
    ["switches protocols without a word to which", "HTTP/1.1 101 S\r\n\r\n", "bad-framing"],
    ["sends a status that is none", "HTTP/1.1 099 S\r\nContent-Length: 0\r\n\r\n", "bad-framing"],
  ];

  it.each(framings)("%s", async (_what, bytes, failure) => {
    const site = await harness.says(bytes);
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe(failure);
    expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 0 });
  });

  const body = "Content-Length: 2\r\n\r\nab";
  it.each([
    ["says 100 Continue unasked", `HTTP/1.1 100 Continue\r\n\r\n${ok}${body}`],
    [
      "names a length twice behind Early Hints",
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`,
    ],
    ["folds a field", `${ok}X-Policy: a;\r\n  b\r\n${body}`],
    ["ends its lines with LF alone", `${ok}${body}`.replaceAll("\r\n", "\n")],
    ["has a control character in a field", `${ok}X: a\x01b\r\n${body}`],
    ["names a length twice", `${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`],
    ["lists a length twice", `${ok}Content-Length: 2, 2\r\n\r\nab`],
    ["pads a length", `${ok}Content-Length:  2  \r\n\r\nab`],
    ["pads a length with tabs", `${ok}Content-Length:\t2 \t\r\n\r\nab`],
    ["pads its coding", `${ok}Transfer-Encoding: chunked\t\r\n\r\n2\r\nab\r\n0\r\n\r\n`],
    ["has a comma too many", `${ok}Transfer-Encoding: chunked,\r\n\r\n2\r\nab\r\n0\r\n\r\n`],
    ["pads a chunk's size", `${ok}Transfer-Encoding: chunked\r\n\r\n2  \r\nab\r\n0\r\n\r\n`],
  ])("%s is read all the same, on one connection", async (_what, bytes) => {
    const site = await harness.raw((socket) => socket.write(bytes));
    for (const path of ["/one", "/two"]) {
      const response = responseOf(await harness.fetch(requestTo(site, path)));
      expect(response.status).toBe(200);
      expect(new TextDecoder().decode(response.body)).toBe("ab");
    }
    expect(harness.openSockets).toBe(1);
  });

  it("folds a field gives its value without the line's end", async () => {
    const site = await harness.says(`${ok}X-Policy: a;\r\n  b\r\n${body}`);
    const { headers } = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(headers.slice(0, 2)).toEqual(["X-Policy", "a;  b"]);
  });

  it("names a length twice gives its fields under another name, and a body that does so as it is", async () => {
    const lengths = "Content-Length: 100\r\nContent-Length: 100\r\n\r\n";
    const text = `HTTP/1.1 200 OK\r\n${lengths}`.padEnd(100, ".");
    const site = await harness.says(`${ok}${lengths}${text}`);
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(response.headers.filter((_, index) => index % 2 === 0)).toEqual([
      "Content-Length",
      "X-Orig-Content-Length",
      "X-Orig-Content-Length",
    ]);
    expect(new TextDecoder().decode(response.body)).toBe(text);
  });

  it("sends lines that are no fields gives what it says beside them", async () => {
    const lines = "no field\r\nSet Cookie: a\r\nContent-Length : 3\r\n";
    const site = await harness.says(`${ok}${lines}\r\nabc`);
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(response.headers).toEqual([
      ...["X-Orig-Line", "no field", "X-Orig-Line", "Set Cookie: a"],
      ...["Content-Length", "3"],
    ]);
    expect(new TextDecoder().decode(response.body)).toBe("abc");
  });

  it("ends a body by closing gives the body", async () => {
    const site = await harness.says(`${ok}\r\nall of it`);
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(new TextDecoder().decode(response.body)).toBe("all of it");
    expect(response.truncation).toBeUndefined();
  });

  it.each([
    ["a body without a length", ""],
    ["a body with another transfer coding than chunks", "Transfer-Encoding: identity\r\n"],
  ])("ends %s by a reset gives what came, marked", async (_what, field) => {
    const site = await harness.raw((socket) => {
      socket.write(`${ok}${field}\r\npart`, () => {
        setTimeout(() => socket.resetAndDestroy(), 20);
      });
    });
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(new TextDecoder().decode(response.body)).toBe("part");
    expect(response.truncation).toBe("disconnect");
  });

  const short = gzipSync("x".repeat(90)).subarray(0, -6);
  it.each([
    ["its length", `Content-Length: 9\r\n\r\npart`, "part", "content-length-mismatch"],
    [
      "its last chunk",
      `Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n`,
      "part",
      "connection-reset",
    ],
    [
      "the length of its coding",
      `Content-Encoding: gzip\r\nContent-Length: 99\r\n\r\n${short.toString("latin1")}`,
      "x".repeat(90),
      "content-length-mismatch",
    ],
  ])("breaks a body off before %s gives what came where that is wanted", async (...row) => {
    const [, bytes, text, failure] = row;
    const site = await harness.says(Buffer.from(ok + bytes, "latin1"));
    const asked: string[] = [];
    const wantsPart = (how: string): boolean => asked.push(how) > 1;
    const first = await harness.fetch(requestTo(site, "/", { wantsPart }));
    expect(failureOfOutcome(first)).toBe(failure);
    const response = responseOf(await harness.fetch(requestTo(site, "/", { wantsPart })));
    expect(new TextDecoder().decode(response.body)).toBe(text);
    expect(response.truncation).toBe("disconnect");
    expect(asked).toEqual([failure, failure]);
    expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 0 });
  });

  const moved = "HTTP/1.1 301 Moved\r\nLocation: /there\r\n";
  it.each([
    ["closes before a body's first byte", "Content-Length: 9\r\n\r\n", "disconnect"],
    ["closes inside a body", "Content-Length: 9\r\n\r\nabc", "disconnect"],
    ["sends no size of a chunk", "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", "disconnect"],
  ])("%s gives the head of a redirect where that is wanted", async (_name, rest, mark) => {
    const site = await harness.says(Buffer.from(`${moved}${rest}`, "latin1"));
    const wantsPart = (_how: string, status: number): boolean => status === 301;
    const response = responseOf(await harness.fetch(requestTo(site, "/", { wantsPart })));
    expect(response.headers).toContain("/there");
    expect(response.truncation).toBe(mark);
  });

  it.each([{ idleTimeoutMs: 60 }, { totalTimeoutMs: 60 }])(
    "falls silent behind the head of a redirect gives that where it is wanted (%o)",
    async (limits) => {
      const site = await harness.raw((socket) => socket.write(`${moved}Content-Length: 9\r\n\r\n`));
      const request = requestTo(site, "/", { wantsPart: () => true }, limits);
      const response = responseOf(await harness.fetch(request));
      expect(response).toMatchObject({ status: 301, body: new Uint8Array(), truncation: "time" });
    },
  );

  it.each([
    [
      "closes before the first byte of a body",
      "Content-Length: 9\r\n\r\n",
      "content-length-mismatch",
    ],
    [
      "breaks the rules inside a body",
      "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\nxyz\r\n",
      "bad-framing",
    ],
  ])("%s has failed, although a part is wanted", async (_what, bytes, failure) => {
    const site = await harness.says(ok + bytes);
    const request = requestTo(site, "/", { wantsPart: () => true });
    expect(failureOfOutcome(await harness.fetch(request))).toBe(failure);
  });

  it("sends a head without end", async () => {
    const site = await harness.raw((socket) => {
      socket.write(`${ok}X-Endless: `);
      drip(socket, "x".repeat(8_192));
    });
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe("head-too-large");
  });

  it("sends a reason phrase without end", async () => {
    const site = await harness.raw((socket) => {
      socket.write("HTTP/1.1 200 ");
      drip(socket, "x".repeat(8_192));
    });
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe("head-too-large");
  });

  it("sends a head above the limit of the request", async () => {
    const site = await harness.says(`${ok}X-Large: ${"x".repeat(600)}\r\n\r\n`);
    const large = await harness.fetch(requestTo(site, "/", {}, { headBytesMax: 512 }));
    const small = await harness.fetch(requestTo(site, "/", {}, { headBytesMax: 1_024 }));
    expect([large, small].map(failureOfOutcome)).toEqual(["head-too-large", "response 200"]);
  });

  it("drips its head", async () => {
    const site = await harness.raw((socket) => {
      socket.write(ok);
      drip(socket, "X-Drip: 1\r\n");
    });
    const request = requestTo(site, "/", {}, { headTimeoutMs: 60 });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("head-timeout");
  });

  it("sends informational responses for ever", async () => {
    const site = await harness.raw((socket) => drip(socket, "HTTP/1.1 102 Processing\r\n\r\n"));
    const request = requestTo(site, "/", {}, { headTimeoutMs: 60 });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("head-timeout");
  });

  it.each([
    [32, "response 200"],
    [33, "bad-framing"],
  ])("sends %i informational responses before another: %s", async (count, expected) => {
    const informational = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(count);
    const site = await harness.says(`${informational}${ok}Content-Length: 1\r\n\r\nx`);
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe(expected);
  });

  it("drips its body: cut by the total time, with what has come", async () => {
    const site = await harness.raw((socket) => {
      socket.write(`${ok}Content-Length: 100000\r\n\r\nx`);
      drip(socket, "x");
    });
    const request = requestTo(site, "/", {}, { idleTimeoutMs: 2_000, totalTimeoutMs: 60 });
    const response = responseOf(await harness.fetch(request));
    expect(response.truncation).toBe("time");
    expect(response.body.length).toBeGreaterThan(0);
    expect(response.body.every((byte) => byte === 0x78)).toBe(true);
  });

  it("drips its body, but ends it, gives the body", async () => {
    const site = await harness.raw((socket) => {
      socket.write(`${ok}Content-Length: 60\r\n\r\n`);
      drip(socket, "x");
    });
    const request = requestTo(site, "/", {}, { idleTimeoutMs: 100 });
    const response = responseOf(await harness.fetch(request));
    expect([response.body.length, response.truncation]).toEqual([60, undefined]);
  });

  it("breaks off inside a head on a reused connection is not asked again", async () => {
    let heads = 0;
    const site = await harness.raw((socket) => {
      heads += 1;
      if (heads === 1) socket.write(`${ok}Content-Length: 1\r\n\r\nx`);
      else socket.end("HTTP/1.1 2");
    });
    const outcomes = [await harness.fetch(requestTo(site, "/"))];
    outcomes.push(await harness.fetch(requestTo(site, "/")));
    expect(outcomes.map(failureOfOutcome)).toEqual(["response 200", "connection-reset"]);
    expect(heads).toBe(2);
  });

  it("tells a connection that had been idle that it waited too long has not answered", async () => {
    const timeout = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
    let heads = 0;
    const site = await harness.raw((socket) => {
      heads += 1;
      socket.write(heads === 1 ? `${ok}Content-Length: 1\r\n\r\nx` : timeout);
    });
    const outcomes = [await harness.fetch(requestTo(site, "/"))];
    outcomes.push(await harness.fetch(requestTo(site, "/")));
    outcomes.push(await harness.fetch(requestTo(site, "/")));
    expect(outcomes.map(failureOfOutcome)).toEqual([
      "response 200",
      "connection-stale",
      "response 408",
    ]);
  });

  it("sends a head and no body until the total time is over", async () => {
    const site = await harness.raw((socket) => socket.write(`${ok}Content-Length: 9\r\n\r\n`));
    const request = requestTo(site, "/", {}, { totalTimeoutMs: 60 });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("total-timeout");
  });

  it("falls silent inside a body", async () => {
    const site = await harness.raw((socket) => socket.write(`${ok}Content-Length: 9\r\n\r\nx`));
    const request = requestTo(site, "/", {}, { idleTimeoutMs: 60 });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("idle-timeout");
  });

  it("never ends a body that has come gives it where that is wanted, marked", async () => {
    const site = await harness.raw((socket) => socket.write(`${ok}\r\n<a href=x>`));
    const asked: string[] = [];
    const wantsPart = (how: string): boolean => asked.push(how) > 1;
    const request = requestTo(site, "/", { wantsPart }, { idleTimeoutMs: 60 });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("idle-timeout");
    const response = responseOf(await harness.fetch(request));
    expect(new TextDecoder().decode(response.body)).toBe("<a href=x>");
    expect(response.truncation).toBe("time");
    expect(asked).toEqual(["idle-timeout", "idle-timeout"]);
    expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 0 });
  });

  it("sends chunk extensions for ever", async () => {
    const site = await harness.raw((socket) => {
      socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n5;`);
      drip(socket, "x=y;");
    });
    const request = requestTo(site, "/", {}, { idleTimeoutMs: 60 });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("idle-timeout");
  });

  it("sends trailers for ever", async () => {
    const site = await harness.raw((socket) => {
      socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`);
      drip(socket, `X-Trailer: ${"x".repeat(4_096)}\r\n`);
    });
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe("head-too-large");
  });

  it("never stops sending: cut at the limit, and the connection is dropped", async () => {
    const closed = Promise.withResolvers<undefined>();
    const site = await harness.raw((socket) => {
      socket.once("close", () => closed.resolve(undefined));
      socket.write(`${ok}\r\n`);
      drip(socket, "x".repeat(16_384));
    });
    const request = requestTo(site, "/", {}, { bodyBytesMax: 100_000 });
    const response = responseOf(await harness.fetch(request));
    expect([response.body.length, response.truncation]).toEqual([100_000, "length"]);
    await closed.promise;
  });

  it("answers more than was asked does not answer the next request with it", async () => {
    const answer = (body: string): string => `${ok}Content-Length: 5\r\n\r\n${body}`;
    let heads = 0;
    const site = await harness.raw((socket) => {
      heads += 1;
      socket.write(heads === 1 ? answer("first") + answer("wrong") : answer("right"));
    });
    const bodies: string[] = [];
    for (const path of ["/1", "/2"]) {
      const response = responseOf(await harness.fetch(requestTo(site, path)));
      bodies.push(new TextDecoder().decode(response.body));
    }
    expect(bodies).toEqual(["first", "right"]);
  });
});

function switching(): string {
  return "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
}
