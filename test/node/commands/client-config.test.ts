import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi, runAgainst } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

let control: FakePeerControl;
let api: HttpApi;
let folder: string;

beforeEach(async () => {
  control = new FakePeerControl();
  api = fakePeerApi(control);
  await api.start();
  folder = await mkdtemp(join(tmpdir(), "client-config-"));
});

afterEach(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

it("a file of settings tells a job's options, and flags win", async () => {
  const file = join(folder, "peer.json");
  // What only a peer that is started makes use of stands in the same file.
  await writeFile(file, JSON.stringify({ depth: 2, delay: 500, weight: 2 }));
  const words = ["inject", "http://a.example/", "--config", file, "--delay", "700"];
  expect(await runAgainst(api, words)).toMatchObject({ exitCode: 0, err: "" });
  expect(control.injected).toMatchObject([{ options: { depthMax: 2, delayMs: 700 } }]);
});

it("a line that names a peer in two ways is refused before anything is asked of either", async () => {
  const { host } = new URL(api.url);
  const words = ["inject", "http://a.example/", "--data", folder, "--api", host];
  const { err, exitCode } = await runAgainst(api, words);
  expect({ err, exitCode }).toEqual({
    err: "peer: give --api or --data, not both: each says which peer is meant\n",
    exitCode: 2,
  });
  expect(control.injected).toEqual([]);
});

it.each([
  ["a variable", { ORBWEAVER_API: "127.0.0.1:0" }, []],
  ["the line itself", {}, ["--api", "127.0.0.1:0"]],
])("a peer that took a free port is found in its directory, where %s says 0", async (...given) => {
  const [, environment, flags] = given;
  const { peerId: peer } = control;
  await writeFile(join(folder, "api.json"), JSON.stringify({ pid: 1, peer, url: api.url }));
  const terminal = new FakeTerminal();
  Object.assign(terminal.environment, environment, { ORBWEAVER_DATA: folder });
  const words = ["inject", "http://a.example/", ...flags];
  expect(await runAgainst(api, words, terminal)).toMatchObject({ exitCode: 0, err: "" });
  expect(control.injected).toHaveLength(1);
});

it("port 0 alone names no peer, and the directory is asked for", async () => {
  const { err, exitCode } = await runAgainst(api, ["stats", "--api", "127.0.0.1:0"]);
  expect({ err, exitCode }).toEqual({
    err: "peer: --api with port 0 names no peer: it takes a free port; name the peer's directory with --data DIR\n",
    exitCode: 2,
  });
});
