import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";

import { afterEach, describe, expect, test } from "vitest";

import { readHitLog } from "../../../sim/auditor/hit-log-reader.ts";
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import {
  defaultSampleWebOptions,
  plainSampleWebOptions,
  type PageKind,
  type SampleWebOptions,
} from "../../../sim/sample-web/sample-web-options.ts";
import { SampleServer } from "../../../sim/sample-web/sample-server.ts";
import { getPlainly } from "../../support/crawl-plainly.ts";

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
const agents: Agent[] = [];
const servers: SampleServer[] = [];
const directories: string[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const server of servers.splice(0)) await server.stop();
  for (const path of directories.splice(0)) await rm(path, { recursive: true });
});

async function startWith(options: SampleWebOptions, logFile?: string): Promise<SampleServer> {
  const server = await SampleServer.start(options, logFile === undefined ? {} : { logFile });
  servers.push(server);
  return server;
}

function agent(): Agent {
  const made = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(made);
  return made;
}

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "sample-server-"));
  directories.push(path);
  return path;
}

function firstOf(server: SampleServer, kind: PageKind): string {
  for (let id = 0; id < server.web.layout.pageCount; id += 1) {
    if (server.web.kindOf(id) === kind) return server.web.urlOf(id);
  }
  throw new RangeError(`no ${kind} page`);
}

/** What the server sends for raw bytes, until it closes. */
async function exchange(server: SampleServer, request: string): Promise<string> {
  const socket = connect(server.port, server.web.names.addresses()[0]);
  socket.write(request);
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes.toString("latin1")));
  await once(socket, "close");
  return answer;
}

describe("the sample server", () => {
  test("sends byte for byte what the web says, on every address, coded or not", async () => {
    const server = await startWith({
      ...defaultSampleWebOptions,
      totalPages: 300,
      slowMs: 1,
      throttleHits: 0,
    });
    const { web } = server;
    expect(web.names.addresses()).toHaveLength(40);
    const client = agent();
    const codings = new Set<string>();
    for (let id = 0; id < web.layout.pageCount; id += 1) {
      if (web.kindOf(id) === "reset") continue;
      const url = web.urlOf(id);
      const page = web.page(url);
      const accept = id % 4 === 0 ? {} : { "accept-encoding": "gzip, br, zstd" };
      const { status, headers, body } = await getPlainly(web, url, client, accept);
      const coding = headers["content-encoding"] as keyof typeof decoders | undefined;
      if (coding !== undefined) codings.add(coding);
      expect(coding).toBe(id % 4 === 0 ? undefined : page.coding);
      expect(status).toBe(page.status);
      const plain = coding === undefined ? body : decoders[coding](body);
      expect(Buffer.compare(plain, page.body)).toBe(0);
      for (const [name, value] of page.headers) expect(headers[name]).toBe(value);
      expect(headers["transfer-encoding"]).toBe(page.chunked ? "chunked" : undefined);
    }
    expect([...codings].sort()).toEqual(["br", "gzip", "zstd"]);
    expect(new Set(server.hits.map((hit) => hit.address)).size).toBeGreaterThan(30);
  });

  test("logs who asked what, where, when, and how it was answered", async () => {
    const server = await startWith(plainSampleWebOptions);
    const url = server.web.rootUrl(3);
    const { body } = await getPlainly(server.web, url, agent());
    await getPlainly(server.web, url.replace(/\/$/, "/none?a=1"), agent());
    const [first, second] = server.hits;
    expect(first).toMatchObject({
      host: "www.site-0003.example",
      address: "127.1.0.7",
      client: "127.0.0.1",
      method: "GET",
      path: "/",
      status: 200,
      bytes: body.length,
      userAgent: "plain/1.0 (+http://plain.example/)",
      complete: true,
    });
    expect(second).toMatchObject({ path: "/none?a=1", status: 404 });
    expect(first?.finishedAtMs).toBeGreaterThan(first?.arrivedAtMs ?? Infinity);
    expect(second?.arrivedAtMs).toBeGreaterThan(first?.finishedAtMs ?? Infinity);
    expect(Math.abs((first?.arrivedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test.each([
    ["throttled", 429],
    ["unavailable", 503],
  ] as const)("sends a %s page after as many %i as it is told", async (kind, status) => {
    const shares = { ...plainSampleWebOptions.shares, [kind]: 0.1 };
    const options = { ...plainSampleWebOptions, shares, throttleHits: 2, retryAfterSeconds: 7 };
    const server = await startWith(options);
    const url = firstOf(server, kind);
    const client = agent();
    for (let hit = 0; hit < 2; hit += 1) {
      const answer = await getPlainly(server.web, url, client);
      expect(answer.status).toBe(status);
      expect(answer.headers["retry-after"]).toBe("7");
    }
    expect((await getPlainly(server.web, url, client)).status).toBe(200);
  });

  test("resets a connection where the web says so, and logs it with status 0", async () => {
    const shares = { ...plainSampleWebOptions.shares, reset: 0.1 };
    const server = await startWith({ ...plainSampleWebOptions, shares });
    const url = firstOf(server, "reset");
    const { hostname, host, pathname, search } = new URL(url);
    const found = server.web.names.findHost(hostname) ?? { site: 0, label: 0 };
    const socket = connect(server.port, server.web.names.addressOf(found));
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    const [error] = (await once(socket, "error")) as [Error];
    expect(error).toMatchObject({ code: "ECONNRESET" });
    expect(server.hits).toMatchObject([{ status: 0, complete: true }]);
  });

  test("makes a slow page wait, and marks it unfinished when the client leaves", async () => {
    const shares = { ...plainSampleWebOptions.shares, slow: 0.1 };
    const server = await startWith({ ...plainSampleWebOptions, shares, slowMs: 40 });
    const url = firstOf(server, "slow");
    await getPlainly(server.web, url, agent());
    const [hit] = server.hits;
    // A timer may fire a millisecond early.
    expect((hit?.finishedAtMs ?? 0) - (hit?.arrivedAtMs ?? 0)).toBeGreaterThanOrEqual(39);

    const { host, pathname } = new URL(url);
    const socket = connect(server.port, hit?.address);
    const written = new Promise((resolve) => {
      socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\nGET / HTTP/1.1\r\n`, resolve);
    });
    await written;
    socket.end();
    await once(socket.resume(), "close");
    await server.stop();
    expect(server.hits.slice(1)).toMatchObject([{ path: pathname, status: 0, complete: false }]);
  });

  test("answers 304 to a client that has the page already", async () => {
    const server = await startWith(plainSampleWebOptions);
    const url = server.web.rootUrl(0);
    const { headers } = await getPlainly(server.web, url, agent());
    const condition = { "if-none-match": String(headers.etag) };
    const { status, body } = await getPlainly(server.web, url, agent(), condition);
    expect([status, body.length]).toEqual([304, 0]);
  });

  test("answers requests of one connection in order, and closes when asked", async () => {
    const server = await startWith({ ...plainSampleWebOptions, totalPages: 40 });
    const host = "host: www.site-0000.example";
    const answer = await exchange(
      server,
      `HEAD / HTTP/1.1\r\n${host}\r\n\r\nGET /none HTTP/1.1\r\n${host}\r\nconnection: close\r\n\r\n`,
    );
    expect(answer.match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404"]);
    expect(answer).not.toContain("Page 0 of site 0");
  });

  test.each([
    ["no request line", "hello\r\n\r\n"],
    ["a body", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc"],
  ])("refuses %s", async (_, request) => {
    const server = await startWith({ ...plainSampleWebOptions, totalPages: 40 });
    expect(await exchange(server, request)).toMatch(/^HTTP\/1.1 400/);
    expect(server.hits).toEqual([]);
  });

  test("drops a head that never ends", async () => {
    const server = await startWith({ ...plainSampleWebOptions, totalPages: 40 });
    expect(await exchange(server, `GET / HTTP/1.1\r\n${"a: b\r\n".repeat(4_000)}`)).toBe("");
  });

  test("reports a port that is taken", async () => {
    const { port } = await startWith({ ...plainSampleWebOptions, totalPages: 40 });
    const options = { ...plainSampleWebOptions, totalPages: 40 };
    await expect(SampleServer.start(options, { port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  test("appends its hits to a file that is whole after it stops", async () => {
    const logFile = join(await directory(), "hits.ndjson");
    for (let round = 0; round < 2; round += 1) {
      const server = await startWith(plainSampleWebOptions, logFile);
      for (let site = 0; site < 3; site += 1) {
        await getPlainly(server.web, server.web.rootUrl(site), agent());
      }
      await server.stop();
      const hits: Hit[] = [];
      for await (const hit of readHitLog(logFile)) hits.push(hit);
      expect(hits).toHaveLength(3 * (round + 1));
      expect(hits.slice(-3)).toEqual(server.hits);
    }
  });

  test.each([
    [2, ["--frob"], "Unknown option '--frob'; --help lists what there is"],
    [
      1,
      ["--sites", "2", "--log", "/no/such/log"],
      "ENOENT: no such file or directory, open '/no/such/log'",
    ],
    [2, ["--sites", "none"], "sites must be a number, got none"],
    [
      1,
      ["--sites", "2", "--dns-port", "TAKEN"],
      "port TAKEN of 127.0.0.1 is in use; name another one",
    ],
  ])("ends with %d and a plain line where it is run with %j", async (code, words, line) => {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    const place = (word: string): string => word.replace("TAKEN", String(socket.address().port));
    const main = join(import.meta.dirname, "../../../sim/sample-web/main.ts");
    const child = spawn(process.execPath, [main, ...words.map(place)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    expect(await once(child, "close")).toEqual([code, null]);
    expect(said).toBe(`sample-web: ${place(line)}\n`);
    socket.close();
  });

  test("runs as a process of its own and ends in order when told to", async () => {
    const logFile = join(await directory(), "hits.ndjson");
    const main = join(import.meta.dirname, "../../../sim/sample-web/main.ts");
    const flags = [
      "--preset",
      "plain",
      "--sites",
      "2",
      "--pages",
      "20",
      "--log",
      logFile,
      "--json",
    ];
    const child = spawn(process.execPath, [main, ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const ready = JSON.parse(line.toString()) as { port: number; dnsPort: number; pages: number };
    expect(ready).toMatchObject({ pages: 20, sites: 2, hosts: 4, addresses: 4 });
    expect(ready.dnsPort).toBeGreaterThan(0);
    expect((await fetch(`http://127.1.0.1:${ready.port}/robots.txt`)).status).toBe(404);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect((await readFile(logFile, "utf8")).trim().split("\n")).toHaveLength(1);
  });
});
