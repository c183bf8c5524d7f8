import { createServer, type Server } from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TcpProbe } from "../../../src/adapters/system/tcp-probe.ts";
import type { HostName, IpAddress, OriginName } from "../../../src/core/units.ts";
import type { ResolveOutcome } from "../../../src/ports/resolver.ts";

const never = new AbortController().signal;
const asked: HostName[] = [];

function probeOf(outcome: ResolveOutcome, allowPrivate = true): TcpProbe {
  const resolveAnew = (host: HostName): Promise<ResolveOutcome> => {
    asked.push(host);
    return Promise.resolve(outcome);
  };
  const needsServer = (host: HostName): boolean => host !== "127.0.0.1";
  const knowsRoot = ({ aborted }: AbortSignal): Promise<boolean> =>
    Promise.resolve(!aborted && outcome.kind === "addresses");
  return new TcpProbe({ knowsRoot, needsServer, resolveAnew }, { allowPrivate });
}

const here: ResolveOutcome = {
  kind: "addresses",
  addresses: ["127.0.0.1" as IpAddress],
  expiresAtMs: 0,
};

describe("TcpProbe", () => {
  let server: Server;
  let origin: OriginName;
  let connections = 0;
  let bytes = 0;

  beforeEach(async () => {
    asked.splice(0);
    connections = 0;
    bytes = 0;
    server = createServer((socket) => {
      connections += 1;
      socket.on("data", (data) => (bytes += data.length)).on("error", () => undefined);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    origin = `http://some.example:${port}` as OriginName;
  });
  afterEach(() => void server.close());

  // Not only when the connection's time is over, which is 10 s.
  it("finds whoever takes a connection, says nothing, and goes", { timeout: 5_000 }, async () => {
    expect(await probeOf(here).reaches(origin, never)).toBe(true);
    expect(asked).toEqual(["some.example"]);
    server.close();
    await once(server, "close");
    expect([connections, bytes]).toEqual([1, 0]);
  });

  it("finds whoever refuses one", async () => {
    server.close();
    await once(server, "close");
    expect(await probeOf(here).reaches(origin, never)).toBe(true);
  });

  it("finds nobody whose name has no address now", async () => {
    const lost: ResolveOutcome = { kind: "failure", failure: "dns-timeout", detail: "" };
    expect(await probeOf(lost).reaches(origin, never)).toBe(false);
  });

  it("looks a name up without a connection", async () => {
    expect(await probeOf(here).resolves(origin, never)).toBe(true);
    const lost: ResolveOutcome = { kind: "failure", failure: "dns-timeout", detail: "" };
    expect(await probeOf(lost).resolves(origin, never)).toBe(false);
    expect(asked).toEqual(["some.example", "some.example"]);
    expect(connections).toBe(0);
  });

  it("has no sign of a name server where none is needed", async () => {
    const literal = "http://127.0.0.1:8080" as OriginName;
    expect(await probeOf(here).resolves(literal, never)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it("finds a name server that answers for the root", async () => {
    expect(await probeOf(here).hasNameServer(never)).toBe(true);
    const lost: ResolveOutcome = { kind: "failure", failure: "dns-timeout", detail: "" };
    expect(await probeOf(lost).hasNameServer(never)).toBe(false);
    expect(await probeOf(here).hasNameServer(AbortSignal.abort())).toBe(false);
  });

  it("connects to no address that the crawler may not", async () => {
    expect(await probeOf(here, false).reaches(origin, never)).toBe(false);
    expect(connections).toBe(0);
  });

  it("finds nobody once it is aborted", async () => {
    expect(await probeOf(here).reaches(origin, AbortSignal.abort())).toBe(false);
    expect(connections).toBe(0);
  });
});
