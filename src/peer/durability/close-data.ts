import type { PeerPorts } from "../peer-ports.ts";
import type { Journal } from "./journal.ts";

/** Makes durable what is on its way, and closes all that a peer was given, the database last. */
export async function closeData(
  { archive, fetcher, leases, parser, store }: PeerPorts,
  journal: Journal,
  events: {
    /** Whether all that was to become durable is so. */
    readonly isSound: () => boolean;
    readonly onFailure: (error: unknown) => void;
  },
): Promise<void> {
  const stop = (part: { stop(): Promise<void> }): Promise<void> =>
    part.stop().catch(events.onFailure);
  await journal.close();
  const kept = { stop: () => archive.stop(events.isSound()) };
  await Promise.all([fetcher, parser, kept, leases].map(stop));
  await stop(store);
}
