import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../../node/main.ts", import.meta.url));

async function run(...words: string[]) {
  const child = spawn(process.execPath, [main, ...words], { stdio: ["ignore", "pipe", "pipe"] });
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
