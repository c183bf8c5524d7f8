import { expect, it } from "vitest";
import { tellSlowStart } from "../../node/slow-start.ts";
import { silentLogger } from "../support/silent-logger.ts";

/** A log of warnings. */
function logging() {
  const logged: unknown[] = [];
  const warn = (event: string, fields: unknown): void => void logged.push([event, fields]);
  return { logged, logger: { ...silentLogger, warn } };
}

it("tells of a start's work once it takes long, and then every ten seconds how far it is", () => {
  let nowMs = 7;
  const { logged, logger } = logging();
  const tell = tellSlowStart({ nowMs: () => nowMs }, logger);
  for (let second = 0; second < 13; second += 1) {
    tell("verifying-database", { bytes: second * 100_000_000, ofBytes: 1_299_500_000 });
    nowMs += 1_000;
  }
  expect(logged).toEqual([
    ["verifying-database", { doneMB: 200, ofMB: 1_300 }],
    ["verifying-database", { doneMB: 1_200, ofMB: 1_300 }],
  ]);
});

it("names the file that it works on where there is one", () => {
  let nowMs = 0;
  const { logged, logger } = logging();
  const tell = tellSlowStart({ nowMs: () => nowMs }, logger);
  nowMs = 2_000;
  tell("indexing-archive", { file: "a.warc.gz", bytes: 400_000, ofBytes: 7_000_000 });
  expect(logged).toEqual([["indexing-archive", { file: "a.warc.gz", doneMB: 0, ofMB: 7 }]]);
});
