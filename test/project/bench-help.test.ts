import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

function bench(script: string, word: string) {
  const words = [join("test/bench", script), word];
  const { status, stderr, stdout } = spawnSync(process.execPath, words, { cwd: root });
  return { status, stderr: stderr.toString(), stdout: stdout.toString() };
}

it.each(["queue-memory.ts", "micro/ring.ts", "micro/sieve.ts", "micro/extract.ts", "swarm/all.ts"])(
  "the benchmark %s tells how it is used",
  (script) => {
    const { status, stdout } = bench(script, "--help");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^usage: (node|npm run) .*\n$/) as string,
    });
  },
);

it("a benchmark says what is wrong with its words, and does not begin", () => {
  expect(bench("queue-memory.ts", "many")).toEqual({
    status: 2,
    stdout: "",
    stderr:
      "bench: URLS must be a whole number from 1 to 9007199254740991, got many\n" +
      "usage: node test/bench/queue-memory.ts [URLS]\n",
  });
});
