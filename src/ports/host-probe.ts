import type { OriginName } from "../core/units.ts";

/** Finds out whether the machine's network and name server lead to a host, without a request to it. */
export interface HostProbe {
  /**
   * Whether there is a sign of life: its name, looked up anew, has an address, and a connection to it comes about or is
   * refused. It is closed at once, and nothing is sent on it. Never rejects, and ends within 20 s; false where the signal
   * aborts.
   */
  reaches(origin: OriginName, signal: AbortSignal): Promise<boolean>;
}
