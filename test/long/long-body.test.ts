import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ArchiveDirectories } from "../adapters/warc/archive-directories.ts";
import { sampleCapture, sampleExchange } from "../support/sample-captures.ts";

it("gives back of an archive a body that is far longer than those that are kept by default", async () => {
  const world = new ArchiveDirectories();
  onTestFinished(() => world.dispose());
  const directory = await world.directory();
  const archive = world.open(directory);
  await archive.start(undefined);
  const encodedBody = new Uint8Array(130 * 1_024 * 1_024);
  const long = archive.append(
    sampleCapture({ ...sampleExchange("/a", "hello"), headers: [], encodedBody }),
  );
  expect((await archive.read(long)).body.length).toBe(encodedBody.length);
  await archive.stop();
  // Its index is lost: what the file holds is found by reading it.
  const index = join(directory, long.file.replace(".warc.gz", ".cdxj"));
  await rm(index);
  await world.open(directory).start(undefined);
  expect(await readFile(index, "utf8")).toContain(`"length":"${long.length}"`);
});
