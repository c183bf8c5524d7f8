import { describe, expect, it } from "vitest";
import type { Row } from "../../../src/core/messages/rows.ts";
import { hostAddress, ringPosition } from "../../../src/core/record/host-keys.ts";
import { jobSpace, urlKey } from "../../../src/core/record/url-keys.ts";
import { queueKey } from "../../../src/core/record/queue-keys.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const strange = "http://strange.example/" as CanonicalUrl;

/** A queued URL with this number, and so many attempts that no server saw. */
function rowOf(url: CanonicalUrl, sequence: number, attempts = 0): Row {
  const site = siteOfHost(hostOf(url));
  const words = fingerprintOf(dedupeKey(url));
  const record = urlKey("url", ringPosition(site), words, 0, jobSpace(job));
  const discovery = { depth: 0, attempts, unseen: attempts, redirectChain: [], discoveredAtMs: 1 };
  return {
    key: queueKey(hostAddress(site, hostOf(url)), jobSpace(job), 5, sequence, [record]),
    value: QueueBundle.encode({ ...discovery, urls: [url], taken: 0 }),
  };
}

describe("a row of a queue with a number that nobody can have counted to", () => {
  it.each([2 ** 50, 2 ** 51])("costs no other URL when a member is lost: %d", async (sequence) => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      const holder = bench.holderOf(strange);
      const other = (holder + 1) % 3;
      const { swarm } = bench.peer(other);
      await swarm?.calls.rows(bench.machine(holder).id, [rowOf(strange, sequence)]);
      await bench.inject(other);
      await bench.pass(2_000);
      bench.machine(holder).powerFailure();
      await bench.finished(other);
      expect(bench.urls).toHaveLength(240);
    });
  });
});

describe("a row of a queue with more attempts than can have been", () => {
  it("costs no other URL when its server asks for one more", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const page = bench.world.sampleWeb.rootUrls()[0] as CanonicalUrl;
      bench.world.web.addRule(({ url }) =>
        url === page ? { kind: "status", status: 500 } : undefined,
      );
      const holder = bench.holderOf(page);
      const { swarm } = bench.peer(1 - holder);
      await bench.inject(1 - holder);
      const row = rowOf(page, 2 ** 40, 2 ** 32 - 1);
      await swarm?.calls.rows(bench.machine(holder).id, [row]);
      await bench.finished(1 - holder);
      expect(bench.urls.length).toBeGreaterThan(200);
      expect(bench.peers).toHaveLength(2);
    });
  });
});
