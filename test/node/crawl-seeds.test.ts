import { describe, expect, it } from "vitest";
import { CrawlSeeds } from "../../node/crawl-seeds.ts";
import { Rejections, urlSource } from "../../node/url-source.ts";
import { CrawlError } from "../../src/core/errors.ts";
import type { JobId } from "../../src/core/units.ts";
import type { InjectReport } from "../../src/ports/peer-control.ts";
import { FakeTerminal } from "../support/fake-terminal.ts";

const job = "crawl" as JobId;
const options = { delayMs: 5 };
/** Arguments that make three batches. */
const urls = Array.from({ length: 2_500 }, (_, at) => `http://docs.example/${at}`);

/** Injects them all into a job that does so with each batch; what it is given. */
async function injected(
  inject: (batch: number) => Partial<InjectReport>,
  ends: readonly Promise<void>[] = [],
) {
  const rejections = new Rejections();
  const source = urlSource(new FakeTerminal(), urls, undefined, rejections);
  const seeds = await CrawlSeeds.read(source, false, rejections);
  const given: unknown[] = [];
  const control = {
    inject: (_: JobId, batch: readonly string[], set: unknown): Promise<InjectReport> => {
      given.push([batch.length, set]);
      const report = { job, added: 0, known: 0, rejected: [], rejectedCount: 0 };
      return new Promise((resolve) => resolve({ ...report, ...inject(given.length) }));
    },
  };
  const isWhole = await seeds.injectAll({ control, job, options, ends, onBatch: () => undefined });
  return { given, isWhole };
}

function cancelled(): never {
  throw new CrawlError("JOB_CANCELLED", "no more");
}

describe("the seeds of a crawl", () => {
  it.each([
    ["added", { added: 1 }],
    ["known", { known: 1 }],
  ])("set options until one of them is %s", async (_, report) => {
    const { given } = await injected((batch) => (batch === 1 ? {} : report));
    expect(given).toEqual([
      [1_000, options],
      [1_000, options],
      [500, undefined],
    ]);
  });

  it("are injected as a whole where they are arguments, whatever comes meanwhile", async () => {
    const { given, isWhole } = await injected(() => ({ added: 1 }), [Promise.resolve()]);
    expect([given.length, isWhole]).toEqual([3, true]);
  });

  it("are all that the job takes where it is cancelled since the first", async () => {
    const { given, isWhole } = await injected((batch) =>
      batch === 1 ? { added: 1 } : cancelled(),
    );
    expect([given.length, isWhole]).toEqual([2, true]);
  });

  it("are refused by a job that was cancelled before", async () => {
    await expect(injected(cancelled)).rejects.toMatchObject({ code: "JOB_CANCELLED" });
  });
});
