import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newerNode } from "../../node/newer-node.ts";
import { majorOf } from "../../node/node-version.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "newer-node-"));
});

afterEach(() => rm(root, { recursive: true }));

async function place(path: string): Promise<string> {
  const full = join(root, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, "");
  return full;
}

describe("newerNode", () => {
  it("finds the one that came with the package, from inside the package", async () => {
    const path = await place("package/node_modules/node/bin/node");
    expect(newerNode(join(root, "package/dist/node"), () => "v24.1.0\n")).toBe(path);
  });

  it("finds the one of the project around the package", async () => {
    const path = await place("node_modules/.bin/node");
    expect(newerNode(join(root, "node_modules/orbweaver/dist/node"), () => "v25.0.0")).toBe(path);
  });

  it("passes by one that is too old or does not run", async () => {
    await place("package/node_modules/node/bin/node");
    const path = await place("node_modules/.bin/node");
    const versionOf = (each: string): string => (each === path ? "v24.0.0" : "v20.1.0");
    expect(newerNode(join(root, "package"), versionOf)).toBe(path);
    expect(newerNode(join(root, "package"), () => "")).toBeUndefined();
  });

  it("reads major versions", () => {
    expect(["v24.1.0", "v8.0.0", "24.0", "", "vx"].map(majorOf)).toEqual([24, 8, 24, 0, 0]);
  });
});
