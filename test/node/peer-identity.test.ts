import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { base58 } from "../../node/base58.ts";
import { idOfKey, newKey, peerIdentity } from "../../node/peer-identity.ts";
import { memberIdOf } from "../../src/adapters/libp2p/peer-key.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "peer-identity-"));
});

afterEach(() => rm(folder, { recursive: true }));

function files(): { keyFile: string; leasesFile: string; nameFile: string } {
  const [keyFile, leasesFile, nameFile] = ["peer-key", "leases", "peer-id"] as const;
  return {
    keyFile: join(folder, keyFile),
    leasesFile: join(folder, leasesFile),
    nameFile: join(folder, nameFile),
  };
}

describe("peerIdentity", () => {
  it("is drawn once, kept where only its user may read it, and the same afterwards", async () => {
    const first = await peerIdentity(files());
    expect(first.fileName).toMatch(/^[0-9A-Za-z]{12}$/);
    expect((await stat(files().keyFile)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["peer-key"]);
    expect(await peerIdentity(files())).toEqual(first);
    await rm(files().keyFile);
    expect((await peerIdentity(files())).id).not.toBe(first.id);
  });

  it("is not drawn anew where a peer has run, whose archive nobody would finish", async () => {
    await writeFile(files().leasesFile, "");
    await expect(peerIdentity(files())).rejects.toMatchObject({
      code: "DATA_DIR_UNUSABLE",
      message: expect.stringContaining("peer-key is missing") as string,
    });
    expect(await readdir(folder)).toEqual(["leases"]);
  });

  it("is the id that the network derives from the key", async () => {
    const { id, key = new Uint8Array() } = await peerIdentity(files());
    expect(memberIdOf(key)).toBe(id);
    for (let i = 0; i < 20; i += 1) {
      const another = newKey();
      expect(idOfKey(another)).toBe(memberIdOf(another));
    }
  });

  it("is one for processes that make it at the same time", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => peerIdentity(files())));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await readdir(folder)).toEqual(["peer-key"]);
  });

  it.runIf(process.platform !== "win32")(
    "says which file a full disk has no room for",
    async () => {
      // A file of no bytes at most is the disk of this process.
      const script = `import("./node/peer-identity.ts").then(async ({ peerIdentity }) => {
      const [keyFile, leasesFile, nameFile] = process.argv.slice(1);
      const made = await peerIdentity({ keyFile, leasesFile, nameFile }).catch((error) => error);
      process.stdout.write(made.code + " " + made.message);
    })`;
      const shell = `trap "" XFSZ; ulimit -f 0; "$@" | cat`;
      const node = [process.execPath, "--input-type=module", "--eval", script];
      const words = ["-c", shell, "sh", ...node, ...Object.values(files())];
      const { stdout } = await promisify(execFile)("sh", words);
      expect(stdout).toMatch(/^DISK_FULL the peer's key .*peer-key cannot be written \(EFBIG: /);
      expect(stdout).toContain(files().keyFile);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("keeps a name of before there were keys, and has no key then", async () => {
    await writeFile(files().nameFile, "e82866fd3b0e\n");
    const identity = await peerIdentity(files());
    expect(identity).toEqual({ id: "e82866fd3b0e", fileName: "e82866fd3b0e" });
    expect(await readdir(folder)).toEqual(["peer-id"]);
    await writeFile(files().nameFile, "no name");
    await expect(peerIdentity(files())).rejects.toMatchObject({ code: "DATA_DIR_UNUSABLE" });
  });

  it.each([
    ["nothing", () => ""],
    ["other text", () => "hello"],
    ["half of a key", (key: string) => key.slice(0, 40)],
    [
      "a key with a character changed",
      (key: string) => `${key.slice(0, 20)}${other(key[20])}${key.slice(21)}`,
    ],
    ["far too much", (key: string) => key.repeat(20)],
  ])("refuses a file that holds %s, and does not replace it", async (_name, damage) => {
    await peerIdentity(files());
    const { keyFile } = files();
    const damaged = damage(await readFile(keyFile, "utf8"));
    await writeFile(keyFile, damaged);
    await expect(peerIdentity(files())).rejects.toMatchObject({
      code: "DATA_DIR_UNUSABLE",
      message: expect.stringMatching(
        /peer-key does not hold a peer's key .*; restore it/,
      ) as string,
    });
    expect(await readFile(keyFile, "utf8")).toBe(damaged);
  });
});

function other(character: string | undefined): string {
  return character === "A" ? "B" : "A";
}

describe("base58", () => {
  it.each([
    ["", ""],
    ["00", "1"],
    ["0000ff", "115Q"],
    ["48656c6c6f20576f726c6421", "2NEpo7TZRRrLZSi2U"],
  ])("writes %s as %s", (hex, text) => {
    expect(base58(Buffer.from(hex, "hex"))).toBe(text);
  });
});
