import { existsSync, readFileSync } from "node:fs";

const folder = new URL("../../../shared/conformance/", import.meta.url);

/** The cases of one file of the public suites, which live beside the repository; undefined where they are absent. */
export function conformanceCases<Case>(
  file: string,
  read: (value: unknown) => Case,
): readonly Case[] | undefined {
  const path = new URL(file, folder);
  if (!existsSync(path)) return undefined;
  const cases: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!Array.isArray(cases)) throw new Error(`${file}: expected an array`);
  return cases.map(read);
}
