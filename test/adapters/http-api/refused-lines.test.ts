import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import type { HttpApiOptions } from "../../../src/adapters/http-api/http-api-options.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

const notUtf8 = Buffer.from("http://a.example/caf\xe9\n", "latin1");
/** More than the system keeps between two processes. */
const restBytes = 48 * 1_024 * 1_024;
const refused = /^HTTP\/1\.1 400 [^]*line 1 is not UTF-8/;

let api: HttpApi;

afterEach(() => api.stop());

/** A connection on which an injection of lines has begun, of which the first is refused. */
async function begun(
  lengthBytes: number,
  {
    connection = "keep-alive",
    type = "text/plain",
    ...options
  }: Partial<HttpApiOptions> & { connection?: string; type?: string } = {},
): Promise<Socket> {
  api = fakePeerApi(new FakePeerControl(), {}, options);
  await api.start();
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const head = [
    "POST /v1/inject HTTP/1.1",
    `Host: ${hostname}:${port}`,
    `Connection: ${connection}`,
    `Content-Type: ${type}`,
    `Content-Length: ${notUtf8.length + lengthBytes}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(notUtf8);
  return socket;
}

/** Resolves when the system has all of it. */
function write(socket: Socket, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** What comes first. */
async function answerOf(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString();
}

it("is told why by a client that sends all before it reads, which then asks on", async () => {
  const socket = await begun(restBytes);
  await write(socket, Buffer.alloc(restBytes, "x"));
  expect(await answerOf(socket)).toMatch(refused);
  await write(socket, `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

it("is told so where the connection ends with the answer", async () => {
  const socket = await begun(restBytes, { connection: "close" });
  await write(socket, Buffer.alloc(restBytes, "x"));
  expect(await text(socket)).toMatch(refused);
});

it("tells a client at once that has not sent all yet, and waits no longer for the rest than it may", async () => {
  const socket = await begun(restBytes, { dropMsMax: 300 });
  expect(await answerOf(socket)).toMatch(refused);
  await once(socket, "close");
});

it.each([
  ["is too long", "application/json", "keep-alive", /^HTTP\/1\.1 413 /],
  [
    "has a coding that is not taken",
    "text/plain; charset=latin1",
    "keep-alive",
    /^HTTP\/1\.1 415 /,
  ],
  ["is of no type that is taken", "image/png", "close", /^HTTP\/1\.1 415 /],
])("is told why where a body %s, once all is sent", async (_what, type, connection, answer) => {
  const socket = await begun(restBytes, { connection, type });
  await write(socket, Buffer.alloc(restBytes, "x"));
  expect(await text(socket)).toMatch(answer);
});

it("reads no more of the rest than it may", async () => {
  const socket = await begun(restBytes, { dropBytesMax: 1_000_000 });
  const failed = once(socket, "error");
  socket.write(Buffer.alloc(restBytes, "x"));
  const [error] = (await failed) as [Error];
  expect(error).toMatchObject({ code: expect.stringMatching(/^(?:EPIPE|ECONNRESET)$/) as string });
});
