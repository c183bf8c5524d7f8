import { expect, it } from "vitest";
import { robotsKey } from "../../../src/core/record/host-keys.ts";
import { RobotsRecord } from "../../../src/core/record/record.pb.ts";
import type { MemberId, OriginName } from "../../../src/core/units.ts";
import { siteOf } from "../../../src/core/url/site-of.ts";
import { originSources } from "../../../src/peer/fetching/new-outages.ts";

function rowOf(name: string) {
  const origin = `http://${name}.example` as OriginName;
  const record = { origin, verdict: "rules", fetchedAtMs: 1, expiresAtMs: 2 };
  return { key: robotsKey(siteOf(origin), origin), value: RobotsRecord.encode(record) };
}

const store = { range: () => Promise.resolve([rowOf("own")]) };
const reply = { behindMs: 0, more: false, found: new Uint8Array(), rows: [rowOf("theirs")] };
const swarm = {
  calls: { pull: () => Promise.resolve(reply) },
  view: { others: ["other" as MemberId] },
};

it("the disk is asked for origins that have answered, and in a swarm then others: they may be cut off", async () => {
  const known = (sources: ReturnType<typeof originSources>) =>
    Promise.all(sources.map((source) => source()));
  expect(await known(originSources(store, swarm))).toEqual([
    ["http://own.example"],
    ["http://theirs.example"],
  ]);
  expect(await known(originSources(store, undefined))).toEqual([["http://own.example"]]);
});
