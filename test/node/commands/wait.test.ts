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
