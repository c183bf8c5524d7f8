import { expect, it } from "vitest";
import { closeData } from "../../../src/peer/durability/close-data.ts";
import type { Journal } from "../../../src/peer/durability/journal.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";

it("closes the database last, and tells the archive whether the last commit was a success", async () => {
  const events: string[] = [];
  const failures: unknown[] = [];
  const broken = new Error("the parser does not stop");
  let isSound = true;
  const part = (name: string) => ({
    stop: async () => {
      await Promise.resolve();
      events.push(name);
    },
  });
  const ports = {
    archive: {
      stop: (isCommitted: boolean) => part(`archive ${isCommitted}`).stop(),
    },
    fetcher: part("fetcher"),
    leases: part("leases"),
    parser: { stop: () => Promise.reject(broken) },
    store: part("store"),
  } as unknown as PeerPorts;
  const close = async (): Promise<void> => {
    await Promise.resolve();
    isSound = false;
    events.push("journal");
  };
  await closeData(ports, { close } as unknown as Journal, {
    isSound: () => isSound,
    onFailure: (error) => failures.push(error),
  });
  expect(events).toEqual(["journal", "fetcher", "archive false", "leases", "store"]);
  expect(failures).toEqual([broken]);
});
