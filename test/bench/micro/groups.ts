import type { MicroBenchmark } from "./micro-benchmark.ts";

interface Group {
  readonly benchmarks: readonly MicroBenchmark[];
}

/** The files of benchmarks, each loaded by itself, so that a thread has only what it measures. */
const groups: Readonly<Record<string, () => Promise<Group>>> = {
  sieve: () => import("./paths/sieve.ts"),
  ring: () => import("./paths/ring.ts"),
  url: () => import("./paths/url.ts"),
  page: () => import("./paths/page.ts"),
  record: () => import("./paths/record.ts"),
  archive: () => import("./paths/archive.ts"),
  frontier: () => import("./paths/frontier.ts"),
  message: () => import("./paths/message.ts"),
};

/** All benchmarks, in the order in which they are shown. */
export async function allBenchmarks(): Promise<readonly MicroBenchmark[]> {
  const loaded = await Promise.all(Object.values(groups).map((load) => load()));
  return loaded.flatMap(({ benchmarks }) => benchmarks);
}

/** The benchmark of that name. */
export async function benchmarkNamed(name: string): Promise<MicroBenchmark> {
  const [group = ""] = name.split("/", 1);
  const found = (await groups[group]?.())?.benchmarks.find((benchmark) => benchmark.name === name);
  if (found === undefined) throw new Error(`there is no benchmark ${name}`);
  return found;
}
