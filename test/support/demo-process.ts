import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { expect } from "vitest";
import { peerEntry } from "./peer-process.ts";
import type { ProcessBench } from "./process-bench.ts";

const words = ["demo", "--sites", "4", "--pages", "120", "--delay", "20"];

/** Its own folder for temporary files, and a process group as a terminal makes one. */
async function startDemo(bench: ProcessBench, environment: Readonly<Record<string, string>> = {}) {
  const folder = await bench.directory();
  const child = spawn(process.execPath, [peerEntry, ...words], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: folder, NODE_DISABLE_COMPILE_CACHE: "1", ...environment },
  });
  const { pid = 0 } = child;
  expect(pid).toBeGreaterThan(0);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  // Standard error is the peers' too: it is closed when the last of them has ended.
  const closed = once(child, "close") as Promise<[code: number | null]>;
  let isClosed = false;
  closed.then(
    () => (isClosed = true),
    () => undefined,
  );
  bench.atEnd(async () => {
    if (!isClosed) process.kill(-pid, "SIGKILL");
    await closed;
  });
  return { pid, folder, closed, output: () => output };
}

/**
 * A demonstration to its end: it leaves nothing behind, and its proof holds, with hosts and addresses paced by a delay. What
 * it says has room in 80 columns.
 */
export async function proveDemo(bench: ProcessBench): Promise<void> {
  const { closed, folder, output } = await startDemo(bench);
  expect(await closed, output()).toEqual([0, null]);
  expect(output()).toMatch(/^PASSED: (\d+) of \1 reachable pages fetched, /m);
  for (const unit of ["host", "address"]) {
    expect(output()).toMatch(new RegExp(`^per ${unit} .* of the allowed rate used,$`, "m"));
  }
  const isProgress = (line: string): boolean => /^\d+:\d\d:\d\d /.test(line);
  const lines = output().split("\n");
  expect(lines.filter((line) => line.length > 80 && !isProgress(line))).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
}

/** A demonstration that ends by this signal once it has said this: it leaves nothing behind. */
export async function interruptDemo(
  bench: ProcessBench,
  said: string,
  signal: "SIGINT" | "SIGTERM",
): Promise<void> {
  const { closed, folder, output, pid } = await startDemo(bench);
  await expect.poll(output).toContain(said);
  const saidBefore = output();
  // A key reaches the whole group, whoever else asks names the one process.
  process.kill(signal === "SIGINT" ? -pid : pid, signal);
  expect(await closed).toEqual([signal === "SIGINT" ? 130 : 143, null]);
  expect(output().slice(saidBefore.length)).not.toMatch(/peer: |Error|^ +at /m);
  expect(await readdir(folder)).toEqual([]);
}

/** A demonstration that is killed once it has said this: it leaves no peer running. */
export async function killDemo(bench: ProcessBench, said: string): Promise<void> {
  const { closed, output, pid } = await startDemo(bench);
  await expect.poll(output).toContain(said);
  const saidBefore = output();
  process.kill(pid, "SIGKILL");
  expect(await closed).toEqual([null, "SIGKILL"]);
  expect(output().slice(saidBefore.length)).not.toMatch(/peer: |Error|^ +at /m);
}

/** A demonstration in an environment that sets something for peers: its first one runs without that, so a second starts. */
export async function startPeersOfDemo(
  bench: ProcessBench,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { closed, folder, output, pid } = await startDemo(bench, environment);
  const startedPeers = () => readdir(folder, { recursive: true });
  await expect.poll(startedPeers).toContainEqual(expect.stringMatching(/peer-2$/));
  process.kill(pid, "SIGTERM");
  expect(await closed).toEqual([143, null]);
  expect(output()).not.toContain("peer: ");
}
