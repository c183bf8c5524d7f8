import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi, runAgainst } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";

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
