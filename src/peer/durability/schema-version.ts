import { CrawlError } from "../../core/errors.ts";
import { namedKey } from "../../core/record/keys.ts";
import type { Store } from "../../ports/store.ts";

/** Layout of the database: raised when an older program could not read, or would harm, what a newer one writes. */
const schemaVersion = "3";

/** Of what an older program wrote in these layouts, everything is read as it is. */
const readable: ReadonlySet<string> = new Set(["2"]);

const key = namedKey("meta", "schema-version");

/**
 * Marks a new database, or one that can be read, with the layout in which it is written from now on, and refuses one of
 * another layout. Errors: `STORE_VERSION`.
 */
export async function checkSchemaVersion(store: Store): Promise<void> {
  const value = await store.get(key);
  const found = value && new TextDecoder().decode(value);
  if (found === schemaVersion) return;
  if (found === undefined || readable.has(found)) {
    const marked = new TextEncoder().encode(schemaVersion);
    await store.write([{ type: "put", key, value: marked }], { sync: true });
    return;
  }
  throw new CrawlError(
    "STORE_VERSION",
    `the database has layout ${found}, and this version reads layout ${schemaVersion}`,
    { found, expected: schemaVersion },
  );
}
