import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Layers that the files of each layer may import, besides their own. */
const allowedLayers: Readonly<Record<string, readonly string[]>> = {
  "src/core": [],
  "src/ports": ["src/core"],
  "src/peer": ["src/core", "src/ports"],
  "src/adapters": ["src/core", "src/ports"],
  sim: ["src/core", "src/ports", "src/peer"],
  node: [
    "src/core",
    "src/ports",
    "src/peer",
    "src/adapters",
    "src/index.ts",
    "sim",
    "package.json",
  ],
  "src/index.ts": ["src/core", "src/ports", "src/peer"],
};

/** Packages that are pure functions of their arguments, and so may serve the core. */
const purePackages = new Set([
  "@exodus/bytes",
  "bloom-filters",
  "htmlparser2",
  "ipaddr.js",
  "protons-runtime",
  "robots-parser",
  "tldts",
  "uint8arraylist",
  "uint8arrays",
  "xxhash-wasm",
]);

interface Import {
  readonly from: string;
  readonly target: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map((name) => join(folder, name));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const pattern = /(?:\bfrom\s+|\bimport\s*\(?\s*)["']([^"']+)["']/g;
  return [...text.matchAll(pattern)].map(([, specifier = ""]) => ({
    from: file,
    target: specifier.startsWith(".")
      ? relative(root, join(root, dirname(file), specifier))
      : specifier,
  }));
}

function layerOf(path: string): string | undefined {
  return Object.keys(allowedLayers)
    .concat("package.json")
    .find((layer) => path === layer || path.startsWith(`${layer}/`));
}

function isRelative({ target }: Import): boolean {
  return layerOf(target) !== undefined;
}

/** The adapter's own folder: adapters do not know one another. */
function adapterOf(path: string): string | undefined {
  return /^src\/adapters\/[^/]+/.exec(path)?.[0];
}

function isAllowed(entry: Import): boolean {
  const layer = layerOf(entry.from) ?? "";
  const target = layerOf(entry.target) ?? "";
  if (layer === "src/adapters" && target === layer) {
    return adapterOf(entry.from) === adapterOf(entry.target);
  }
  return layer === target || (allowedLayers[layer] ?? []).includes(target);
}

function packageOf(target: string): string {
  const parts = target.split("/");
  return target.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? target);
}

const imports = ["src", "node", "sim"].flatMap(sourceFiles).flatMap(importsOf);

describe("the layers", () => {
  it("are found in the tree", () => {
    expect(imports.filter(isRelative).length).toBeGreaterThan(50);
  });

  it("import only in the allowed direction", () => {
    const wrong = imports.filter(isRelative).filter((entry) => !isAllowed(entry));
    expect(wrong).toEqual([]);
  });

  it("keep the core pure: no modules of Node, only packages that are pure", () => {
    const wrong = imports
      .filter(({ from }) => from.startsWith("src/core/"))
      .filter((entry) => !isRelative(entry) && !purePackages.has(packageOf(entry.target)));
    expect(wrong).toEqual([]);
  });

  it("keep packages out of ports and the peer", () => {
    const wrong = imports
      .filter(({ from }) => from.startsWith("src/ports/") || from.startsWith("src/peer/"))
      .filter((entry) => !isRelative(entry));
    expect(wrong).toEqual([]);
  });
});
