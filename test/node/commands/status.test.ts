import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi, runAgainst } from "../../support/fake-peer-api.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";
import { jsonLines } from "../../support/json-lines.ts";

let folder: string;
let control: FakePeerControl;
let api: HttpApi;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "status-"));
});

afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  control = new FakePeerControl();
  api = fakePeerApi(control);
  await api.start();
});

afterEach(() => api.stop());

/** Runs a command line against the peer of the test. */
const peer = (words: readonly string[]) => runAgainst(api, words);

describe("peer status", () => {
  beforeEach(() => {
    control.statuses.set("http://a.example/", {
      url: "http://a.example/",
      state: "done",
      httpStatus: 301,
      fetchedAt: "2026-01-02T03:04:05.678Z",
      redirect: "http://a.example/new",
      attempts: 2,
      owner: "peer-0",
      title: "A\u001b[2Jtitle",
    });
    control.statuses.set("http://a.example/priv", {
      url: "http://a.example/priv",
      state: "excluded",
      attempts: 0,
      owner: "peer-0",
      reason: "robots",
      detail: "robots.txt disallows it.",
    });
  });

  it("shows one URL in full and lets no page steer the terminal", async () => {
    const { out } = await peer(["status", "http://a.example/"]);
    expect(out).toBe(
      [
        "http://a.example/",
        "  state     done, HTTP 301",
        "  fetched   2026-01-02 03:04:05 UTC",
        "  attempts  2",
        "  redirect  http://a.example/new",
        "  title     A\ufffd[2Jtitle",
        "  owner     peer-0",
        "",
      ].join("\n"),
    );
  });

  it("shows many as a table that says why", async () => {
    const { out } = await peer(["status", "http://a.example/", "http://a.example/priv"]);
    expect(out).toMatch(/done +301 .* to http:\/\/a\.example\/new\n/);
    expect(out).toMatch(/excluded +- .* robots: robots\.txt disallows it\.\n/);
    const unknown = await peer(["status", "http://a.example/", "http://b.example/"]);
    expect(unknown.out).toMatch(/\nhttp:\/\/b\.example\/ +unknown .* no job has met it\n/);
  });

  it("shows those of a file as one table, in whatever parts it is read", async () => {
    const file = join(folder, "table.txt");
    const rest = Array.from({ length: 1_000 }, (_, at) => `http://b.example/${at}`);
    await writeFile(file, ["http://a.example/", ...rest].join("\n"));
    const { out } = await peer(["status", "--file", file]);
    const lines = out.split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual([
      "URL",
      "http://a.example/",
      ...rest,
      "",
    ]);
    expect(lines.at(-2)).toMatch(/^http:\/\/b\.example\/999 +unknown .* no job has met it$/);
  });

  it("keeps the columns of such a table where its head has them", async () => {
    const file = join(folder, "columns.txt");
    const long = Array.from({ length: 1_000 }, (_, at) => `http://b.example/a/longer/path/${at}`);
    await writeFile(file, ["http://a.example/", ...long, "http://b.example/"].join("\n"));
    const { out } = await peer(["status", "--file", file]);
    const [head = "", ...rows] = out.trimEnd().split("\n");
    const at = head.indexOf("STATE");
    expect(new Set(rows.map((row) => row.slice(at).split(" ")[0]))).toEqual(
      new Set(["done", "unknown"]),
    );
  });

  it("prints a JSON line for each URL of the command line and of a file", async () => {
    const file = join(folder, "status.txt");
    await writeFile(file, "http://x.example/\n");
    const { out } = await peer(["status", "http://a.example/priv", "--file", file, "--json"]);
    expect(jsonLines(out)).toMatchObject([
      { url: "http://a.example/priv", state: "excluded", reason: "robots" },
      { url: "http://x.example/", state: "unknown", owner: "peer-0", attempts: 0 },
    ]);
  });

  it.each([
    ["/no/such/file", "there is no such file"],
    [tmpdir(), "it is a directory"],
  ])("says that %s cannot be read: %s", async (file, reason) => {
    expect(await peer(["status", "--file", file])).toMatchObject({
      exitCode: 2,
      err: `peer: --file: ${file} cannot be read (${reason})\n`,
    });
  });
});
