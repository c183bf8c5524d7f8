import type { Millis } from "../../core/units.ts";

export interface HttpApiOptions {
  /** Name or address to listen on; anything but loopback lets other machines command the peer. @default "127.0.0.1" */
  readonly host: string;
  /** 0 takes a free one; see {@link HttpApi.url}. @default 7_780 */
  readonly port: number;
  /** Largest JSON body: 10,000 URLs of the longest kind with room to spare. @default 32 MiB */
  readonly bodyBytesMax: number;
  /**
   * Lists, objects, names and values of a JSON body, together: ten times those of the longest list of URLs, so that one that
   * is too long is told by how much. To parse so many takes less than 0.1 s. @default 100_000
   */
  readonly bodyValuesMax: number;
  /** URLs handed to the peer at once when a stream of them is injected. @default 1_000 */
  readonly injectBatchMax: number;
  /** Longest time that a question for a job's end stays open. @default 60_000 */
  readonly waitMsMax: Millis;
  /**
   * Shortest time that it stays open, whatever was asked for: one full look, so that a finished job is told as over. A swarm
   * asks its members twice, half a second apart; the rest is for their answers. @default 1_500
   */
  readonly waitMsMin: Millis;
  /**
   * Connections open at once. One more takes the place of the one that has been longest without a request, and is dropped
   * where all have one under way. @default 256
   */
  readonly connectionsMax: number;
  /**
   * Archived bodies held at once, from the question for one until the last of it is sent; who asks for another waits. Each
   * takes as much memory as the page is long, however slowly it is read. @default 16
   */
  readonly contentsMax: number;
  /**
   * A connection on which nothing moves for so long is closed: longer than any question stays open, with the longest time that
   * commands give the peer for its answer, and than a swarm takes for a batch of a stream of URLs. @default 310_000
   */
  readonly silenceMsMax: Millis;
  /**
   * Most that is still read of a body that was refused, for a client that sends all before it reads why: it costs
   * next to nothing, and a longer list is seldom sent at once. @default 1 GiB
   */
  readonly dropBytesMax: number;
  /** Longest time that it takes to do so; then the connection is closed. @default 30_000 */
  readonly dropMsMax: Millis;
  /** Longest head of a request: the longest URL that is admitted, with each of its characters escaped. @default 64 KiB */
  readonly headBytesMax: number;
  /** Time that requests under way have to end when the API stops. @default 2_000 */
  readonly stopMsMax: Millis;
}

export const defaultHttpApiOptions: HttpApiOptions = Object.freeze({
  host: "127.0.0.1",
  port: 7_780,
  bodyBytesMax: 32 * 1_024 * 1_024,
  bodyValuesMax: 100_000,
  injectBatchMax: 1_000,
  waitMsMax: 60_000,
  waitMsMin: 1_500,
  connectionsMax: 256,
  contentsMax: 16,
  silenceMsMax: 310_000,
  dropBytesMax: 1_024 * 1_024 * 1_024,
  dropMsMax: 30_000,
  headBytesMax: 64 * 1_024,
  stopMsMax: 2_000,
});
