import type { Archive } from "../ports/archive.ts";
import type { Clock } from "../ports/clock.ts";
import type { Entropy } from "../ports/entropy.ts";
import type { Fetcher } from "../ports/fetcher.ts";
import type { HostProbe } from "../ports/host-probe.ts";
import type { LeaseSlots } from "../ports/lease-slots.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Overlay } from "../ports/overlay.ts";
import type { PageParser } from "../ports/page-parser.ts";
import type { ProcessLoad } from "../ports/process-load.ts";
import type { Resolver } from "../ports/resolver.ts";
import type { Store } from "../ports/store.ts";

/** The world, as a peer sees it: the same for the daemon and for a simulation. */
export interface PeerPorts {
  readonly archive: Archive;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly fetcher: Fetcher;
  readonly leases: LeaseSlots;
  /** Absent where nothing slows the process down: in virtual time. */
  readonly load?: ProcessLoad;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The other members of the swarm; absent where the peer crawls alone. */
  readonly overlay?: Overlay;
  readonly parser: PageParser;
  readonly probe: HostProbe;
  readonly resolver: Resolver;
  readonly store: Store;
}
