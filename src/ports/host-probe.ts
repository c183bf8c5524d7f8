import type { OriginName } from "../core/units.ts";

/**
 * Finds out whether the machine's network and name server do their work for a host, without a request to it.
 *
 * None of these rejects, and each ends within 20 s; where the signal aborts, there is no sign.
 */
export interface HostProbe {
  /**
   * Whether there is a sign of life: its name, looked up anew, has an address, and a connection to it comes about or is
   * refused. It is closed at once, and nothing is sent on it.
   */
  reaches(origin: OriginName, signal: AbortSignal): Promise<boolean>;

  /** Whether its name, looked up anew, has an address; undefined where no name server is asked for that. */
  resolves(origin: OriginName, signal: AbortSignal): Promise<boolean | undefined>;

  /** Whether a name server answers for what every one knows, the servers of the root. */
  hasNameServer(signal: AbortSignal): Promise<boolean>;
}
