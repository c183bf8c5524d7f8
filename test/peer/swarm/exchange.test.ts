import { describe, expect, it } from "vitest";
import { jobSpace, ringPosition, urlKey } from "../../../src/core/record/keys.ts";
import type { OutboxEntry } from "../../../src/core/record/record.pb.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import { newParcel } from "../../../src/peer/swarm/parcel.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Two members, the first of which sends to the second. */
class ForwardBench extends SwarmBench {
  readonly acknowledged: string[] = [];
  #sites = 0;

  constructor() {
    super(2);
  }

  /** A URL of a site that the second member holds. */
  foreignUrl(path: string): string {
    for (;;) {
      this.#sites += 1;
      const url = `http://forwarded-${this.#sites}.example/${path}`;
      if (this.holderOf(url) === 1) return url;
    }
  }

  send(part: Pick<OutboxEntry, "url"> & Partial<OutboxEntry>): void {
    const { url } = part;
    const position = ringPosition(siteOfHost(hostOf(url as CanonicalUrl)));
    const words = Uint32Array.of(this.#sites, 0, 0, 0);
    this.peer(0).swarm?.exchange.send(
      newParcel({
        rowKey: urlKey("url", position, words, 0, jobSpace(job)),
        entry: { job, depth: 0, redirectChain: [], ...part },
        sinceMs: this.world.clock.nowMs(),
        acknowledged: () => this.acknowledged.push(url),
      }),
    );
  }
}

describe("the exchange", () => {
  it("drops a URL that no member takes, and delivers those that wait with it", async () => {
    const bench = new ForwardBench();
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      const urls = ["a", "a".repeat(20_000), "b"].map((path) => bench.foreignUrl(path));
      for (const url of urls) bench.send({ url });
      await bench.pass(5_000);
      expect(bench.acknowledged.toSorted()).toEqual(urls.toSorted());
      // The crawl has URLs on their way, too, as long as it goes on.
      await bench.finished(0);
      expect(bench.peer(0).swarm?.exchange.pending).toBe(0);
    });
  });
});
