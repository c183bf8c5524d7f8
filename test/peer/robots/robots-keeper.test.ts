import { describe, expect, it } from "vitest";
import { RobotsRecord } from "../../../src/core/record/record.pb.ts";
import type { CanonicalUrl, OriginName, SiteName } from "../../../src/core/units.ts";
import { originOf } from "../../../src/core/url/site-of.ts";
import { RobotsKeeper, robotsAllow } from "../../../src/peer/robots/robots-keeper.ts";
import type { Bytes } from "../../../src/ports/store.ts";
import { heapBytes } from "../../support/heap-bytes.ts";

const site = "a.example" as SiteName;
const url = "http://a.example/x" as CanonicalUrl;
const minuteMs = 60_000;

/** What a store answers, as soon as it is let. */
class HeldStore {
  value: Bytes | undefined;
  reads = 0;
  let: Promise<unknown> = Promise.resolve();

  async get(): Promise<Bytes | undefined> {
    this.reads += 1;
    const { value } = this;
    await this.let;
    return value;
  }
}

function origin(name: string): OriginName {
  return `http://${name}.example` as OriginName;
}

function record(body: string): RobotsRecord {
  const times = { fetchedAtMs: 0, expiresAtMs: 1_000 };
  return {
    origin: origin("a"),
    verdict: "rules",
    body,
    ...times,
    httpStatus: 200,
    failuresInRow: 0,
  };
}

describe("RobotsKeeper", () => {
  function begun(missedMs = 0): {
    clock: { ms: number; nowMs: () => number };
    store: HeldStore;
    keeper: RobotsKeeper;
  } {
    const clock = { ms: 0, nowMs: (): number => clock.ms };
    const store = new HeldStore();
    return {
      clock,
      store,
      keeper: new RobotsKeeper({ clock, store }, { look: () => undefined, since: () => missedMs }),
    };
  }

  it("keeps no more of a URL than its origin", async () => {
    const { keeper } = begun();
    const [urlsCount, urlBytes] = [2_000, 16_384];
    const before = heapBytes();
    for (let number = 0; number < urlsCount; number += 1) {
      const bytes = Buffer.from(`http://host-${number}.example/`.padEnd(urlBytes, "x"), "latin1");
      const of = originOf(bytes.toString("latin1") as CanonicalUrl);
      keeper.keep(of, site, { ...record(""), origin: of });
    }
    expect(heapBytes() - before).toBeLessThan((urlsCount * urlBytes) / 2);
    expect(await keeper.lookup("http://host-0.example" as OriginName, site)).toBeDefined();
  });

  it("reads again what nobody has asked for in ten minutes", async () => {
    const { clock, store, keeper } = begun();
    const rules = record("user-agent: *\ndisallow: /private/");
    store.value = RobotsRecord.encode(rules);
    keeper.keep(origin("a"), site, rules);
    clock.ms = 9 * minuteMs;
    await keeper.lookup(origin("a"), site);
    clock.ms = 18 * minuteMs;
    keeper.keep(origin("b"), site, rules);
    await keeper.lookup(origin("a"), site);
    expect(store.reads).toBe(0);
    clock.ms = 29 * minuteMs;
    keeper.keep(origin("c"), site, rules);
    const entry = await keeper.lookup(origin("a"), site);
    expect(entry?.record).toEqual(rules);
    await keeper.lookup(origin("a"), site);
    expect(store.reads).toBe(1);
  });

  it("holds to what was fetched while the older file was being read", async () => {
    const { store, keeper } = begun();
    store.value = RobotsRecord.encode(record("user-agent: *\ndisallow:"));
    const { promise, resolve } = Promise.withResolvers<undefined>();
    store.let = promise;
    const reading = keeper.lookup(origin("a"), site);
    keeper.keep(origin("a"), site, record("user-agent: *\ndisallow: /"));
    resolve(undefined);
    for (const entry of [await reading, await keeper.lookup(origin("a"), site)]) {
      expect(entry && robotsAllow(entry, url, "orbweaver")).toBe(false);
    }
  });

  const dayMs = 24 * 60 * minuteMs;

  it.each([
    ["for a day after it was fetched", { expiresAtMs: dayMs }, true],
    ["not for longer, as a clock that was ahead has it", { expiresAtMs: dayMs + 1 }, false],
    ["not when its time is over", { expiresAtMs: 0 }, false],
    ["nor when it is over after time that was missed", { expiresAtMs: 5, missedMs: 5 }, false],
    ["until then", { expiresAtMs: 6, missedMs: 5 }, true],
    ["of a member whose clock is a little ahead", { fetchedAtMs: minuteMs }, true],
    ["not of a time to come", { fetchedAtMs: minuteMs + 1 }, false],
  ])("holds a file fresh %s", (_, more: Partial<RobotsRecord> & { missedMs?: number }, isFresh) => {
    const { missedMs = 0, ...times } = more;
    const { keeper } = begun(missedMs);
    const entry = { record: { ...record(""), ...times }, rules: undefined };
    expect(keeper.isFresh(entry)).toBe(isFresh);
  });
});
