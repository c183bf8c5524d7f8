import { describe, expect, it } from "vitest";
import { adviceByCode, errorReport, usageError } from "../../node/error-line.ts";
import { CrawlError, type CrawlErrorCode } from "../../src/core/errors.ts";
import { MalformedMessage } from "../../src/core/protobuf/malformed-message.ts";

describe("errorReport", () => {
  it.each(Object.keys(adviceByCode) as CrawlErrorCode[])("says %s in one line", (code) => {
    const { text, exitCode } = errorReport(new CrawlError(code, "it went wrong."));
    expect(text).toMatch(/^peer: it went wrong[^\n]*\n$/);
    expect([1, 2]).toContain(exitCode);
  });

  it("adds what to do, unless the message itself does", () => {
    expect(errorReport(new CrawlError("DISK_FULL", "/data is full.")).text).toBe(
      "peer: /data is full; free some space and start again: nothing is lost, the crawl continues\n",
    );
    expect(errorReport(new CrawlError("DISK_FULL", "/data is full; make room.")).text).toBe(
      "peer: /data is full; make room.\n",
    );
  });

  it("tells wrong use from failure by the exit code, and names every mistake", () => {
    expect(errorReport(usageError("--a must be b", "--c must be d"))).toEqual({
      text: "peer: --a must be b\npeer: --c must be d\n",
      exitCode: 2,
    });
    expect(errorReport(new CrawlError("LISTEN_FAILED", "x")).exitCode).toBe(1);
    expect(errorReport(new CrawlError("DATA_DIR_UNUSABLE", "x")).exitCode).toBe(2);
  });

  it("does not call a bug what the system refused", () => {
    const full = Object.assign(new Error("ENOSPC: no space left"), {
      code: "ENOSPC",
      syscall: "write",
    });
    expect(errorReport(full).text).toMatch(/^peer: ENOSPC: no space left; free some space.*\n$/);
    const denied = Object.assign(new Error("EACCES: denied"), { code: "EACCES", syscall: "open" });
    expect(errorReport(denied)).toMatchObject({ exitCode: 2 });
  });

  it("does not call a bug what is damaged on disk, and says what to do about it", () => {
    expect(errorReport(new MalformedMessage("a field of kind 4"))).toEqual({
      text: `peer: a row of the database cannot be read: a field of kind 4; ${adviceByCode.STORE_CORRUPT.hint}\n`,
      exitCode: 1,
    });
  });

  it("names no directory and no disk where it is open files that there are too few of", () => {
    const reasons = ["EMFILE: too many open files, open 'key'", "IO error: x: Too many open files"];
    for (const reason of reasons) {
      const { text, exitCode } = errorReport(new CrawlError("DATA_DIR_UNUSABLE", `no (${reason})`));
      expect(text).toContain(`${reason}); let the process open more files (ulimit -n`);
      expect(exitCode).toBe(1);
    }
  });

  it("does not call a disk full where it is the length of a file that is limited", () => {
    const reason = "the leases cannot be written: EFBIG: file too large, write";
    const { text, exitCode } = errorReport(new CrawlError("DISK_FULL", reason));
    expect(text).toMatch(/, write; let the process write longer files \(ulimit -f, .*\n$/);
    expect(exitCode).toBe(1);
  });

  it("shows the stack of a bug, and cannot be made to steer the terminal", () => {
    expect(errorReport(new TypeError("x is not a function")).text).toMatch(
      /this is a bug.*x is not a function\n\s+at /,
    );
    expect(errorReport(new CrawlError("STORE_IO", "bad \u001b[2J name")).text).not.toContain(
      "\u001b",
    );
  });
});
