import { CrawlError } from "../../core/errors.ts";
import type { JobDefinition } from "../../core/jobs/job-definition.ts";
import { jobIdOf, validateJobOptions } from "../../core/jobs/validate-job-options.ts";
import { namedKey } from "../../core/record/keys.ts";
import type { StoreOp } from "../../ports/store.ts";

/** Earlier versions counted all changes together. */
type StoredDefinition = Omit<JobDefinition, "stateRevision"> & Partial<JobDefinition>;

/** Row by which a job is known in the next run. */
export function storedDefinitionOp(definition: JobDefinition): StoreOp {
  const value = new TextEncoder().encode(JSON.stringify(definition));
  return { type: "put", key: namedKey("job", definition.id), value };
}

/** The definition in such a row, also of an earlier version. Errors: `STORE_CORRUPT`. */
export function readStoredDefinition(value: Uint8Array): JobDefinition {
  try {
    const stored = JSON.parse(new TextDecoder().decode(value)) as StoredDefinition;
    const { stateRevision = stored.revision } = stored;
    const options = validateJobOptions(stored.options);
    return { ...stored, id: jobIdOf(stored.id), stateRevision, options };
  } catch (cause) {
    throw new CrawlError("STORE_CORRUPT", "a job's definition cannot be read", {}, { cause });
  }
}
