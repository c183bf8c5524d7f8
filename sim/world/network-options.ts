import type { Millis } from "../../src/core/units.ts";

export interface NetworkOptions {
  /** Median time of a packet from one member to another; each pair has its own, from half of it to twice. @default 20 */
  readonly latencyMedianMs: Millis;
  /** Deviation of the logarithm of a packet's time: at 0.6 one in a thousand takes more than six times the median. @default 0.6 */
  readonly latencyTail: number;
  /** Share of notices that are lost; a stream's packet is sent again instead, after `retransmitMs`. @default 0 */
  readonly lossRate: number;
  /** Share of notices and claims that arrive twice. @default 0 */
  readonly duplicateRate: number;
  /** Share of the members that a claim does not reach. @default 0 */
  readonly claimLossRate: number;
  /** First pause before a stream's lost packet is sent again; doubled each time (RFC 6298 has 1 s, systems have 200 ms). @default 200 */
  readonly retransmitMs: Millis;
  /** What a stream carries. 12,500 bytes a millisecond are 100 Mbit/s. @default 12_500 */
  readonly bytesPerMs: number;
  /** After how long a machine gives up a connection to one that does not answer. @default 5_000 */
  readonly connectTimeoutMs: Millis;
  /** After how long a connection breaks over which nothing comes through. @default 15_000 */
  readonly brokenAfterMs: Millis;
  /** Requests of one stream in service at the receiver; more wait at the sender. @default 8 */
  readonly windowRequests: number;
  /** Bytes of these requests; one larger request goes alone. @default 1 MiB */
  readonly windowBytes: number;
}

export const defaultNetworkOptions: NetworkOptions = Object.freeze({
  latencyMedianMs: 20,
  latencyTail: 0.6,
  lossRate: 0,
  duplicateRate: 0,
  claimLossRate: 0,
  retransmitMs: 200,
  bytesPerMs: 12_500,
  connectTimeoutMs: 5_000,
  brokenAfterMs: 15_000,
  windowRequests: 8,
  windowBytes: 1_048_576,
});
