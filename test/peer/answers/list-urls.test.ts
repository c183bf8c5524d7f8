import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { listedTagOf, type ListedTag } from "../../../src/core/answers/list-key.ts";
import type { UrlFilter } from "../../../src/core/answers/url-list.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { listUrls } from "../../../src/peer/answers/list-urls.ts";
import type { UrlStatus } from "../../../src/ports/peer-control.ts";

const url = "http://a.example/";

/** What is listed of one URL that has rows of these kinds, whatever is known of it by now. */
async function listed(
  tags: readonly ListedTag[],
  status: Pick<UrlStatus, "state" | "reason">,
  filter: UrlFilter = {},
): Promise<number> {
  const scan = (from: Uint8Array) => {
    const tag = listedTagOf(from);
    const has = tag !== undefined && tags.includes(tag);
    return Promise.resolve({ urls: has ? [{ url, key: tagRange(tag).gte }] : [] });
  };
  const known = { url, attempts: 0, owner: "peer-0", ...status };
  const ask = { scan, status: (urls: readonly string[]) => Promise.resolve(urls.map(() => known)) };
  const { urls, next } = await listUrls(new VirtualClock(), ask, filter, undefined);
  expect(next).toBeUndefined();
  return urls.length;
}

describe("a list of URLs", () => {
  it("names one that has moved on among those that it has moved to, and nowhere else", async () => {
    expect(await listed(["exclusion", "url"], { state: "done" })).toBe(1);
    expect(await listed(["exclusion", "queue"], { state: "queued" })).toBe(1);
    expect(await listed(["queue", "url"], { state: "done" })).toBe(1);
    expect(await listed(["queue"], { state: "done" })).toBe(0);
    expect(await listed(["url"], { state: "queued" })).toBe(0);
    expect(await listed(["url"], { state: "unknown" })).toBe(0);
    expect(await listed(["exclusion"], { state: "excluded", reason: "scope" })).toBe(1);
    expect(await listed(["url"], { state: "excluded", reason: "robots" })).toBe(1);
  });

  it("names what a cancelled job has queued once, though it was kept out before", async () => {
    const cancelled = { state: "excluded", reason: "cancelled" } as const;
    expect(await listed(["exclusion", "queue"], cancelled)).toBe(1);
    expect(await listed(["queue"], cancelled)).toBe(1);
  });

  it.each([
    ["has enough URLs", 0, 500],
    ["has taken a second", 400, 3],
  ])("is handed over in parts: one that %s is one", async (_, stretchMs, stretches) => {
    const clock = new VirtualClock();
    let scans = 0;
    const ask = {
      scan: async (from: Uint8Array) => {
        scans += 1;
        await clock.sleep(stretchMs);
        return { urls: [{ url, key: tagRange("url").gte }], reached: from };
      },
      status: (urls: readonly string[]) =>
        Promise.resolve(
          urls.map(() => ({ url, attempts: 1, owner: "peer-0", state: "done" as const })),
        ),
    };
    const { urls, next } = await clock.run(listUrls(clock, ask, {}, undefined));
    expect([urls.length, scans]).toEqual([stretches, stretches]);
    expect(next).toBeDefined();
  });

  it("names none that is not of what is asked for by now", async () => {
    expect(await listed(["url"], { state: "done" }, { state: "failed" })).toBe(1);
    expect(await listed(["url"], { state: "done" }, { state: "fetched" })).toBe(0);
  });

  it("does not leave out without a word what nobody can tell of", async () => {
    const untold = listed(["url"], { state: "unknown", reason: "owner-unreachable" });
    await expect(untold).rejects.toMatchObject({ code: "MEMBER_UNREACHABLE" });
  });
});
