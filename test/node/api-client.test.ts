import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../../node/cli.ts";
import type { HttpApi } from "../../src/adapters/http-api/http-api.ts";
import { defaultHttpApiOptions } from "../../src/adapters/http-api/http-api-options.ts";
import { LevelStore } from "../../src/adapters/level/level-store.ts";
import { CrawlError } from "../../src/core/errors.ts";
import { fakePeerApi, runAgainst } from "../support/fake-peer-api.ts";
import { FakePeerControl } from "../support/fake-peer-control.ts";
import { FakeTerminal } from "../support/fake-terminal.ts";
import { peerThat, serverThat } from "../support/stand-in-peer.ts";

/** Of those that the Fetch Standard blocks (section 2.9) some that any user may listen to. */
const blockedPorts = [6_665, 6_666, 6_667, 6_668, 6_669, 6_697, 6_566, 10_080, 4_190, 1_719];

/** A started API at the first of {@link blockedPorts} that is free. */
async function apiAtBlockedPort(): Promise<HttpApi> {
  for (const port of blockedPorts) {
    const api = fakePeerApi(new FakePeerControl(), {}, { port });
    try {
      await api.start();
      return api;
    } catch (error) {
      if (!(error instanceof CrawlError) || error.code !== "LISTEN_FAILED") throw error;
    }
  }
  throw new Error(`none of the ports ${blockedPorts.join(", ")} is free`);
}

describe("a command that asks a peer", () => {
  it.each([
    ["answers nothing", ["stats"], () => undefined],
    ["begins an answer and goes no further", ["jobs"], (response) => response.write("{")],
    ["answers nothing, to a page's", ["get", "http://a.example/"], () => undefined],
    ["answers nothing, to a job's end", ["wait"], () => undefined],
  ] as [string, string[], (response: ServerResponse) => void][])(
    "gives up one that %s",
    async (_what, words, answer) => {
      const api = await peerThat(answer);
      const terminal = new FakeTerminal();
      const exitCode = await runCli([...words, "--api", api, "--timeout", "1"], terminal);
      expect({ exitCode, out: terminal.stdout.text }).toEqual({ exitCode: 1, out: "" });
      expect(terminal.stderr.text).toBe(
        `peer: the peer at http://${api} has not answered within 1.0 s; ` +
          "it is busy or hangs: ask again, or give it longer with --timeout SECONDS\n",
      );
    },
  );

  it("lets a page take its time that has begun to arrive", async () => {
    const terminal = new FakeTerminal();
    const api = await peerThat((response) => {
      response.write("slow");
      void terminal.clock.sleep(1_500).then(() => response.end("ly"));
    });
    const words = ["get", "http://a.example/", "--api", api, "--timeout", "1"];
    expect(await runCli(words, terminal)).toBe(0);
    expect(terminal.stdout.text).toBe("slowly");
  });

  it("says that a page broke off, of which a part has arrived", async () => {
    const terminal = new FakeTerminal();
    const api = await peerThat((response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("part", () => response.destroy());
    });
    const exitCode = await runCli(["get", "http://a.example/", "--api", api], terminal);
    expect({ exitCode, out: terminal.stdout.text }).toEqual({ exitCode: 1, out: "part" });
    expect(terminal.stderr.text).toMatch(
      /^peer: no peer can be reached at .* \(the answer broke off\); /,
    );
  });

  it.runIf(process.platform === "linux")(
    "is told where a crawl cannot be asked, and what ends it",
    async () => {
      const data = await mkdtemp(join(tmpdir(), "api-client-"));
      await mkdir(join(data, "state"));
      const store = new LevelStore({ directory: join(data, "state") });
      const said = async (): Promise<string> => {
        const terminal = new FakeTerminal();
        expect(await runCli(["leave", "--data", data], terminal)).toBe(1);
        return terminal.stderr.text;
      };
      await store.start();
      const whileOpen = await said();
      await store.stop();
      expect([whileOpen, await said()]).toEqual([
        `peer: what runs in ${data} takes no questions (a crawl without --api, or a peer that begins or ends); ask again, or stop it with Ctrl-C where it runs\n`,
        `peer: no peer runs in ${data}; start one with "peer --data ${data}"\n`,
      ]);
      await rm(data, { recursive: true });
    },
  );

  it("says of the directory of a peer that was killed that none runs there", async () => {
    const data = await mkdtemp(join(tmpdir(), "api-client-"));
    const killed = createServer().listen(0, "127.0.0.1");
    await once(killed, "listening");
    const { port } = killed.address() as AddressInfo;
    await new Promise((closed) => killed.close(closed));
    const file = { pid: 1, peer: "peer-0", url: `http://127.0.0.1:${port}` };
    await writeFile(join(data, "api.json"), JSON.stringify(file));
    const terminal = new FakeTerminal();
    expect(await runCli(["stats", "--data", data], terminal)).toBe(1);
    expect(terminal.stderr.text).toBe(
      `peer: no peer runs in ${data}; start one with "peer --data ${data}"\n`,
    );
    await rm(data, { recursive: true });
  });

  it("says why a directory does not tell where its peer is", async () => {
    const data = await mkdtemp(join(tmpdir(), "api-client-"));
    const file = join(data, "api.json");
    await mkdir(file);
    const advice = "say where the peer is with --api HOST:PORT";
    for (const [directory, said] of [
      [data, `${file} cannot be read (it is a directory); ${advice}`],
      [`${data}/none`, `no peer runs in ${data}/none; start one with "peer --data ${data}/none"`],
    ] as const) {
      const terminal = new FakeTerminal();
      await runCli(["stats", "--data", directory], terminal);
      expect(terminal.stderr.text).toBe(`peer: ${said}\n`);
    }
    await rm(data, { recursive: true });
  });

  it.each([
    ["<html>any path leads to the app", "no JSON"],
    ["{}", "something else"],
    ["null", "something else"],
    ['{"status":"ok"}', "something else"],
  ])("takes nothing from who answers everything with %j, and is no peer", async (text, what) => {
    const api = await serverThat((response) => response.end(text));
    const url = "http://a.example/";
    for (const words of [["get", url], ["get", url, "--headers"], ["inject", url], ["leave"]]) {
      const terminal = new FakeTerminal();
      const exitCode = await runCli([...words, "--api", api], terminal);
      expect({ exitCode, out: terminal.stdout.text, err: terminal.stderr.text }).toEqual({
        exitCode: 1,
        out: "",
        err: `peer: what answers at http://${api} is not a peer (${what}); say where the peer is with --api HOST:PORT\n`,
      });
    }
  });

  it("asks at a port, too, that browsers take for another protocol's", async () => {
    const api = await apiAtBlockedPort();
    onTestFinished(() => api.stop());
    // What the browsers' way to ask says of it.
    const refused = await fetch(`${api.url}/healthz`).catch((error: unknown) => error);
    expect(refused).toMatchObject({ cause: { message: "bad port" } });
    expect(await runAgainst(api, ["stats"])).toMatchObject({ exitCode: 0, err: "" });
  });

  it("follows nobody elsewhere", async () => {
    const asked: unknown[] = [];
    const api = await serverThat((response, path) => {
      asked.push(path);
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    const terminal = new FakeTerminal();
    expect(await runCli(["stats", "--api", api], terminal)).toBe(1);
    expect(terminal.stderr.text).toContain("is not a peer (HTTP 302)");
    expect(asked).toEqual(["/v1/healthz"]);
  });

  it.each(["0", "241"])("takes no other time than a connection has: %s s", async (seconds) => {
    const terminal = new FakeTerminal();
    expect(await runCli(["stats", "--timeout", seconds], terminal)).toBe(2);
    expect(terminal.stderr.text).toBe(
      `peer: --timeout must be a whole number of seconds from 1 to 240, got ${seconds}\n`,
    );
  });

  it("tells the longest time, within which a question for a job's end is over as well", async () => {
    const terminal = new FakeTerminal();
    expect(await runCli(["wait", "--help"], terminal)).toBe(0);
    const [, seconds] = /an\s+answer,\s+(\d+)\s+at\s+most/u.exec(terminal.stdout.text) ?? [];
    const { silenceMsMax, waitMsMax } = defaultHttpApiOptions;
    expect(waitMsMax + Number(seconds) * 1_000).toBeLessThan(silenceMsMax);
  });
});
