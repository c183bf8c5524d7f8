import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { binaryOutside } from "../../rolldown.config.ts";

it("leaves outside of the programs only what is among the dependencies", () => {
  const outside = binaryOutside.resolveId("./binding", "/node_modules/classic-level/index.js");
  const [name = ""] = outside?.id.split("/") ?? [];
  expect(Object.keys(manifest.dependencies)).toContain(name);
});
