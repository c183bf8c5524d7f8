import type { QueuedUrl } from "../../core/frontier/queued-row.ts";
import type { RobotsRules } from "../../core/robots/parse-robots.ts";
import type { IpAddress } from "../../core/units.ts";
import type { Host, Unresolved } from "./host.ts";
import type { Job } from "../jobs/job-registry.ts";

/** A URL that the frontier has given out, with its host and the address whose turn it took; to be given back. */
export interface Lease {
  readonly host: Host;
  readonly job: Job;
  readonly url: QueuedUrl;
  readonly address: IpAddress;
  /** What the origin's robots.txt says; absent before it was asked for, and where there is none. */
  robots?: RobotsRules;
  /** The failed look-up with which its visit ends instead of a request. */
  unresolved?: Unresolved;
  /** Where it is noted that a request is in flight, until its outcome is durable; absent where none was made. */
  note?: number;
}
