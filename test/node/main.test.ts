import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../../node/main.ts", import.meta.url));

const run = (...words: string[]) => ended(process.execPath, [main, ...words]);

/** Runs a command line of the shell in which `peer` is the command, in an environment that writes no other file. */
const runShell = (line: string) =>
  ended("bash", ["-c", `peer() { '${process.execPath}' '${main}' "$@"; }; ${line}`], {
    ...process.env,
    NODE_DISABLE_COMPILE_CACHE: "1",
  });

async function ended(command: string, words: readonly string[], env = process.env) {
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"], env });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, out, err };
}

it("prints the version of the package", async () => {
  expect(await run("--version")).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    err: "",
  });
});

it("ends with the command's exit code", async () => {
  expect(await run("frobnicate")).toMatchObject({
    exitCode: 2,
    out: "",
    err: expect.stringMatching(/^peer: there is no command "frobnicate"; [^\n]*\n$/) as string,
  });
});

it("makes no folder for temporary files where there is none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "main-"));
  const missing = join(folder, "missing");
  const environment = { ...process.env, NODE_COMPILE_CACHE: undefined, TMPDIR: missing };
  const demo = await ended(process.execPath, [main, "demo"], environment);
  const left = await readdir(folder);
  await rm(folder, { recursive: true });
  const line = expect.stringMatching(/^peer: [^\n]*missing[^\n]*\n$/) as string;
  expect({ ...demo, left }).toEqual({ exitCode: 2, out: "", err: line, left: [] });
});

const lost = /^peer: standard output cannot be written \([^\n]*\)\n$/;

it.runIf(process.platform === "linux")("fails where its output has no room", async () => {
  const ended = await runShell("peer --version > /dev/full");
  expect(ended).toMatchObject({ exitCode: 1, err: expect.stringMatching(lost) as string });
});

it.runIf(process.platform !== "win32")("fails where a part of its output has no room", async () => {
  const folder = await mkdtemp(join(tmpdir(), "main-"));
  // The system takes the first KiB of a longer chunk, and says so only by the number of bytes written.
  const ended = await runShell(`trap "" XFSZ; ulimit -f 1; peer --help > '${folder}/help'`);
  await rm(folder, { recursive: true });
  expect(ended).toMatchObject({ exitCode: 1, err: expect.stringMatching(lost) as string });
});

it.runIf(process.platform !== "win32")("leaves nothing of a key that has no room", async () => {
  const folder = await mkdtemp(join(tmpdir(), "main-"));
  const ended = await runShell(
    `trap "" XFSZ; ulimit -f 0; peer key new '${folder}/key' 2>&1 | cat`,
  );
  const left = await readdir(folder);
  await rm(folder, { recursive: true });
  expect(ended.out).toMatch(
    /^peer: [^\n]*key cannot be written \(EFBIG[^\n]*\); free some space, [^\n]*\n$/,
  );
  expect(left).toEqual([]);
});

it.runIf(process.platform !== "win32")("ends quietly where its reader has gone", async () => {
  const ended = await runShell("peer --help | true; exit ${PIPESTATUS[0]}");
  expect(ended).toMatchObject({ exitCode: 0, err: "" });
});

// Number 11 is what zsh gives `<(...)`, a low one.
const fromShell = (line: string) => `exec 11< <(echo '{"frobnicate":1}'); ${line}`;
const wasRead = /^peer: [^\n]*frobnicate/;

it.runIf(process.platform !== "win32")("reads what the shell has open for it", async () => {
  const ended = await runShell(fromShell("peer crawl --config /dev/fd/11"));
  expect(ended).toMatchObject({ exitCode: 2, err: expect.stringMatching(wasRead) as string });
});

it.runIf(process.platform !== "win32")(
  "reads what the shell has open for it where an older Node.js hands over",
  async () => {
    const newerNode = new URL("../../node/newer-node.ts", import.meta.url).href;
    const handOver = `import("${newerNode}").then((it) => it.handOver(process.execPath, "${main}", () => process.exit(9)))`;
    const line = `'${process.execPath}' --eval '${handOver}' - crawl --config=/dev/fd/11`;
    const ended = await runShell(fromShell(line));
    expect(ended).toMatchObject({ exitCode: 2, err: expect.stringMatching(wasRead) as string });
  },
);
