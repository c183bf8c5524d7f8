import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import { jobReport } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

it.each([
  ["answers nothing any more", () => undefined],
  [
    "has no figures",
    (response: ServerResponse) =>
      void response.writeHead(503).end('{"error":{"code":"SWARM_BUSY","message":"busy"}}'),
  ],
])("peer wait stops at a signal though the peer %s", async (_, stats) => {
  const asked = Promise.withResolvers<undefined>();
  const stuck = createServer(({ url }, response) => {
    if (url === "/v1/jobs") {
      response.end(JSON.stringify({ jobs: [jobReport("a", { queued: 5 })] }));
    } else if (url === "/v1/stats") {
      stats(response);
      asked.resolve(undefined);
    }
  });
  await new Promise<void>((resolve) => stuck.listen(0, "127.0.0.1", resolve));
  const { port } = stuck.address() as AddressInfo;
  const terminal = new FakeTerminal({ isTTY: true });
  const waiting = runCli(["wait", "--api", `127.0.0.1:${port}`], terminal);
  await asked.promise;
  terminal.signal("SIGTERM");
  expect(await waiting).toBe(143);
  expect(terminal.stdout.text).toBe("");
  stuck.closeAllConnections();
  stuck.close();
});

it("peer wait fails where a job can go no further, and says so", async () => {
  const report = jobReport("a", { queued: 5 });
  const halted = createServer(({ url }, response) => {
    const isWait = url === "/v1/jobs/a/wait";
    response.end(JSON.stringify(isWait ? { ...report, over: true } : { jobs: [report] }));
  });
  await new Promise<void>((resolve) => halted.listen(0, "127.0.0.1", resolve));
  const { port } = halted.address() as AddressInfo;
  const terminal = new FakeTerminal();
  expect(await runCli(["wait", "--api", `127.0.0.1:${port}`, "--json"], terminal)).toBe(1);
  expect(JSON.parse(terminal.stdout.text)).toEqual([report]);
  expect(terminal.stderr.text).toMatch(
    /^peer: job a is not finished, and cannot go on: all its hosts are halted; [^\n]*\n$/,
  );
  halted.closeAllConnections();
  halted.close();
});
