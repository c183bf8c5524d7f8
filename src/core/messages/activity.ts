import { isJobId } from "../jobs/validate-job-options.ts";
import type { JobId } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { decodePayload, isCount, isSentence } from "./read-payload.ts";

/** What one member says of one job. */
export interface ActivityReply {
  /** Why the job is not over there; nothing when it is. */
  readonly busy: string | undefined;
  /** Counts the changes there: equal in two answers of one run, nothing happened between them. */
  readonly activity: number;
  /** Run of the member that answers. */
  readonly generation: number;
  /** Digest of the members that run, and of their runs, as the one that answers sees them; nothing where it does not say. */
  readonly members: bigint | undefined;
  /** Whether something on the disk there may be unknown to whoever holds it. */
  readonly returning: boolean;
}

/** In the place of a job: asked for it, a member speaks of itself alone. */
export const noJob = "";

export function encodeActivity(job: JobId | typeof noJob): Uint8Array<ArrayBuffer> {
  return wire.Activity.encode({ job });
}

export function decodeActivity(payload: Uint8Array): JobId | typeof noJob | undefined {
  const job = decodePayload(payload, wire.Activity.decode)?.job;
  return job === noJob || isJobId(job) ? job : undefined;
}

export function encodeActivityReply(reply: ActivityReply): Uint8Array<ArrayBuffer> {
  const { busy, activity, generation, members, returning } = reply;
  return wire.ActivityReply.encode({
    activity,
    generation,
    returning,
    ...(busy !== undefined && { busy }),
    ...(members !== undefined && { members }),
  });
}

export function decodeActivityReply(payload: Uint8Array): ActivityReply | undefined {
  const reply = decodePayload(payload, wire.ActivityReply.decode);
  if (!reply || !isCount(reply.activity) || !isCount(reply.generation)) return undefined;
  const { busy, activity, generation, members, returning } = reply;
  if (busy !== undefined && !isSentence(busy)) return undefined;
  return { busy, activity, generation, members, returning };
}
