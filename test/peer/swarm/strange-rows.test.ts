import { describe, expect, it } from "vitest";
import { jobSpace, retag, urlKey } from "../../../src/core/record/url-keys.ts";
import { ringPosition } from "../../../src/core/record/host-keys.ts";
import { ExclusionRecord, UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import { positionOfKey } from "../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const plain = "http://found.example/plain" as CanonicalUrl;
const strange = "http://found.example/strange" as CanonicalUrl;

function keyOf(url: CanonicalUrl): Uint8Array {
  const site = siteOfHost(hostOf(url));
  return urlKey("url", ringPosition(site), fingerprintOf(dedupeKey(url)), 0, jobSpace(job));
}

function doneOf(url: CanonicalUrl, more: Partial<UrlRecord>): Uint8Array {
  const done = { ...urlState.fresh, state: urlState.done, url, attempts: 1 };
  return UrlRecord.encode({ ...done, ...more });
}

describe("a row from another member that says what no peer of this version would", () => {
  it.each([
    [
      "an unknown reason for which a URL is kept out",
      "excluded",
      retag(keyOf(strange), "exclusion"),
      ExclusionRecord.encode({ url: strange, reason: "later-reason" }),
    ],
    ["an unknown failure", "done", keyOf(strange), doneOf(strange, { failure: "later-failure" })],
    [
      "a digest that is none",
      "done",
      keyOf(strange),
      doneOf(strange, { httpStatus: 200, payloadDigest: "x".repeat(129) }),
    ],
    [
      "a URL that is none",
      "done",
      keyOf(strange),
      doneOf("http://\n" as CanonicalUrl, { httpStatus: 404 }),
    ],
    [
      "a fetch at a time that no calendar has",
      "done",
      keyOf(strange),
      doneOf(strange, { httpStatus: 200, fetchedAtMs: 9e15 }),
    ],
  ] as const)("keeps nobody from what is known of others: %s", async (_, state, key, value) => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [], {});
      await bench.pass(1_000);
      const holder = bench.machine(bench.holderOf(plain));
      const near = holder.peer.swarm?.view.ring.preferenceOf(positionOfKey(key), 2) ?? [];
      const far = bench.world.machines.find(({ id }) => !near.includes(id))?.peer;
      if (!far) throw new Error("one that has no copy");
      const known = {
        key: keyOf(plain),
        value: doneOf(plain, { httpStatus: 404, fetchedAtMs: 5 }),
      };
      await far.swarm?.calls.rows(holder.id, [known, { key, value }]);
      for (const peer of [far, holder.peer]) {
        const [first, second] = await peer.status([plain, strange], job);
        expect(first).toMatchObject({ state: "done", httpStatus: 404 });
        expect(second).toMatchObject({ state });
        expect(second).not.toHaveProperty("reason");
        const { urls } = await peer.urls(job, { broken: true });
        expect(urls).toContainEqual(first);
      }
    });
  });

  it.each([
    ["of a state that comes later", doneOf(strange, { state: 9 })],
    ["that are no record", Uint8Array.of(0xff)],
  ])("keeps no URL from being found: bytes %s", async (_, value) => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [], {});
      await bench.pass(1_000);
      const holder = bench.machine(bench.holderOf(strange));
      const other = bench.world.machines.find(({ id }) => id !== holder.id)?.peer;
      await other?.swarm?.calls.rows(holder.id, [{ key: keyOf(strange), value }]);
      expect(await bench.peer(0).inject(job, [strange])).toMatchObject({ added: 1, known: 0 });
    });
  });
});
