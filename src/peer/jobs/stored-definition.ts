import { CrawlError } from "../../core/errors.ts";
import type { JobDefinition } from "../../core/jobs/job-definition.ts";
import { readJobDefinition, writeJobDefinition } from "../../core/jobs/read-job-definition.ts";
import { namedKey } from "../../core/record/named-keys.ts";
import type { StoreOp } from "../../ports/store.ts";

/** Row by which a job is known in the next run. */
export function storedDefinitionOp(definition: JobDefinition): StoreOp {
  const value = new TextEncoder().encode(writeJobDefinition(definition));
  return { type: "put", key: namedKey("job", definition.id), value };
}

/** The definition in such a row, also of an earlier version. Errors: `STORE_CORRUPT`. */
export function readStoredDefinition(value: Uint8Array): JobDefinition {
  const definition = readJobDefinition(new TextDecoder().decode(value));
  if (definition) return definition;
  throw new CrawlError("STORE_CORRUPT", "a job's definition cannot be read");
}
