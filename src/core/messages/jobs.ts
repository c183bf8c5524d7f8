import { jobsMax } from "../jobs/job-definition.ts";
import type { JobDefinition } from "../jobs/job-definition.ts";
import { readJobDefinition, writeJobDefinition } from "../jobs/read-job-definition.ts";
import * as wire from "./messages.pb.ts";
import { decodePayload, readAll } from "./read-payload.ts";

/** Definitions of jobs: with a request, what the sender knows; with the reply, what it does not. */
export function encodeJobs(definitions: readonly JobDefinition[]): Uint8Array<ArrayBuffer> {
  return wire.Jobs.encode({ definitions: definitions.map(writeJobDefinition) });
}

export function decodeJobs(payload: Uint8Array): readonly JobDefinition[] | undefined {
  const limits = { definitions: jobsMax };
  const message = decodePayload(payload, (bytes) => wire.Jobs.decode(bytes, { limits }));
  return message && readAll(message.definitions, readJobDefinition);
}
