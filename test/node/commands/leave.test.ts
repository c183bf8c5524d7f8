import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

it.runIf(process.platform === "linux")(
  "peer leave takes a peer for stopped whose parent does not ask for its exit code",
  async () => {
    // The shell becomes another program, which does not know that it has a child.
    const parent = spawn("sh", ["-c", "true & echo $!; exec sleep 60"]);
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const api = createServer((_, response) => {
      response.end(JSON.stringify({ leaving: true, peer: "peer-0", pid: Number(line) }));
    });
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    const { port } = api.address() as AddressInfo;
    const terminal = new FakeTerminal();
    expect(await runCli(["leave", "--api", `127.0.0.1:${port}`], terminal)).toBe(0);
    expect(terminal.stdout.text).toBe("peer peer-0 has stopped; everything is kept\n");
    api.close();
    parent.kill();
  },
);
