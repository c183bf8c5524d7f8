import { expect, it } from "vitest";
import { storeFailure } from "../../../src/adapters/level/store-failure.ts";
import type { StoreAction } from "../../../src/adapters/level/store-failure.ts";

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

const cases: [StoreAction, Error, string][] = [
  [
    "write",
    coded("IO error: /d/000012.log: No such file or directory", "LEVEL_IO_ERROR"),
    "STORE_IO",
  ],
  [
    "read",
    coded("IO error: /d/000012.ldb: No such file or directory", "LEVEL_IO_ERROR"),
    "STORE_CORRUPT",
  ],
  ["read", coded("IO error: /d/000012.ldb: Invalid argument", "LEVEL_IO_ERROR"), "STORE_CORRUPT"],
  [
    "write",
    coded("IO error: /d/000012.log: No space left on device", "LEVEL_IO_ERROR"),
    "DISK_FULL",
  ],
  ["open", coded("ENOSPC: no space left on device, mkdir '/d'", "ENOSPC"), "DISK_FULL"],
  ["write", coded("IO error: /d/000012.log: Disk quota exceeded", "LEVEL_IO_ERROR"), "DISK_FULL"],
  [
    "open",
    coded("IO error: lock /d/LOCK: already held by process", "LEVEL_LOCKED"),
    "DATA_DIR_LOCKED",
  ],
  ["open", coded("IO error: /d/LOCK: Permission denied", "LEVEL_IO_ERROR"), "DATA_DIR_UNUSABLE"],
  [
    "open",
    coded("IO error: /d/LOCK: Read-only file system", "LEVEL_IO_ERROR"),
    "DATA_DIR_UNUSABLE",
  ],
  ["open", coded("EACCES: permission denied, mkdir '/d'", "EACCES"), "DATA_DIR_UNUSABLE"],
  [
    "read",
    coded("Corruption: block checksum mismatch: /d/000005.ldb", "LEVEL_CORRUPTION"),
    "STORE_CORRUPT",
  ],
  ["write", coded("IO error: /d/000005.ldb: Permission denied", "LEVEL_IO_ERROR"), "STORE_IO"],
  ["read", coded("IO error: /d/000005.ldb: Input/output error", "LEVEL_IO_ERROR"), "STORE_IO"],
];

it.each(cases)("names a failure to %s by its consequence: %s -> %s", (action, cause, code) => {
  const wrapped = new Error("Database failed to open", { cause });
  const failure = storeFailure(action, "/d", wrapped);
  expect(failure).toMatchObject({
    code,
    details: { directory: "/d", action, reason: cause.message },
  });
  expect(failure.message).toMatch(/^the .*\/d\b.*[^.]$/);
});

it("tells a full disk from a file that may not become longer", () => {
  const said = (text: string): string =>
    storeFailure("write", "/d", coded(`IO error: /d/000012.log: ${text}`, "LEVEL_IO_ERROR"))
      .message;
  expect(said("No space left on device")).toMatch(/^the disk that holds \/d is full; make room/);
  expect(said("File too large")).toMatch(
    /^the limit on the length of a file is reached in \/d; raise it \(ulimit -f/,
  );
});
