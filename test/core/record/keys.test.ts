import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { after, rangeOfArc, successor, tagRange } from "../../../src/core/record/key-ranges.ts";
import {
  hostAddress,
  hostKey,
  ringPosition,
  robotsKey,
} from "../../../src/core/record/host-keys.ts";
import {
  isTerritorial,
  tagOf,
  territorialTagOf,
  territorialTags,
} from "../../../src/core/record/key-tags.ts";
import {
  jobSpace,
  jobSpaceOfUrlKey,
  readUrlKey,
  retag,
  urlKey,
} from "../../../src/core/record/url-keys.ts";
import { jobSpaceOfQueueKey, queueKey, queueRange } from "../../../src/core/record/queue-keys.ts";
import { leaseKey, readLeaseKey } from "../../../src/core/record/lease-key.ts";
import { namedKey, numberedKey, numberOfKey } from "../../../src/core/record/named-keys.ts";
import { outboxKey, readOutboxKey } from "../../../src/core/record/outbox-key.ts";
import { circle, positionOf } from "../../../src/core/ring/ring-position.ts";
import type { RingPosition } from "../../../src/core/ring/ring-position.ts";
import type { HostName, JobId, OriginName, SiteName } from "../../../src/core/units.ts";

const site = "example.com" as SiteName;
const host = hostAddress(site, "www.example.com" as HostName);
const row = urlKey("url", ringPosition(site), Uint32Array.of(1, 2, 3, 4), 0, 5);
const words = fc.uint32Array({ minLength: 4, maxLength: 4 });
const space = fc.integer({ min: 0, max: 2 ** 30 - 1 });

function isWithin(key: Uint8Array, range: { gte: Uint8Array; lt: Uint8Array }): boolean {
  return compareKeys(key, range.gte) >= 0 && compareKeys(key, range.lt) < 0;
}

describe("a URL's key", () => {
  it("holds fingerprint and job, and gives them back", () => {
    fc.assert(
      fc.property(words, space, (fingerprint, job) => {
        const key = urlKey("url", ringPosition(site), fingerprint, 0, job);
        expect(key).toHaveLength(29);
        expect(readUrlKey(key)).toEqual({ words: fingerprint, space: job });
        expect(jobSpaceOfUrlKey(key)).toBe(job);
      }),
    );
  });

  it("is the same under another tag, but for the tag", () => {
    const key = urlKey("url", ringPosition(site), Uint32Array.of(1, 2, 3, 4), 0, 5);
    const exclusion = retag(key, "exclusion");
    expect(exclusion.slice(1)).toEqual(key.slice(1));
    expect(isWithin(exclusion, tagRange("exclusion"))).toBe(true);
    expect(isWithin(key, tagRange("exclusion"))).toBe(false);
  });

  it("is in an outbox what it was, apart from the exclusion of the same URL", () => {
    const words = Uint32Array.of(1, 2, 3, 4);
    const space = jobSpace("a" as JobId);
    const keys = (["url", "exclusion"] as const).map((tag) => {
      const key = outboxKey(7n, urlKey(tag, ringPosition(site), words, 0, space));
      expect(readOutboxKey(key)).toEqual({ tag, words, space });
      return key.toString();
    });
    expect(new Set(keys).size).toBe(2);
  });

  it("is what a lease is on, by run and attempt", () => {
    const key = urlKey("url", ringPosition(site), Uint32Array.of(1, 2, 3, 4), 0, 5);
    const lease = leaseKey(7, key, 2);
    expect(readLeaseKey(lease)).toEqual({ run: 7, urlRowKey: key, attempt: 2 });
    expect(readLeaseKey(lease.slice(1))).toBeUndefined();
    expect(readLeaseKey(key)).toBeUndefined();
  });

  it("reads the fingerprint at the given place of many", () => {
    const many = Uint32Array.of(9, 9, 9, 9, 1, 2, 3, 4);
    const key = urlKey("url", 0n, many, 4, 0);
    expect(readUrlKey(key).words).toEqual(Uint32Array.of(1, 2, 3, 4));
  });
});

describe("keys of a site", () => {
  it("start with their tag and the site's position, big-endian", () => {
    const position = ringPosition(site).toString(16).padStart(16, "0");
    const keys = [
      urlKey("url", ringPosition(site), Uint32Array.of(1, 2, 3, 4), 0, 5),
      queueKey(host, 1, 2, 3, [row]),
      hostKey("host", host),
      robotsKey(site, "http://www.example.com" as OriginName),
      outboxKey(ringPosition(site), row),
    ];
    for (const key of keys) expect(Buffer.from(key.subarray(1, 9)).toString("hex")).toBe(position);
  });
});

describe("the keys of an arc", () => {
  const origin = "http://www.example.com" as OriginName;
  const keys = [
    row,
    retag(row, "exclusion"),
    queueKey(host, 1, 2, 3, [row]),
    hostKey("host", host),
    hostKey("waiting", host),
    robotsKey(site, origin),
    outboxKey(ringPosition(site), row),
  ];

  it("are those of seven tags, each of one length", () => {
    expect(keys.map(territorialTagOf).toSorted()).toEqual([...territorialTags].toSorted());
    for (const key of keys) {
      expect(isTerritorial(key)).toBe(true);
      expect(isTerritorial(key.slice(1))).toBe(false);
      expect(isTerritorial(after(key))).toBe(false);
    }
  });

  it("are no others", () => {
    const others = [
      namedKey("job", "a".repeat(28)),
      numberedKey("sieveLog", 7),
      leaseKey(7, row, 0),
    ];
    expect(others.map(tagOf)).toEqual(["job", "sieveLog", "lease"]);
    expect(others.map(isTerritorial)).toEqual([false, false, false]);
    expect(tagOf(new Uint8Array(0))).toBeUndefined();
  });

  it("are one range of each tag, from the arc's beginning to before its end", () => {
    const at = positionOf(site);
    const next = (at + 1) as RingPosition;
    for (const key of keys) {
      const tag = territorialTagOf(key) ?? "url";
      expect(isWithin(key, rangeOfArc(tag, { from: at, to: next }))).toBe(true);
      expect(isWithin(key, rangeOfArc(tag, { from: 0 as RingPosition, to: at }))).toBe(false);
      expect(isWithin(key, rangeOfArc(tag, { from: next, to: circle }))).toBe(false);
    }
  });

  it("reach the tag's end where the arc reaches the circle's", () => {
    const last = urlKey("url", 2n ** 64n - 1n, Uint32Array.of(1, 2, 3, 4), 0, 5);
    const from = (circle - 1) as RingPosition;
    expect(isWithin(last, rangeOfArc("url", { from, to: circle }))).toBe(true);
  });
});

describe("an outbox entry's key", () => {
  it("tells apart what one page's site found of two URLs or for two jobs", () => {
    const other = urlKey("url", ringPosition(site), Uint32Array.of(1, 2, 3, 5), 0, 5);
    const otherJob = urlKey("url", ringPosition(site), Uint32Array.of(1, 2, 3, 4), 0, 6);
    const keys = [row, other, otherJob].map((of) => outboxKey(7n, of).toString());
    expect(new Set(keys).size).toBe(3);
  });
});

describe("a queue's keys", () => {
  it("sort by rank, then by sequence, over the whole range of both", () => {
    const entry = fc.record({
      rank: fc.integer({ min: 0, max: 9 }),
      sequence: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    });
    fc.assert(
      fc.property(entry, entry, (a, b) => {
        const order = a.rank - b.rank || a.sequence - b.sequence;
        const keys = [a, b].map(({ rank, sequence }) => queueKey(host, 7, rank, sequence, [row]));
        const [first = new Uint8Array(0), second = new Uint8Array(0)] = keys;
        expect(Math.sign(compareKeys(first, second))).toBe(Math.sign(order));
      }),
    );
  });

  it("differ for two URLs that two peers put at one place of a queue", () => {
    const other = urlKey("url", ringPosition(site), Uint32Array.of(1, 3, 3, 4), 0, 5);
    expect(queueKey(host, 7, 0, 42, [row])).not.toEqual(queueKey(host, 7, 0, 42, [other]));
    expect(queueKey(host, 7, 0, 42, [row])).toHaveLength(38);
    expect(jobSpaceOfQueueKey(queueKey(host, 7, 0, 42, [row]))).toBe(7);
  });

  it("differ where two peers put the same URL there together with others", () => {
    const [second, third] = [5, 6].map((word) =>
      urlKey("url", ringPosition(site), Uint32Array.of(9, word, 3, 4), 0, 5),
    );
    if (!second || !third) throw new Error("two keys");
    const keys = [[row], [row, second], [row, third], [row, second, third]].map((rows) =>
      Buffer.from(queueKey(host, 7, 0, 42, rows)).toString("hex"),
    );
    expect(new Set(keys).size).toBe(4);
  });

  it("differ where one peer has tried a URL that another one puts there anew", () => {
    const keys = [0, 1, 2].map((attempts) =>
      Buffer.from(queueKey(host, 7, 0, 42, [row], attempts)).toString("hex"),
    );
    expect(new Set(keys).size).toBe(3);
  });

  it("are within their host's and their job's range, and within no other", () => {
    const other = hostAddress(site, "docs.example.com" as HostName);
    const key = queueKey(host, 7, 0, 42, [row]);
    expect(isWithin(key, queueRange(host))).toBe(true);
    expect(isWithin(key, queueRange(host, 7))).toBe(true);
    expect(isWithin(key, queueRange(host, 8))).toBe(false);
    expect(isWithin(key, queueRange(other))).toBe(false);
  });
});

describe("the order of keys", () => {
  it("knows the first key behind all with a prefix, and the first behind one", () => {
    expect(successor(Uint8Array.of(1, 2))).toEqual(Uint8Array.of(1, 3));
    expect(successor(Uint8Array.of(1, 0xff))).toEqual(Uint8Array.of(2));
    expect(after(Uint8Array.of(1, 2))).toEqual(Uint8Array.of(1, 2, 0));
  });

  it("keeps numbered rows in the order of their numbers", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (number) => {
        expect(numberOfKey(numberedKey("sieveLog", number))).toBe(number);
      }),
    );
  });

  it("tells names apart, and keeps a job's number within 30 bits", () => {
    expect(namedKey("job", "a")).not.toEqual(namedKey("job", "b"));
    fc.assert(
      fc.property(fc.string(), (id) => {
        const number = jobSpace(id as JobId);
        expect(Number.isInteger(number) && number >= 0 && number < 2 ** 30).toBe(true);
      }),
    );
  });
});
