import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../node/cli.ts";
import type { RunnablePeer } from "../../node/peer-session.ts";
import { SeedsLeft } from "../../node/seeds-left.ts";
import type { JobId } from "../../src/core/units.ts";
import { CrawlError } from "../../src/core/errors.ts";
import { FakePeerControl, neverBroken } from "../support/fake-peer-control.ts";
import { FakeTerminal } from "../support/fake-terminal.ts";

const urls = Array.from({ length: 1_500 }, (_, i) => `http://docs.example/${i}`);

let folder: string;
let file: string;
let out: string;
let control: FakePeerControl;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "seeds-left-"));
  file = join(folder, "urls.txt");
  out = join(folder, "out");
  control = new FakePeerControl();
  await mkdir(join(out, "state"), { recursive: true });
  await writeFile(file, urls.join("\n"));
});

afterEach(() => rm(folder, { recursive: true }));

function composePeer(): Promise<RunnablePeer> {
  const nothing = (): Promise<void> => Promise.resolve();
  return Promise.resolve({ control, broken: neverBroken, start: nothing, stop: nothing });
}

/** Crawls `from`, or what is there, to the end, with all that is queued fetched. */
async function crawl(from: string | undefined) {
  const terminal = new FakeTerminal();
  terminal.environment["ORBWEAVER_CONTACT"] = "mail@docs.example";
  const seeds = from === undefined ? [] : ["--file", from];
  const crawling = runCli(["crawl", ...seeds, "--out", out], terminal, composePeer);
  await Promise.race([expect.poll(() => control.waiting).toBe(1), crawling]);
  control.finish();
  return { exitCode: await crawling, err: terminal.stderr.text };
}

/** As a kill leaves it: what comes after the first batch never happens. */
async function crawlCutOff(from = file): Promise<void> {
  const inject = control.inject.bind(control);
  control.inject = (...seeds) =>
    control.injected.length === 1
      ? Promise.reject(new CrawlError("STORE_IO", "cut off"))
      : inject(...seeds);
  await crawl(from);
  control.inject = inject;
}

describe("a crawl that was cut off from a file", () => {
  it("has the rest by the file's new name", async () => {
    await crawlCutOff();
    expect(await readdir(out)).toContain("seeds-left.json");
    const renamed = join(folder, "all.txt");
    await rename(file, renamed);
    const { err, exitCode } = await crawl(renamed);
    expect({ exitCode, err }).toEqual({
      exitCode: 0,
      err: `continuing in ${out}: 1,000 pages so far, 0 queued\n`,
    });
    expect(await readdir(out)).not.toContain("seeds-left.json");
  });

  it("does not take a file that came later for it, whatever that is like", async () => {
    await crawlCutOff();
    const other = join(folder, "other.txt");
    await writeFile(other, urls.join("\n"));
    const { err, exitCode } = await crawl(other);
    expect(exitCode).toBe(1);
    expect(err).toContain(`peer: not all URLs of ${file} are in the crawl: `);
    expect(err).toContain(`continue with: peer crawl --file ${file} --out ${out}\n`);
  });

  it("says what helps where the file is gone", async () => {
    await crawlCutOff();
    // As versions before this one kept it.
    const left = join(out, "seeds-left.json");
    const gone = join(folder, "gone.txt");
    await writeFile(left, JSON.stringify({ crawl: gone }));
    const { err, exitCode } = await crawl(file);
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err:
        `continuing in ${out}: 1,000 pages so far, 0 queued\n` +
        `peer: not all URLs of ${gone} are in the crawl: it was interrupted meanwhile, and that file is not found; ` +
        `if another file has brought them since, remove ${left}\n` +
        `continue with: peer crawl --out ${out}\n`,
    });
    await rm(left);
    expect(await crawl(file)).toEqual({ exitCode: 0, err: "" });
  });

  it("is not told to go on with a name that is another file's by then", async () => {
    const handle = await open(file);
    const name = `/dev/fd/${handle.fd}`;
    await crawlCutOff(name);
    await handle.close();
    // An earlier version kept the other one.
    const left = join(out, "seeds-left.json");
    expect(JSON.parse(await readFile(left, "utf8"))).toEqual({ crawl: [{ file: "-" }] });
    await writeFile(left, JSON.stringify({ crawl: [{ file: name }, { file: "-" }] }));
    const { err, exitCode } = await crawl(undefined);
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err:
        "peer: not all URLs of standard input are in the crawl: it was interrupted meanwhile\n" +
        `continue with: peer crawl --file - --out ${out}, with the same URLs on standard input\n`,
    });
  });

  it.each(["", "{}", "[]", '{"crawl":[{"name":"urls.txt"}]}', '{"crawl":[{"file":"a","mark":1}]}'])(
    "is not taken for none where its record was spoilt (%j)",
    async (text) => {
      await writeFile(join(out, "seeds-left.json"), text);
      const plan = { out, job: "crawl" as JobId };
      await expect(SeedsLeft.of(plan)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    },
  );
});

describe("the record of files that are read", () => {
  const job = "crawl" as JobId;
  const begun = (from: string) => SeedsLeft.of({ out, job, file: from });
  const recorded = async () =>
    JSON.parse(await readFile(join(out, "seeds-left.json"), "utf8")) as unknown;

  it.each<[string, (renamed: string) => Promise<unknown>]>([
    [
      "has grown",
      async (renamed) => {
        await appendFile(renamed, "\n#");
        await utimes(renamed, 5, 5);
      },
    ],
    ["was written again", (renamed) => utimes(renamed, 1, 1)],
    [
      "is a copy",
      async (renamed) => {
        await copyFile(renamed, `${renamed}2`);
        const { atime, mtime } = await stat(renamed);
        await rename(`${renamed}2`, renamed);
        await utimes(renamed, atime, mtime);
      },
    ],
  ])("does not take a file of another name that %s for the one of before", async (_, change) => {
    await utimes(file, 5, 5);
    await begun(file);
    const renamed = join(folder, "all.txt");
    await rename(file, renamed);
    await change(renamed);
    expect((await begun(renamed)).file).toBe(file);
  });

  it("names a file once, however often it has changed", async () => {
    await begun(file);
    await appendFile(file, "\n#");
    const left = await begun(file);
    expect(await recorded()).toMatchObject({ [job]: [{ file }] });
    await left.taken();
    expect(await readdir(out)).toEqual(["state"]);
  });

  it("takes nothing that it cannot know again for what it had before, and standard input for no file that is gone", async () => {
    await writeFile(join(out, "seeds-left.json"), JSON.stringify({ [job]: "gone.txt" }));
    expect((await begun(folder)).file).toBe("gone.txt");
    const left = await begun("-");
    expect(await recorded()).toEqual({
      [job]: ["gone.txt", folder, "-"].map((name) => ({ file: name })),
    });
    expect({ file: left.file, isGone: await left.isGone() }).toEqual({
      file: "gone.txt",
      isGone: true,
    });
    await rm(join(out, "seeds-left.json"));
    expect(await (await begun("-")).isGone()).toBe(false);
  });
});
