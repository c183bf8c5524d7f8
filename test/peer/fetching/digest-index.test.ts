import { expect, it } from "vitest";
import { nameOfKey } from "../../../src/core/record/named-keys.ts";
import { tagOf } from "../../../src/core/record/key-tags.ts";
import { DigestIndex, payloadName } from "../../../src/peer/fetching/digest-index.ts";
import { SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import { silentLogger } from "../../support/silent-logger.ts";

const capture = { file: "a.warc.gz", offset: 0, length: 1 };
/** More than are remembered. */
const count = 5_000;

it("remembers the latest digests, and asks the database for the others", async () => {
  const sieve = { capacity: 20_000, cacheCapacity: 16_384, unsettledOffersMax: 16_384 };
  const asked: string[] = [];
  const rows = new Map<string, Uint8Array>();
  const get = (key: Uint8Array): Promise<Uint8Array | undefined> => {
    asked.push(nameOfKey(key));
    return Promise.resolve(rows.get(nameOfKey(key)));
  };
  const index = new DigestIndex({ has: () => true }, { get }, new SieveKeeper(sieve, silentLogger));
  const digests = Array.from({ length: count }, (_, n) => `sha1:${n}`);
  for (const digest of digests) {
    expect(await index.find(payloadName(digest, []))).toBe("new");
    const ops = index.add(payloadName(digest, []), {
      url: `http://a.example/${digest}`,
      fetchedAtMs: 1,
      capture,
    });
    for (const op of ops) if (op.type === "put") rows.set(nameOfKey(op.key), op.value);
  }
  for (const digest of digests) {
    expect(await index.find(payloadName(digest, []))).toMatchObject({
      url: `http://a.example/${digest}`,
    });
  }
  expect(asked.map((name) => name.replace(/ .*/, ""))).toEqual(digests.slice(0, count - 4_096));
});

it("takes content for new that is in the archive no more, and is sure of none on its way", async () => {
  const rows = new Map<string, Uint8Array>();
  const get = (key: Uint8Array) => Promise.resolve(rows.get(nameOfKey(key)));
  let isThere = true;
  const archive = { has: () => isThere };
  const keeper = new SieveKeeper({}, silentLogger);
  const index = new DigestIndex(archive, { get }, keeper);
  const name = payloadName("sha1:1", []);
  const record = { url: "http://a.example/", fetchedAtMs: 1, capture };
  expect(await index.find(name)).toBe("new");
  expect(await index.find(name)).toBe("unsure");
  const ops = index.add(name, record);
  // By the log the sieve knows it after a restart, too.
  expect(ops.map(({ key }) => tagOf(key))).toEqual(["digest", "sieveLog"]);
  for (const op of ops) {
    if (op.type === "put") rows.set(nameOfKey(op.key), op.value);
  }
  for (const each of [index, new DigestIndex(archive, { get }, keeper)]) {
    isThere = true;
    expect(await each.find(name)).toMatchObject(record);
    isThere = false;
    expect(await each.find(name)).toBe("new");
  }
});

it("asks the database whether content is known of which the sieve is not sure", async () => {
  const erring = { capacity: 1, falsePositiveRate: 0.9, cacheCapacity: 32, unsettledOffersMax: 32 };
  const keeper = new SieveKeeper(erring, silentLogger);
  let asked = 0;
  const get = () => Promise.resolve(void (asked += 1));
  const index = new DigestIndex({ has: () => true }, { get }, keeper);
  for (let n = 0; n < 20; n += 1) expect(await index.find(payloadName(`${n}`, []))).toBe("new");
  expect(asked).toBeGreaterThan(0);
  expect(keeper.sieve.unsettled).toBe(0);
});

it("takes content for known where all that a head tells of it is the same", async () => {
  const get = () => Promise.resolve(undefined);
  const index = new DigestIndex({ has: () => true }, { get }, new SieveKeeper({}, silentLogger));
  const html = ["Content-Type", "text/html"];
  const record = { url: "http://a.example/", fetchedAtMs: 1, capture };
  expect(await index.find(payloadName("sha1:1", html))).toBe("new");
  index.add(payloadName("sha1:1", html), record);
  expect(
    await index.find(payloadName("sha1:1", ["date", "now", "content-type", "text/html"])),
  ).toBe(record);
  for (const other of [
    [],
    ["content-type", "text/plain"],
    [...html, "content-encoding", "gzip"],
    [...html, "x-robots-tag", "nofollow"],
    [...html, "refresh", "0; url=/b"],
  ]) {
    expect(await index.find(payloadName("sha1:1", other))).toBe("new");
  }
});
