import { beforeEach, describe, expect, it } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import type { InjectReport } from "../../../src/ports/peer-control.ts";
import { htmlPage } from "../../support/table-web.ts";
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
    machine = new VirtualPeer(() => htmlPage());
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

describe("an injection into a job of which a pattern never ends", () => {
  const endless = { exclude: ["^(?!ftp:).*/(a+)+$"] };
  const longSeed = `http://site.example/${"a".repeat(200)}!`;
  const blamed = {
    code: "CONFIG_INVALID",
    message: expect.stringContaining('exclude (--exclude) of job "docs"') as string,
  };
  let machine: VirtualPeer;

  beforeEach(async () => {
    machine = new VirtualPeer(() => htmlPage());
    await machine.clock.run(machine.start());
  });

  it("says so, makes no job, and leaves the peer at work", async () => {
    await machine.clock.run(
      (async () => {
        const { peer } = machine;
        await expect(peer.inject(job, [seed, longSeed], endless)).rejects.toMatchObject(blamed);
        expect(peer.jobs()).toEqual([]);
        expect(await peer.inject(job, [longSeed])).toMatchObject({ added: 1, rejected: [] });
        await peer.jobFinished(job, new AbortController().signal);
        expect(peer.job(job).counts.pages).toBe(1);
      })(),
    );
  });

  it("changes no job that there is, and admits nothing", async () => {
    await machine.clock.run(
      (async () => {
        const { peer } = machine;
        await peer.inject(job, []);
        await expect(peer.inject(job, [seed, longSeed], endless)).rejects.toMatchObject(blamed);
        expect(peer.job(job)).toMatchObject({
          definition: { revision: 1, options: { exclude: [] } },
          counts: { queued: 0 },
        });
      })(),
    );
  });
});

describe("a job whose seeds are still being judged", () => {
  it("takes none of them once it is cancelled", async () => {
    const machine = new VirtualPeer(() => htmlPage());
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await peer.inject(job, [], { exclude: ["x$"] });
        const judged = expect(peer.inject(job, [seed])).rejects.toMatchObject({
          code: "JOB_CANCELLED",
        });
        const { definition } = await peer.changeJob(job, "cancel");
        await judged;
        expect(peer.job(job)).toMatchObject({ definition, counts: { queued: 0 } });
      })(),
    );
  });

  it("is made by whoever is first, and changed by the other", async () => {
    const machine = new VirtualPeer(() => htmlPage());
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        const [slow, quick] = await Promise.all([
          peer.inject(job, [seed, `${seed}x`], { exclude: ["x$"] }),
          peer.inject(job, [seed], { depthMax: 3 }),
        ]);
        expect(quick).toMatchObject({ added: 1, rejectedCount: 0 });
        expect(quick).not.toHaveProperty("changed");
        expect(slow).toMatchObject({ added: 0, known: 1, rejectedCount: 1 });
        expect(slow.changed).toEqual([{ option: "exclude", before: [], after: ["x$"] }]);
      })(),
    );
  });

  it("is not made at a peer that has stopped", async () => {
    const machine = new VirtualPeer(() => htmlPage());
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await peer.stop();
        const late = peer.inject(job, [seed], { exclude: ["x$"] });
        await expect(late).rejects.toMatchObject({ code: "PEER_STOPPED" });
        expect(peer.jobs()).toEqual([]);
      })(),
    );
  });
});
