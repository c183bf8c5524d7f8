import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { peerEntry } from "../support/peer-process.ts";
import { ProcessBench } from "../support/process-bench.ts";

const words = ["demo", "--sites", "4", "--pages", "120", "--delay", "20"];

describe("peer demo that is interrupted or killed", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  /** Its own folder for temporary files, and a process group as a terminal makes one. */
  async function demo() {
    const folder = await bench.directory();
    const child = spawn(process.execPath, [peerEntry, ...words], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: folder, NODE_DISABLE_COMPILE_CACHE: "1" },
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

  it.each([
    ["while its first peer starts", "a fourth joins", "SIGTERM", 143],
    ["while the swarm crawls", "peer 2 is asked when the job is over", "SIGINT", 130],
    ["while its fourth peer starts", "kill -9 of peer 3 after", "SIGINT", 130],
  ] as const)("leaves nothing behind: %s", async (_when, said, signal, code) => {
    const { closed, folder, output, pid } = await demo();
    await expect.poll(output).toContain(said);
    const saidBefore = output();
    // A key reaches the whole group, whoever else asks names the one process.
    process.kill(signal === "SIGINT" ? -pid : pid, signal);
    expect(await closed).toEqual([code, null]);
    expect(output().slice(saidBefore.length)).not.toMatch(/peer: |Error|^ +at /m);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["while its first peer starts", "a fourth joins"],
    ["while the swarm crawls", "peer 2 is asked when the job is over"],
  ])("leaves no peer running: killed %s", async (_when, said) => {
    const { closed, output, pid } = await demo();
    await expect.poll(output).toContain(said);
    const saidBefore = output();
    process.kill(pid, "SIGKILL");
    expect(await closed).toEqual([null, "SIGKILL"]);
    expect(output().slice(saidBefore.length)).not.toMatch(/peer: |Error|^ +at /m);
  });
});
