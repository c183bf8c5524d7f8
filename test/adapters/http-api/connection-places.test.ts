import { EventEmitter, once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import { connect, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConnectionPlaces } from "../../../src/adapters/http-api/connection-places.ts";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";

const connectionsMax = 3;

let control: FakePeerControl;
let api: HttpApi;
let opened: Socket[];

beforeEach(async () => {
  control = new FakePeerControl();
  control.reports.set("j", jobReport("j", { queued: 5 }));
  api = fakePeerApi(control, {}, { connectionsMax });
  opened = [];
  await api.start();
});

afterEach(async () => {
  for (const socket of opened) socket.destroy();
  await api.stop();
});

/** A connection on which `sent` is all that ever comes. */
async function openWith(sent: string): Promise<Socket> {
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  opened.push(socket);
  socket.on("error", () => undefined).resume();
  await once(socket, "connect");
  socket.write(sent);
  return socket;
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, "close");
}

/** Status of an answer on a connection of its own, or of `agent`. */
async function ask(path: string, agent: Agent | false = false): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request(api.url + path, { agent }, (response) => {
    response.resume().once("end", () => resolve(response.statusCode));
  })
    .once("error", reject)
    .end();
  return promise;
}

describe("HttpApi with more connections than it has places for", () => {
  it.each([
    ["say nothing", ""],
    ["stop within a head", "GET /v1/stats HTTP/1.1\r\nhost: 127"],
  ])("answers although all that are there %s", async (_what, sent) => {
    const sockets: Socket[] = [];
    while (sockets.length < 2 * connectionsMax) sockets.push(await openWith(sent));
    expect(await ask("/v1/stats")).toBe(200);
    // The one that has been silent for longest goes first.
    const gone = sockets.slice(0, connectionsMax + 1);
    await Promise.all(gone.map(closed));
    expect(sockets.filter((socket) => socket.closed)).toEqual(gone);
  });

  it("takes a connection between two requests for a silent one, from the answer on", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const silent = await openWith("");
    expect(await ask("/v1/stats", agent)).toBe(200);
    await openWith("");
    await openWith("");
    await closed(silent);
    const [kept] = Object.values(agent.freeSockets).flat();
    expect(kept?.destroyed).toBe(false);
    await openWith("");
    if (kept !== undefined) await closed(kept);
    agent.destroy();
  });

  it("ends no connection on which a later request goes on when an earlier one is answered", async () => {
    const busy = await openWith(`${get("/v1/stats")}${get("/v1/jobs/j/wait")}`);
    await once(busy, "data");
    await expect.poll(() => control.waiting).toBe(1);
    const silent = await openWith("");
    await openWith("");
    await openWith("");
    await Promise.race([closed(silent), closed(busy)]);
    expect(await ask("/v1/stats")).toBe(200);
    expect(busy.closed).toBe(false);
  });

  it("counts no connection that was closed during its request", async () => {
    const silent = await openWith("");
    for (let asked = 1; asked < connectionsMax; asked += 1) {
      const gone = await openWith(get("/v1/jobs/j/wait"));
      await expect.poll(() => control.waiting).toBe(1);
      gone.destroy();
      await expect.poll(() => control.waiting).toBe(0);
    }
    await openWith("");
    expect(await ask("/v1/stats")).toBe(200);
    expect(silent.closed).toBe(false);
  });

  it("ends no request for another connection, and drops that where all places have one", async () => {
    const answers = Array.from({ length: connectionsMax }, () => ask("/v1/jobs/j/wait"));
    await expect.poll(() => control.waiting).toBe(connectionsMax);
    await closed(await openWith(""));
    control.finish();
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
    expect(await ask("/v1/stats")).toBe(200);
  });
});

describe("ConnectionPlaces", () => {
  /** A server that only tells of what comes to it, with two places. */
  function watched(): { readonly server: Server; readonly open: () => Socket } {
    const server = createServer().removeAllListeners("connection");
    new ConnectionPlaces(2).watch(server);
    const open = (): Socket => {
      const socket = new Socket();
      server.emit("connection", socket);
      return socket;
    };
    return { server, open };
  }

  it("ends as many connections as come at one moment, each of them once", () => {
    const { open } = watched();
    const sockets = [1, 2, 3, 4].map(open);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false]);
  });

  it.each([0, 2])(
    "has the place of a connection that is closed, with %i requests under way on it",
    async (requests) => {
      const { open, server } = watched();
      const [kept, left] = [open(), open()];
      for (let begun = 0; begun < requests; begun += 1) {
        server.emit("request", { socket: left }, new EventEmitter());
      }
      await once(left.destroy(), "close");
      open();
      expect(kept.destroyed).toBe(false);
    },
  );
});
