import { countInterrupted } from "./count-interrupted.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "./journal.ts";
import type { LeaseLog } from "./lease-log.ts";
import type { PeerPorts } from "../peer-ports.ts";
import { checkSchemaVersion } from "./schema-version.ts";
import type { Sequence } from "./sequence.ts";
import { followClockBack } from "./set-back-clock.ts";
import type { SieveKeeper } from "../admission/sieve-keeper.ts";
import { keepAlone } from "../swarm/ownership/keep-alone.ts";
import { startArchive } from "./start-archive.ts";

/** Opens a peer's database and archive, and takes up what the last run left there. */
export async function openData(
  ports: PeerPorts,
  parts: {
    readonly jobs: JobRegistry;
    readonly journal: Journal;
    readonly leases: LeaseLog;
    readonly sequence: Sequence;
    readonly sieve: SieveKeeper;
  },
): Promise<void> {
  const { archive, store } = ports;
  await store.start();
  await checkSchemaVersion(store);
  await followClockBack(ports);
  await startArchive(archive, store);
  await parts.jobs.load(store);
  await parts.sequence.load(store);
  await parts.sieve.load(store);
  await countInterrupted(ports, parts);
  if (!ports.overlay) await keepAlone(store, parts);
}
