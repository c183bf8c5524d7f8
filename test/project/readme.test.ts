import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const readme = new URL("../../README.md", import.meta.url);

it("the commands of the README can be pasted into zsh, to which a comment is more words of the command", async () => {
  const text = await readFile(readme, "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const lines = blocks.join("").split("\n");
  expect(lines).toContain("npm ci && npm run demo");
  expect(lines.filter((line) => /(?:^|\s)#/.test(line))).toEqual([]);
});
