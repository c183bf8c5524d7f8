import { expect, it } from "vitest";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { namedKey, numberedKey } from "../../../src/core/record/named-keys.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import { checkSchemaVersion } from "../../../src/peer/durability/schema-version.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { timelessStore } from "../../support/still-process.ts";

const sieveOptions = { capacity: 1_000, cacheCapacity: 2 ** 10, unsettledOffersMax: 2 ** 10 };

/** A row of the sieve's log in layout 3: of each key its space and the four words of its fingerprint, 20 bytes. */
function oldLogRow(space: number, urls: readonly string[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(urls.length * 20));
  for (const [index, url] of urls.entries()) {
    view.setUint32(index * 20, space);
    for (const [word, value] of fingerprintOf(url).entries()) {
      view.setUint32(index * 20 + 4 + word * 4, value);
    }
  }
  return new Uint8Array(view.buffer);
}

it("brings the sieve's log of layout 3 to the present one, once", async () => {
  const disk = new VirtualDisk();
  const urls = ["http://a.example/", "http://b.example/"];
  disk.apply([
    { type: "put", key: namedKey("meta", "schema-version"), value: Uint8Array.of(0x33) },
    { type: "put", key: numberedKey("sieveLog", 5), value: oldLogRow(7, urls) },
  ]);
  const store = timelessStore(disk);
  await store.start();
  await checkSchemaVersion(store);
  await checkSchemaVersion(store);
  const keeper = new SieveKeeper(sieveOptions, silentLogger);
  await keeper.load(store);
  await store.stop();
  const isKnown = (space: number, url: string): boolean =>
    keeper.sieve.mayHave(space, fingerprintOf(url), 0);
  expect(keeper.sieve.size).toBe(2);
  expect(urls.map((url) => isKnown(7, url))).toEqual([true, true]);
  expect(isKnown(8, "http://a.example/")).toBe(false);
});
