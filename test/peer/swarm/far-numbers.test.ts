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

/** A queued URL with this number. */
function strangeRow(sequence: number): Row {
  const site = siteOfHost(hostOf(strange));
  const words = fingerprintOf(dedupeKey(strange));
  const record = urlKey("url", ringPosition(site), words, 0, jobSpace(job));
  const discovery = { depth: 0, attempts: 0, unseen: 0, redirectChain: [], discoveredAtMs: 1 };
  return {
    key: queueKey(hostAddress(site, hostOf(strange)), jobSpace(job), 5, sequence, [record]),
    value: QueueBundle.encode({ ...discovery, urls: [strange], taken: 0 }),
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
      await swarm?.calls.rows(bench.machine(holder).id, [strangeRow(sequence)]);
      await bench.inject(other);
      await bench.pass(2_000);
      bench.machine(holder).powerFailure();
      await bench.finished(other);
      expect(bench.urls).toHaveLength(240);
    });
  });
});
