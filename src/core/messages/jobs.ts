import { jobsMax } from "../jobs/job-definition.ts";
import type { JobDefinition } from "../jobs/job-definition.ts";
import { readJobDefinition, writeJobDefinition } from "../jobs/read-job-definition.ts";
import { pageCountLimits, readPageCounts, type PageCounts } from "./claim.ts";
import * as wire from "./messages.pb.ts";
import { decodePayload, readAll } from "./read-payload.ts";

/** What a member tells another one of jobs. */
export interface JobNews extends PageCounts {
  /** With a request, some or all that the sender knows; with the reply, what it does not, or seems not to. */
  readonly definitions: readonly JobDefinition[];
  /** Equal at two members that know the same definitions; earlier versions tell none. */
  readonly digest: bigint | undefined;
}

export function encodeJobs(news: JobNews): Uint8Array<ArrayBuffer> {
  return wire.Jobs.encode({
    definitions: news.definitions.map(writeJobDefinition),
    pageCounts: [...news.pageCounts],
    pastPageCounts: [...news.pastPageCounts],
    ...(news.digest !== undefined && { digest: news.digest }),
  });
}

export function decodeJobs(payload: Uint8Array): JobNews | undefined {
  const limits = { definitions: jobsMax, ...pageCountLimits };
  const message = decodePayload(payload, (bytes) => wire.Jobs.decode(bytes, { limits }));
  if (!message) return undefined;
  const definitions = readAll(message.definitions, readJobDefinition);
  const counts = readPageCounts(message);
  return definitions && counts && { definitions, ...counts, digest: message.digest };
}
