import { expect, it } from "vitest";
import { UrlRecord } from "../../../../src/core/record/record.pb.ts";
import { bundleUrlsMax } from "../../../../src/core/record/queue-bundle.ts";
import { queuedRecord, urlState } from "../../../../src/core/record/url-state.ts";
import { isOutdated, withoutOutdated } from "../../../../src/peer/swarm/replication/outdated.ts";

const first = "http://site.example/page?utm_source=x";
const between = "http://site.example/track";

function keptOut(excluded: string): Uint8Array {
  return UrlRecord.encode({ ...urlState.fresh, state: urlState.done, url: first, excluded });
}

function done(url: string, redirect?: string): Uint8Array {
  const record = { ...urlState.fresh, state: urlState.done, attempts: 1, httpStatus: 200, url };
  return UrlRecord.encode(redirect === undefined ? record : { ...record, redirect });
}

it.each([
  ["nothing", undefined, [], false],
  ["as many requests", queuedRecord(1), [], false],
  ["more requests", queuedRecord(2), [], true],
  ["an answer", done(first), [], true],
  ["a redirect that has not led to it", done(first, between), [], true],
  ["the redirect that led back to it", done(first, between), [first, between], false],
  ["an answer of what redirected to it", done(first), [first, between], true],
  ["a robots.txt that keeps it out", keptOut("robots"), [], true],
  ["a guard that counts and kept it out", keptOut("host-limit"), [], false],
] as const)("an entry whose record tells of %s", (_, value, redirectChain, outdated) => {
  expect(isOutdated({ attempts: 1, redirectChain: [...redirectChain] }, value)).toBe(outdated);
});

it("leaves what is behind its record out of a bundle, up to the last URL that has room", () => {
  const urls = Array.from({ length: bundleUrlsMax }, (_, n) => `${first}${n}`);
  const discovery = { depth: 0, attempts: 1, unseen: 0, redirectChain: [], discoveredAtMs: 1 };
  const bundle = { ...discovery, urls, taken: 0b10 };
  const records = urls.map((url, place) => (place % 31 === 0 ? done(url) : queuedRecord(1)));
  expect(withoutOutdated(bundle, records)).toEqual({ ...bundle, taken: 2 ** 31 + 0b11 });
});
