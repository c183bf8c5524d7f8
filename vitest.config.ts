import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const common = { extends: true as const };
/**
 * Nothing outlives a file but modules, and what they remember changes no answer: to load them anew for each file took a
 * tenth of all time.
 */
const shared = { isolate: false };

export default defineConfig({
  test: {
    // The default of a CommonJS module is what Node.js says it is.
    deps: { interopDefault: false },
    // Vitest would leave one core idle; much of the tests waits, so even one worker more than cores is a gain.
    maxWorkers: availableParallelism() + 1,
    // What a process does takes as long as the machine lets it; the default is a second.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        ...common,
        test: {
          name: "unit",
          include: ["test/{core,contracts,peer,sim}/**/*.test.ts"],
          setupFiles: ["test/support/setup.ts"],
          ...shared,
          // What a swarm in virtual time makes outlives V8's usual young generation, and is moved for nothing.
          execArgv: ["--max-semi-space-size=64"],
          // Nothing waits here but for the processor, which others may be busy with.
          testTimeout: 60_000,
        },
      },
      {
        ...common,
        test: {
          name: "integration",
          include: ["test/{adapters,node,real}/**/*.test.ts"],
          ...shared,
          // As a test does, so what stands before some may start processes and crawl.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...common,
        test: {
          name: "long",
          include: ["test/long/**/*.test.ts"],
          // Half of its time a swarm waits for the delays of hosts; three at once would be in each other's way.
          maxWorkers: 2,
          testTimeout: 900_000,
        },
      },
      {
        ...common,
        test: {
          name: "netns",
          // Each file has a network of its own; most of their time they wait.
          include: ["test/netns/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
      { ...common, test: { name: "conformance", include: ["test/conformance/**/*.test.ts"] } },
      { ...common, test: { name: "check", include: ["test/project/**/*.test.ts"] } },
    ],
  },
});
