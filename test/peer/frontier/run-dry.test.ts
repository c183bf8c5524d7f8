import { describe, expect, it } from "vitest";
import { tagOf, type KeyTag } from "../../../src/core/record/key-tags.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import type { StoreOp } from "../../../src/ports/store.ts";
import { recordBatches } from "../../support/record-batches.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const forever = new AbortController().signal;
const host = "http://a.example";

/** A page leads to the one behind it, up to the fourth. */
const web: Pages = (url) => {
  const page = Number(url.slice(host.length + 1));
  if (!(page >= 1 && page <= 4)) return undefined;
  return htmlPage(...(page < 4 ? [`${host}/${page + 1}`] : []));
};

class DryBench extends VirtualPeer {
  readonly batches = recordBatches(this.disk);

  constructor() {
    super(web);
  }

  /** Batches that delete a row of this tag. */
  deleting(tag: KeyTag): (readonly StoreOp[])[] {
    return this.batches.filter((ops) =>
      ops.some(({ type, key }) => type === "del" && tagOf(key) === tag),
    );
  }

  /** Rows by which a start finds hosts. */
  get waiting(): number {
    return this.disk.entries(tagRange("waiting")).length;
  }
}

describe("the last page of a host", () => {
  it("ends in the batch that takes away the row by which its host is found", async () => {
    const bench = new DryBench();
    await bench.crawl([`${host}/1`], { delayMs: 100 });
    expect(bench.peer.job(testJob).counts).toMatchObject({ pages: 4 });
    expect(bench.deleting("queue")).toHaveLength(4);
    expect(bench.deleting("waiting")).toEqual([bench.deleting("queue").at(-1)]);
    expect(bench.waiting).toBe(0);
  });

  it.each([
    { name: "while another one waits", seeds: [`${host}/1`, `${host}/4`] },
    { name: "while it leads to another one", seeds: [`${host}/1`] },
  ])("is none $name: the host is found after a kill", async ({ seeds }) => {
    const bench = new DryBench();
    await bench.clock.run(
      (async () => {
        await bench.start();
        await bench.inject(seeds, { delayMs: 1_000 });
        while (bench.deleting("queue").length === 0) await bench.clock.sleep(1);
        expect(bench.waiting).toBe(1);
        bench.kill();
        const peer = await bench.start();
        await peer.jobFinished(testJob, forever);
      })(),
    );
    expect(bench.peer.job(testJob).counts).toMatchObject({ pages: 4, queued: 0 });
  });

  it("is the last one to end of several that are asked for at a time", async () => {
    const bench = new DryBench();
    const seeds = [`${host}/4`, `${host}/5`, `${host}/6`];
    await bench.crawl(seeds, { delayMs: 5, connectionsPerHost: 3 });
    const [, first, second] = bench.web.hits;
    expect(second?.startedAtMs).toBeLessThan(first?.finishedAtMs ?? 0);
    const [last] = bench.deleting("waiting");
    expect(bench.deleting("waiting")).toHaveLength(1);
    expect(bench.batches.indexOf(last ?? [])).toBeGreaterThanOrEqual(
      bench.batches.indexOf(bench.deleting("queue").at(-1) ?? []),
    );
  });
});
