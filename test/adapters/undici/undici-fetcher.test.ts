import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CanonicalUrl, IpAddress } from "../../../src/core/units.ts";
import {
  describeFetcher,
  failureOfOutcome,
  requestTo,
  responseOf,
} from "../../contracts/fetcher.ts";
import type { SeenRequest, ServedAnswer, ServedOrigin } from "../../contracts/fetcher.ts";
import { HttpHarness } from "./http-harness.ts";

/** Sockets of this process; one that is closed goes in the last phase of the event loop's turn. */
async function openSockets(): Promise<readonly string[]> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP"));
}

describeFetcher("UndiciFetcher", () => {
  const harness = new HttpHarness();
  const serve = (answer: (request: SeenRequest) => ServedAnswer): Promise<ServedOrigin> =>
    harness.http((request, response) => {
      const headers = request.headers as SeenRequest["headers"];
      const served = answer({ path: request.url ?? "", headers });
      if (served.kind === "reset") request.socket.destroy();
      if (served.kind !== "page") return;
      response.writeHead(served.status, [...served.headers]);
      response.end(served.body);
    });
  return Promise.resolve({
    fetcher: harness.fetcher,
    serve,
    unserved: () => harness.unserved(),
    settle: (outcome) => outcome,
    stop: () => harness.stop(),
  });
});

describe("UndiciFetcher", () => {
  let harness: HttpHarness;
  beforeEach(() => {
    harness = new HttpHarness();
  });
  afterEach(async () => {
    await harness.stop();
  });

  it("does not send what is late by the time there is a connection, and goes on with what is not", async () => {
    const asked: (string | undefined)[] = [];
    const site = await harness.http((request, response) => {
      asked.push(request.url);
      response.end();
    });
    const late = { ...requestTo(site, "/late"), isLate: () => true };
    expect(failureOfOutcome(await harness.fetch(late))).toBe("aborted");
    await harness.fetch({ ...requestTo(site, "/in-time"), isLate: () => false });
    expect(failureOfOutcome(await harness.fetch(late))).toBe("aborted");
    await harness.fetch(requestTo(site, "/after"));
    expect(asked).toEqual(["/in-time", "/after"]);
    expect(harness.fetcher.connections.leased).toBe(0);
  });

  it("keeps the head of the response and of the request as they were on the wire", async () => {
    let seen = "";
    const site = await harness.raw((socket, head) => {
      seen = head;
      socket.end(
        "HTTP/1.1 203 Very Fine\r\nX-ODD: \xe9\r\nset-Cookie: a\r\nset-Cookie: b\r\n\r\nhi",
      );
    });
    const response = responseOf(await harness.fetch(requestTo(site, "/x?y")));
    expect(response.statusText).toBe("Very Fine");
    expect(response.headers).toEqual(["X-ODD", "\xc3\xa9", "set-Cookie", "a", "set-Cookie", "b"]);
    const sent = [`GET /x?y HTTP/1.1`];
    for (let at = 0; at < response.requestHeaders.length; at += 2) {
      sent.push(response.requestHeaders.slice(at, at + 2).join(": "));
    }
    expect(seen).toBe(`${sent.join("\r\n")}\r\n\r\n`);
    expect(seen).toContain("User-Agent: orbweaver/0.0.0 (+https://crawler.test/)\r\n");
    expect(seen).toContain("Accept-Encoding: gzip, deflate, br, zstd\r\n");
  });

  it("gives the version of HTTP that each response names", async () => {
    const [asked, seen]: [string[], string[]] = [[], []];
    const site = await harness.raw((socket, head) => {
      asked.push(head);
      const line =
        asked.length === 2 ? "HTTP/1.0 200 OK\r\nConnection: keep-alive" : "HTTP/1.1 200";
      socket.write(`HTTP/1.1 103 Early\r\n\r\n${line}\r\nContent-Length: 0\r\n\r\n`);
    });
    for (const path of ["/1", "/2", "/3"]) {
      seen.push(responseOf(await harness.fetch(requestTo(site, path))).httpVersion);
    }
    expect(seen).toEqual(["1.1", "1.0", "1.1"]);
    expect(harness.openSockets).toBe(1);
  });

  it("gives the reason phrase of each response, byte by byte", async () => {
    const phrases = ["Tr\xe8s bien", "", "\u26c4".repeat(3)];
    const lines = phrases.map((phrase) => `HTTP/1.1 200 ${phrase}\r\nContent-Length: 0\r\n\r\n`);
    const encodings = ["latin1", "latin1", "utf8"] as const;
    let asked = 0;
    const site = await harness.raw((socket) => {
      socket.write(lines[asked] ?? "", encodings[asked]);
      asked += 1;
    });
    const seen: string[] = [];
    for (const path of ["/1", "/2", "/3"]) {
      seen.push(responseOf(await harness.fetch(requestTo(site, path))).statusText);
    }
    expect(seen).toEqual(["Tr\xe8s bien", "", "\xe2\x9b\x84".repeat(3)]);
    expect(harness.openSockets).toBe(1);
  });

  it("connects to the given address, whatever the host is called", async () => {
    const site = await harness.http((request, response) => response.end(request.headers.host));
    const { port } = new URL(site.origin);
    const url = `http://no-such-name.test:${port}/` as CanonicalUrl;
    const response = responseOf(await harness.fetch({ ...requestTo(site, "/"), url }));
    expect(new TextDecoder().decode(response.body)).toBe(`no-such-name.test:${port}`);
  });

  it("never uses a connection to one address for a request to another", async () => {
    const site = await harness.http((_request, response) => response.end("first"));
    const { port } = new URL(site.origin);
    const other = createServer((_request, response) => response.end("second"));
    other.listen(Number(port), "127.0.0.2");
    await once(other, "listening");
    await harness.fetch(requestTo(site, "/"));
    const address = "127.0.0.2" as IpAddress;
    const response = responseOf(await harness.fetch(requestTo(site, "/", { address })));
    other.closeAllConnections();
    other.close();
    expect(new TextDecoder().decode(response.body)).toBe("second");
  });

  it("reaches a server over IPv6", async () => {
    const server = createServer((_request, response) => response.end("six"));
    server.listen(0, "::1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const url = `http://[::1]:${port}/` as CanonicalUrl;
    const site = { origin: "", address: "::1" as IpAddress };
    const response = responseOf(await harness.fetch({ ...requestTo(site, "/"), url }));
    server.closeAllConnections();
    server.close();
    expect(new TextDecoder().decode(response.body)).toBe("six");
  });

  it("gives bodies that own their buffers", async () => {
    const site = await harness.http((_request, response) => response.end("short"));
    const { body } = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(structuredClone(body, { transfer: [body.buffer] })).toHaveLength(5);
    expect(body).toHaveLength(0);
  });

  it("ignores informational responses", async () => {
    const site = await harness.says(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    );
    const asked: number[] = [];
    const wantsBody = (status: number): boolean => asked.push(status) > 0;
    const response = responseOf(await harness.fetch(requestTo(site, "/", { wantsBody })));
    expect([response.status, response.headers]).toEqual([200, ["Content-Length", "2"]]);
    expect(asked).toEqual([200]);
  });

  it.each([
    ["of HTTP/1.1 says close", "HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n"],
    ["is of HTTP/1.0", "HTTP/1.0 100 Continue\r\n\r\n"],
  ])("reads on where an informational response %s", async (_what, head) => {
    const final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    for (const parts of [[head + head + final], [head, final]]) {
      const site = await harness.says(...parts);
      const response = responseOf(await harness.fetch(requestTo(site, "/")));
      expect([response.status, new TextDecoder().decode(response.body)]).toEqual([200, "ok"]);
    }
  });

  it.each([204, 304])("expects no body with status %i", async (status) => {
    const site = await harness.http((_request, response) => response.writeHead(status).end());
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect([response.status, response.body.length]).toEqual([status, 0]);
  });

  it("passes on what is wrong with the caller's own question", async () => {
    const site = await harness.http((_request, response) => response.end("x"));
    const wantsBody = (): boolean => {
      throw new RangeError("of the caller");
    };
    await expect(harness.fetch(requestTo(site, "/", { wantsBody }))).rejects.toThrow(RangeError);
  });
});

describe("UndiciFetcher and the address policy", () => {
  it.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "localhost"])(
    "refuses to connect to %s, whatever name led there",
    async (address) => {
      const harness = new HttpHarness({ allowPrivate: false });
      let asked = 0;
      const site = await harness.http((_request, response) => {
        asked += 1;
        response.end("secret");
      });
      const { port } = new URL(site.origin);
      const url = `http://rebound.test:${port}/` as CanonicalUrl;
      const request = { ...requestTo(site, "/"), url, address: address as IpAddress };
      const outcome = await harness.fetch(request);
      await harness.stop();
      expect(failureOfOutcome(outcome)).toBe("address-forbidden");
      expect(asked).toBe(0);
    },
  );
});

describe("the connections of UndiciFetcher", () => {
  let harness: HttpHarness;
  let ports: Set<number | undefined>;
  let site: ServedOrigin;

  async function setUp(options: ConstructorParameters<typeof HttpHarness>[0]): Promise<void> {
    harness = new HttpHarness(options);
    ports = new Set();
    site = await harness.http((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("x".repeat(10_000));
    });
  }
  afterEach(async () => {
    await harness.stop();
  });

  it("are reused", async () => {
    await setUp({});
    for (let index = 0; index < 5; index += 1) {
      responseOf(await harness.fetch(requestTo(site, `/${index}`)));
    }
    expect(ports.size).toBe(1);
    expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 1 });
  });

  it("are kept after a small body that was not wanted", async () => {
    await setUp({});
    await harness.fetch(requestTo(site, "/", { wantsBody: () => false }));
    await harness.fetch(requestTo(site, "/"));
    expect(ports.size).toBe(1);
  });

  it("are dropped with a large body that was not wanted", async () => {
    harness = new HttpHarness();
    const large = await harness.http((_request, response) => response.end("x".repeat(3_000_000)));
    await harness.fetch(requestTo(large, "/", { wantsBody: () => false }));
    expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 0 });
  });

  it("that have been idle longest are closed above the bound", async () => {
    await setUp({ idleConnectionsMax: 2 });
    const { port } = new URL(site.origin);
    for (const host of ["a", "b", "a", "c"]) {
      const url = `http://${host}.test:${port}/` as CanonicalUrl;
      await harness.fetch({ ...requestTo(site, "/"), url });
    }
    expect(harness.fetcher.connections.idle).toBe(2);
    const before = ports.size;
    const url = `http://a.test:${port}/` as CanonicalUrl;
    await harness.fetch({ ...requestTo(site, "/"), url });
    expect([before, ports.size]).toEqual([3, 3]);
  });

  it("in use are not closed above the bound", async () => {
    await setUp({ idleConnectionsMax: 0 });
    const requests = Array.from({ length: 8 }, (_, index) => requestTo(site, `/${index}`));
    const outcomes = await Promise.all(requests.map((request) => harness.fetch(request)));
    expect(outcomes.map((outcome) => responseOf(outcome).body.length)).toEqual(
      Array.from({ length: 8 }, () => 10_000),
    );
    expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 0 });
  });

  it("are closed when idle for too long", async () => {
    harness = new HttpHarness({ keepAliveTimeoutMs: 20 });
    const closed = Promise.withResolvers<undefined>();
    const closing = await harness.raw((socket) => {
      socket.once("close", () => closed.resolve(undefined));
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    });
    await harness.fetch(requestTo(closing, "/"));
    expect(harness.fetcher.connections.idle).toBe(1);
    await closed.promise;
    // Both ends are closed in the same turn of the event loop, in any order.
    await new Promise(setImmediate);
    expect(harness.fetcher.connections.idle).toBe(0);
  });

  it("that break before an answer end the exchange; it is not asked again, and the next one dials", async () => {
    harness = new HttpHarness();
    let heads = 0;
    const stale = await harness.raw((socket) => {
      heads += 1;
      if (heads === 2) socket.resetAndDestroy();
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    });
    responseOf(await harness.fetch(requestTo(stale, "/")));
    expect(failureOfOutcome(await harness.fetch(requestTo(stale, "/")))).toBe("connection-stale");
    expect(heads).toBe(2);
    responseOf(await harness.fetch(requestTo(stale, "/")));
    expect(heads).toBe(3);
  });

  it("are not used by a request that needs a new one, whatever is idle", async () => {
    harness = new HttpHarness();
    // It closes every connection at the moment of its second request.
    const answered = new Set<Socket>();
    const closing = await harness.raw((socket) => {
      if (answered.has(socket)) socket.resetAndDestroy();
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
      answered.add(socket);
    });
    const ask = async (path: string, needsNewConnection: boolean): Promise<string> =>
      failureOfOutcome(await harness.fetch(requestTo(closing, path, { needsNewConnection })));
    expect(await ask("/1", false)).toBe("response 200");
    expect(await ask("/2", false)).toBe("connection-stale");
    expect(await ask("/3", false)).toBe("response 200");
    expect(await ask("/2", true)).toBe("response 200");
    expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 2 });
  });

  it("that break on their first request end the exchange", async () => {
    harness = new HttpHarness();
    let heads = 0;
    const broken = await harness.raw((socket) => {
      heads += 1;
      socket.resetAndDestroy();
    });
    expect(failureOfOutcome(await harness.fetch(requestTo(broken, "/")))).toBe("connection-reset");
    expect(heads).toBe(1);
  });

  it("leave nothing behind after many exchanges with every kind of end", async () => {
    await setUp({ idleConnectionsMax: 4 });
    const odd = await harness.raw((socket, head) => {
      if (head.includes("/reset")) socket.destroy();
      else socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort");
    });
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>): void => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
      listeners -= 1;
      remove(...args);
    };
    const worker = async (): Promise<void> => {
      for (let index = 0; index < 80; index += 1) {
        await harness.fetch(requestTo(site, "/"), signal);
        await harness.fetch(requestTo(odd, index % 2 === 0 ? "/reset" : "/short"), signal);
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    expect(listeners).toBe(0);
    expect(harness.fetcher.connections.leased).toBe(0);
    expect(harness.fetcher.connections.idle).toBeLessThanOrEqual(4);
    await harness.fetcher.stop();
    expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 0 });
    await harness.stop();
    expect(await openSockets()).toEqual([]);
  });
});

describe("a stopped UndiciFetcher", () => {
  it("has closed every socket, also one whose handshake hangs", async () => {
    const harness = new HttpHarness();
    const connected = Promise.withResolvers<undefined>();
    const closed = Promise.withResolvers<undefined>();
    const silent = createTcpServer((socket) => {
      socket.once("data", () => connected.resolve(undefined));
      socket.once("close", () => closed.resolve(undefined)).on("error", () => undefined);
    });
    const pending = harness.fetch(requestTo(await harness.listen(silent, "https"), "/"));
    await connected.promise;
    await harness.fetcher.stop();
    await closed.promise;
    expect(failureOfOutcome(await pending)).toBe("aborted");
    await harness.stop();
    expect(await openSockets()).toEqual([]);
  });
});
