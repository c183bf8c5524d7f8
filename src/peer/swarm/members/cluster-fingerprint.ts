import { hash64 } from "../../../core/hash/hash64.ts";
import type { ClusterOptions } from "../cluster-options.ts";

/**
 * Number of what all peers of a swarm must understand alike: their messages, and the canonical form and ring position of
 * a URL. A change that an older peer would misread counts it up.
 */
export const protocolVersion = 4;

/**
 * Sixteen hexadecimal digits that stand for everything on which peers of one swarm must agree. Part of the protocol's name,
 * so that peers which would disagree on who owns a site cannot talk.
 */
export function clusterFingerprint(cluster: ClusterOptions, version = protocolVersion): string {
  const agreed = { ...cluster, version };
  return hash64(canonicalText(agreed)).toString(16).padStart(16, "0");
}

/** The same for equal values, whatever the order of their keys. */
function canonicalText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${key}:${canonicalText(each)}`).join()}}`;
}
