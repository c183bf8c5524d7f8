import { beforeEach, describe, expect, it } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import type { InjectReport } from "../../../src/ports/peer-control.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const job = "docs" as JobId;
const seed = "http://site.example/1";

describe("an injection of which nothing is taken", () => {
  let machine: VirtualPeer;
  const inject = (urls: readonly string[], exclude?: string): Promise<InjectReport> =>
    machine.clock.run(
      machine.peer.inject(job, urls, exclude === undefined ? {} : { exclude: [exclude] }),
    );

  beforeEach(async () => {
    machine = new VirtualPeer(() => undefined);
    await machine.clock.run(machine.start());
  });

  it("makes no job, and leaves nothing of its options to the next one", async () => {
    const rejected = [{ input: seed, reason: "pattern" }];
    const refusal = { job, added: 0, known: 0, rejected, rejectedCount: 1 };
    expect(await inject([seed], "site")).toEqual(refusal);
    expect(await inject(["ftp://site.example/", "x"])).toMatchObject({ rejectedCount: 2 });
    expect(machine.peer.jobs()).toEqual([]);
    expect(await inject([seed])).toMatchObject({ added: 1, rejected: [] });
  });

  it("makes the job where it names no URLs", async () => {
    await inject([], "site");
    expect(machine.peer.job(job).definition.options.exclude).toEqual(["site"]);
  });

  it("changes a job that there is", async () => {
    await inject([seed]);
    const changed = [{ option: "exclude", before: [], after: ["site"] }];
    expect(await inject([seed], "site")).toMatchObject({ changed, rejectedCount: 1 });
  });
});
