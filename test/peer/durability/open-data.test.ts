import { expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { namedKey } from "../../../src/core/record/named-keys.ts";
import type { Journal } from "../../../src/peer/durability/journal.ts";
import type { LeaseLog } from "../../../src/peer/durability/lease-log.ts";
import { openData } from "../../../src/peer/durability/open-data.ts";
import { Sequence } from "../../../src/peer/durability/sequence.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { SieveKeeper } from "../../../src/peer/admission/sieve-keeper.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { MemoryArchive } from "../../support/memory-archive.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { timelessStore } from "../../support/still-process.ts";

const markKey = namedKey("meta", "archive-mark");

/** Opens what is on a disk; returns its sequence, and the steps in their order. */
async function opened(disk: VirtualDisk): Promise<{ sequence: Sequence; steps: string[] }> {
  const store = timelessStore(disk);
  const sequence = new Sequence();
  const steps: string[] = [];
  const op = { type: "del", key: namedKey("meta", "none") } as const;
  const ports = {
    archive: new MemoryArchive(),
    clock: new VirtualClock(),
    logger: silentLogger,
    store,
  } as unknown as PeerPorts;
  const step = (name: string): Promise<void> => {
    steps.push(`${name}, mark ${disk.has(markKey)}`);
    return Promise.resolve();
  };
  await openData(ports, {
    jobs: new JobRegistry(),
    sequence,
    sieve: { load: () => step("sieve") } as unknown as SieveKeeper,
    journal: { append: () => step("count") } as unknown as Journal,
    leases: {
      start: () => Promise.resolve({ spaces: [], op }),
      forgetFound: () => void step("forget"),
    } as unknown as LeaseLog,
  });
  await store.stop();
  return { sequence, steps };
}

it("a new database has the archive's mark before anything is taken up", async () => {
  const { steps } = await opened(new VirtualDisk());
  expect(steps).toEqual(["sieve, mark true", "count, mark true", "forget, mark true"]);
});

it("a start gives no number of the queue out that the run before it gave out", async () => {
  const disk = new VirtualDisk();
  const { sequence } = await opened(disk);
  const given = [sequence.next(), sequence.next()];
  disk.apply(sequence.takeUnsaved());
  const again = await opened(disk);
  expect(given).not.toContain(again.sequence.next());
});
