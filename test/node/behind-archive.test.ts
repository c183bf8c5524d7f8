import { expect, it } from "vitest";
import { tellBehind } from "../../node/behind-archive.ts";
import { silentLogger } from "../support/silent-logger.ts";

it.each([
  [Date.UTC(2026, 2, 1, 12, 30), "2026-03-01T12:30:00.000Z"],
  [undefined, undefined],
])("a database that is behind its archive is told of with what it lacks, since %s", (at, since) => {
  const logged: unknown[] = [];
  const tell = tellBehind({ ...silentLogger, warn: (...each) => void logged.push(each) });
  tell({ files: 2, bytes: 1_234 }, at);
  const detail: unknown = expect.stringContaining("is an older copy, or its disk lost");
  expect(logged).toEqual([["database-behind-archive", { files: 2, bytes: 1_234, since, detail }]]);
});
