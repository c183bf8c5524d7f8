import { expect, it } from "vitest";
import { nameOfKey } from "../../../src/core/record/keys.ts";
import { DigestIndex } from "../../../src/peer/admission/digest-index.ts";
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
    expect(await index.find(digest)).toBe("new");
    const ops = index.add(digest, { url: `http://a.example/${digest}`, fetchedAtMs: 1, capture });
    for (const op of ops) if (op.type === "put") rows.set(nameOfKey(op.key), op.value);
  }
  for (const digest of digests) {
    expect(await index.find(digest)).toMatchObject({ url: `http://a.example/${digest}` });
  }
  expect(asked).toEqual(digests.slice(0, count - 4_096));
});
