import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fileShares, openFilesMax } from "../../node/file-shares.ts";

const wanted = { openRequestsMax: 256, idleConnectionsMax: 1_024 };

describe("the files that a process may open", () => {
  it.each([
    [Infinity, 256, 1_024],
    [65_536, 256, 1_024],
    [1_088, 256, 256],
    [1_087, 255, 255],
    [264, 50, 50],
    [68, 1, 1],
    [10, 1, 1],
  ])("leave, where they are %s, room for so many connections", (files, requests, idle) => {
    const shares = { openRequestsMax: requests, idleConnectionsMax: idle };
    expect(fileShares(files, wanted)).toEqual(shares);
  });

  it("are as many as the system lets it", () => {
    const module = fileURLToPath(new URL("../../node/file-shares.ts", import.meta.url));
    const program = `import("${module}").then((m) => console.log(m.openFilesMax()))`;
    const words = ["-c", 'ulimit -n 321; exec "$@"', "sh", process.execPath, "-e", program];
    expect(execFileSync("sh", words, { encoding: "utf8" })).toBe("321\n");
  });

  it.each([{}, { userLimits: {} }, { userLimits: { open_files: { soft: "unlimited" } } }])(
    "have no bound where none is told: %j",
    (report) => {
      expect(openFilesMax(report)).toBe(Infinity);
    },
  );
});
