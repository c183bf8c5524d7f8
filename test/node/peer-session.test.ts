import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
