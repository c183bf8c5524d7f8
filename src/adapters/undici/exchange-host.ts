import type { Millis } from "../../core/units.ts";
import type { FetchRequest } from "../../ports/fetcher.ts";
import type { Connection } from "./connection.ts";
import type { Exchange } from "./exchange.ts";

/** What an exchange needs from the fetcher that runs it. */
export interface ExchangeHost {
  nowMs(): Millis;
  /** A connection to the request's target: one that has been used before, where one is idle and may serve it. */
  lease(request: FetchRequest): Connection;
  /** The response has been read to its end: the connection may serve another. */
  release(connection: Connection): void;
  discard(connection: Connection): void;
  /** Called once, before the outcome is delivered. */
  onSettled(exchange: Exchange): void;
}

/** How the request goes out. */
export interface RequestHead {
  readonly path: string;
  /** Name, value: what the fetcher adds to `Host` and `Connection`. */
  readonly fields: string[];
  /** The whole head, for the archive. */
  readonly sent: readonly string[];
}
