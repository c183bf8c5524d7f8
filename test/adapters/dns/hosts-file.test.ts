import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HostsFile } from "../../../src/adapters/dns/hosts-file.ts";

describe("HostsFile", () => {
  let directory: string;
  let path: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "hosts-"));
    path = join(directory, "hosts");
  });

  afterEach(() => rm(directory, { recursive: true }));

  it("has the names of its lines, and none of what else stands there", async () => {
    const lines = [
      "127.0.0.1 localhost # said.test",
      "  192.0.2.1\tOne.test  two.test#three.test\r",
      "no-address.test",
      " no-address-either.test",
      "# 192.0.2.2 off.test",
      "192.0.2.3 xfour.test four.testy a+b.test",
      "192.0.2.4 last.test",
    ];
    await writeFile(path, lines.join("\n"));
    const hosts = new HostsFile(path);
    for (const name of ["one.test", "two.test", "a+b.test", "last.test"]) {
      expect([name, await hosts.has(name)]).toEqual([name, true]);
    }
    const others = ["said", "three", "no-address", "no-address-either", "off", "four", "one-test"];
    for (const name of [...others.map((other) => `${other}.test`), "192.0.2.3", "two.tes."]) {
      expect([name, await hosts.has(name)]).toEqual([name, false]);
    }
  });

  it("is read again when it has changed, and has no name where there is none", async () => {
    const hosts = new HostsFile(path);
    expect(await hosts.has("a.test")).toBe(false);
    await writeFile(path, "192.0.2.1 a.test\n");
    expect(await hosts.has("a.test")).toBe(true);
    await writeFile(path, "192.0.2.1 bb.test\n");
    expect(await hosts.has("a.test")).toBe(false);
    expect(await hosts.has("bb.test")).toBe(true);
    await rm(path);
    expect(await hosts.has("bb.test")).toBe(false);
  });

  it("is read again where it could not be read a moment ago, though it is the same", async () => {
    await writeFile(path, "192.0.2.1 a.test\n");
    let isOutOfFiles = true;
    const hosts = new HostsFile(path, (...args) =>
      isOutOfFiles ? Promise.reject(new Error("EMFILE")) : readFile(...args),
    );
    expect(await hosts.has("a.test")).toBe(false);
    isOutOfFiles = false;
    expect(await hosts.has("a.test")).toBe(true);
  });
});
