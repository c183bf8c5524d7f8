import { defaultRingOptions } from "../../core/ring/ring-options.ts";
import type { RingOptions } from "../../core/ring/ring-options.ts";

/** What must be the same at all peers of a swarm; its fingerprint is part of the protocol's name. */
export interface ClusterOptions {
  readonly ring: RingOptions;
  /** Members that hold everything of an arc, its holder included: one less may be lost at a time. @default 2 */
  readonly replicas: number;
}

export const defaultClusterOptions: ClusterOptions = Object.freeze({
  ring: defaultRingOptions,
  replicas: 2,
});
