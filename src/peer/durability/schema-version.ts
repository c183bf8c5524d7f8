import { CrawlError } from "../../core/errors.ts";
import { namedKey } from "../../core/record/named-keys.ts";
import { tagRange } from "../../core/record/key-ranges.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import { upgradeLogRow } from "../admission/sieve-log.ts";

/** Layout of the database: raised when an older program could not read, or would harm, what a newer one writes. */
const schemaVersion = "4";

/** What has to be written anew of what an older program wrote in these layouts; the rest is read as it is. */
const upgrades: ReadonlyMap<string, (store: Store) => Promise<StoreOp[]>> = new Map([
  ["2", upgradeSieveLog],
  ["3", upgradeSieveLog],
]);

const key = namedKey("meta", "schema-version");

/**
 * Marks a new database with the layout in which it is written from now on, brings one of an older layout to it, in one
 * atomic batch, and refuses one of another layout. Errors: `STORE_VERSION`.
 */
export async function checkSchemaVersion(store: Store): Promise<void> {
  const value = await store.get(key);
  const found = value && new TextDecoder().decode(value);
  if (found === schemaVersion) return;
  const upgraded = found === undefined ? [] : await upgrade(found, store);
  const marked = new TextEncoder().encode(schemaVersion);
  await store.write([...upgraded, { type: "put", key, value: marked }], { sync: true });
}

function upgrade(found: string, store: Store): Promise<StoreOp[]> {
  const known = upgrades.get(found);
  if (known) return known(store);
  const [oldest] = upgrades.keys();
  throw new CrawlError(
    "STORE_VERSION",
    `the database has layout ${found}, and this version reads layouts ${oldest} to ${schemaVersion}`,
    { found, expected: schemaVersion },
  );
}

/** The log is of a million keys at most, which is 20 MB. */
async function upgradeSieveLog(store: Store): Promise<StoreOp[]> {
  const ops: StoreOp[] = [];
  for await (const row of store.scan(tagRange("sieveLog"))) {
    ops.push({ type: "put", key: row.key, value: upgradeLogRow(row.value) });
  }
  return ops;
}
