import type { Logger } from "../../ports/logger.ts";
import type { Store } from "../../ports/store.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "./journal.ts";
import type { LeaseLog } from "./lease-log.ts";

/**
 * Requests that were in flight when the process died will be made again: they are counted, once, and so is that they are
 * requests. All others were counted with the batch that settled them.
 */
export async function countInterrupted(
  ports: { readonly logger: Logger; readonly store: Store },
  parts: { readonly jobs: JobRegistry; readonly journal: Journal; readonly leases: LeaseLog },
): Promise<void> {
  const { spaces, op } = await parts.leases.start(ports.store);
  for (const space of spaces) {
    const counter = parts.jobs.bySpace(space)?.counter;
    counter?.add("requests");
    counter?.add("duplicateFetches");
  }
  if (spaces.length > 0) ports.logger.info("requests-interrupted", { count: spaces.length });
  await parts.journal.append([op]);
  parts.leases.forgetFound();
}
