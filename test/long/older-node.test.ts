import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { ProcessBench } from "../support/process-bench.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** A Node.js on this machine that is older than what the program needs. */
function olderNode(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin", "/usr/local/bin"];
  return folders
    .map((folder) => join(folder, "node"))
    .find((path) => existsSync(path) && majorOf(path) < 24);
}

function majorOf(path: string): number {
  const version = execFileSync(path, ["--version"], { encoding: "utf8" });
  return Number(/^v(\d+)/.exec(version)?.[1]);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const older = olderNode();

/** Without an older Node.js on the machine there is nothing to test here. */
describe.skipIf(older === undefined)("peer started on an older Node.js", () => {
  const bench = new ProcessBench();
  afterAll(() => bench.clear());
  const options = { node: older ?? "" };

  it("hands over to the newer one that came with the package, with its exit code", async () => {
    const version = await bench.run(["--version"], options);
    expect(version).toMatchObject({ code: 0, stderr: "" });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const wrong = await bench.run(["frobnicate"], options);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
  });

  it("passes a signal on to it", async () => {
    const data = await bench.directory();
    const words = ["run", "--data", data, "--api", "127.0.0.1:0", "--json"];
    const peer = await bench.ready(bench.start(words, options));
    expect(await peer.process.end("SIGTERM")).toMatchObject({ code: 143, stderr: "" });
    expect(await bench.run(["stats", "--data", data])).toMatchObject({ code: 1 });
  });

  it("ends with the process that was started, also where that is killed", async () => {
    const words = ["run", "--data", await bench.directory(), "--api", "127.0.0.1:0", "--json"];
    const peer = await bench.ready(bench.start(words, options));
    expect(isRunning(peer.pid)).toBe(true);
    await peer.process.end("SIGKILL");
    await expect.poll(() => isRunning(peer.pid)).toBe(false);
  });

  it("says in one line what it needs, where there is no newer one", async () => {
    const alone = await bench.directory();
    await cp(dist, join(alone, "dist"), { recursive: true });
    await writeFile(join(alone, "package.json"), '{"type":"module","version":"0.0.0"}');
    await mkdir(join(alone, "node_modules"));
    const entry = join(alone, "dist", "peer.js");
    const refused = await bench.run(["--version"], { ...options, entry });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^[^\n]*needs Node\.js 24 or newer; this is v\d+[^\n]*\n$/);
  });
});
