import { expect, it } from "vitest";
import { robotsKey } from "../../../src/core/record/host-keys.ts";
import { RobotsRecord } from "../../../src/core/record/record.pb.ts";
import type { OriginName } from "../../../src/core/units.ts";
import { siteOf } from "../../../src/core/url/site-of.ts";
import { originsThatAnswered } from "../../../src/peer/robots/origins-that-answered.ts";
import type { StoreEntry } from "../../../src/ports/store.ts";

function rowOf(origin: string, failuresInRow = 0, key = keyOf(origin)): StoreEntry {
  const record = { origin, verdict: "rules", fetchedAtMs: 1, expiresAtMs: 2, failuresInRow };
  return { key, value: RobotsRecord.encode(record) };
}

function keyOf(origin: string): Uint8Array {
  return robotsKey(siteOf(origin), origin as OriginName);
}

it("knows one origin of each site that the store has a robots.txt of, but for those out of reach", async () => {
  const rows = [
    rowOf("http://a.example"),
    rowOf("no origin", 0, keyOf("http://a.example")),
    rowOf("ftp://a.example", 0, keyOf("http://a.example")),
    rowOf("https://b.example:8443", 1),
    rowOf("https://c.example:8443"),
    rowOf("http://x.d.example"),
    rowOf("http://y.d.example"),
    rowOf("http://[2001:db8::1]"),
  ];
  const known = await originsThatAnswered({ range: () => Promise.resolve(rows) });
  expect(known).toEqual([
    "http://a.example",
    "https://c.example:8443",
    "http://y.d.example",
    "http://[2001:db8::1]",
  ]);
});
