import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

/** A process id that nobody has. */
const nobody = 2 ** 30;

let api: Server | undefined;

afterEach(() => api?.close());

/**
 * A peer that says to be process `pid`, and stops after the first answer at which `answersLeft` says no, from the one on with
 * which it is told to leave.
 */
async function leavingPeer(pid: number, answersLeft: () => boolean): Promise<string> {
  let isLeaving = false;
  const server = createServer((request, response) => {
    isLeaving ||= request.url?.startsWith("/v1/leave") === true;
    response.end(JSON.stringify({ leaving: true, peer: "peer-0", pid }), () => {
      if (!isLeaving || answersLeft()) return;
      server.closeAllConnections();
      server.close();
    });
  });
  api = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function expectStopped(address: string, clock?: Clock): Promise<void> {
  const terminal = new FakeTerminal(clock && { clock });
  const exitCode = await runCli(["leave", "--api", address], terminal);
  const { stderr, stdout } = terminal;
  expect({ exitCode, out: stdout.text, err: stderr.text }).toEqual({
    exitCode: 0,
    out: "peer peer-0 has stopped; everything is kept\n",
    err: "",
  });
}

it.runIf(process.platform === "linux")(
  "peer leave takes a peer for stopped whose parent does not ask for its exit code",
  async () => {
    // The shell becomes another program, which does not know that it has a child.
    const parent = spawn("sh", ["-c", "true & echo $!; exec sleep 60"]);
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    await expectStopped(await leavingPeer(Number(line), () => false));
    parent.kill();
  },
);

it("peer leave waits for a peer of another machine until it answers no more", async () => {
  let left = 3;
  const address = await leavingPeer(nobody, () => --left > 0);
  await expectStopped(address);
  expect(left).toBe(0);
});

/** The machine's clock, on which `times` as much time passes; what sleeps does so for as long as ever. */
function fasterClock(times: number): Clock {
  const system = new SystemClock();
  return {
    nowMs: () => system.nowMs() * times,
    wallMs: () => system.wallMs(),
    sleep: (ms, signal) => system.sleep(ms, signal),
    call: (ms, action) => system.call(ms, action),
  };
}

it("peer leave does not wait for a process that only has the number of another machine's", async () => {
  await expectStopped(await leavingPeer(process.ppid, () => false), fasterClock(100));
});

it("peer leave fails where the peer goes on, after as long as a hand-over and a stop may take", async () => {
  const terminal = new FakeTerminal({ clock: fasterClock(10_000) });
  const address = await leavingPeer(nobody, () => true);
  const exitCode = await runCli(["leave", "--api", address], terminal);
  const { stderr, stdout } = terminal;
  expect({ exitCode, out: stdout.text, err: stderr.text }).toEqual({
    exitCode: 1,
    out: "",
    err: `peer: peer-0 (process ${nobody}) has not stopped within 75 s\n`,
  });
});

it.each([
  ["does not call done what a member was killed at", { swarm: "s" }, 1, { handedOver: false }],
  ["misses no word of one that has nobody to hand over to", {}, 0, {}],
])("peer leave %s", async (_, health, code, handedOver) => {
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/leave") !== true) {
      response.end(JSON.stringify({ peer: "peer-0", pid: nobody, ...health }));
      return;
    }
    server.closeAllConnections();
    server.close();
  });
  api = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const terminal = new FakeTerminal();
  const exitCode = await runCli(["leave", "--api", `127.0.0.1:${port}`, "--json"], terminal);
  const told: unknown = JSON.parse(terminal.stdout.text);
  expect({ exitCode, told }).toEqual({
    exitCode: code,
    told: { peer: "peer-0", left: true, ...handedOver },
  });
});
