import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dataLayout, type PeerConfig } from "../../node/config/peer-config.ts";
import { openSession } from "../../node/peer-session.ts";
import { FakePeerControl, neverBroken } from "../support/fake-peer-control.ts";

describe("a peer's session in a directory where it may change nothing any more", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "orbweaver-test-"));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it("stops the API and the peer all the same, and says what failed", async () => {
    let isStopped = false;
    const session = await openSession({
      config: {
        dataDir,
        version: "1",
        log: { level: "silent", format: "text" },
      } as unknown as PeerConfig,
      composePeer: () =>
        Promise.resolve({
          control: new FakePeerControl(),
          broken: neverBroken,
          start: () => Promise.resolve(),
          stop: () => {
            isStopped = true;
            return Promise.resolve();
          },
        }),
      api: { host: "127.0.0.1", port: 0 },
      leave: () => Promise.resolve(undefined),
    });
    const { apiFile } = dataLayout(dataDir);
    // Stands for a file that cannot be removed, which no permission keeps root from.
    await rm(apiFile);
    await mkdir(join(apiFile, "kept"), { recursive: true });
    await expect(session.close()).rejects.toThrow(/api\.json/);
    expect(isStopped).toBe(true);
    await expect(fetch(`${session.apiUrl ?? ""}/healthz`)).rejects.toThrow();
  });
});

const failing = `
  const { openSession } = await import("./node/peer-session.ts");
  const { FakePeerControl, neverBroken } = await import("./test/support/fake-peer-control.ts");
  const none = () => Promise.resolve();
  const peer = { control: new FakePeerControl(), broken: neverBroken, start: none, stop: none };
  const config = { dataDir: process.argv[1], version: "1", log: { level: "silent", format: "text" } };
  const request = { config, composePeer: () => Promise.resolve(peer), leave: none };
  const api = { host: "127.0.0.1", port: 0 };
  const error = await openSession({ ...request, api }).catch((problem) => problem);
  process.stdout.write(error.code + " " + error.message);
`;

it.runIf(process.platform !== "win32")(
  "a session whose API's address finds no room on the disk names its file, and leaves none",
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "orbweaver-test-"));
    // A file of no bytes at most is the disk of this process.
    const shell = `trap "" XFSZ; ulimit -f 0; "$@" | cat`;
    const node = [process.execPath, "--input-type=module", "--eval", failing];
    const { stdout } = await promisify(execFile)("sh", ["-c", shell, "sh", ...node, dataDir]);
    const left = await readdir(dataDir);
    await rm(dataDir, { recursive: true });
    const { apiFile } = dataLayout(dataDir);
    expect(stdout).toContain(`DISK_FULL the API's address ${apiFile} cannot be written (EFBIG: `);
    expect(left).toEqual([]);
  },
);
