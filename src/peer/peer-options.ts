import { defaultPolitenessOptions } from "../core/politeness/politeness-options.ts";
import type { PolitenessOptions } from "../core/politeness/politeness-options.ts";
import type { SieveOptions } from "../core/sieve/sieve.ts";
import type { Millis } from "../core/units.ts";
import { defaultFetchLimits, type FetchLimits } from "../ports/fetcher.ts";
import { defaultDispatcherOptions } from "./fetching/dispatcher.ts";
import type { DispatcherOptions } from "./fetching/dispatcher.ts";
import { defaultBodyBudgetOptions } from "./fetching/body-budget.ts";
import type { BodyBudgetOptions } from "./fetching/body-budget.ts";
import { defaultFrontierOptions } from "./frontier/frontier-options.ts";
import type { FrontierOptions } from "./frontier/frontier-options.ts";
import { defaultJournalOptions } from "./durability/journal.ts";
import type { JournalOptions } from "./durability/journal.ts";
import type { RingBook } from "./swarm/members/ring-book.ts";
import { defaultSwarmOptions } from "./swarm/swarm-options.ts";
import type { SwarmOptions } from "./swarm/swarm-options.ts";

/** What a peer is told at its start. */
export interface PeerOptions {
  readonly peerId: string;
  readonly version: string;
  /** Name by which robots.txt may address the crawler: the first word of its User-Agent. */
  readonly productToken: string;
  /** Whether seeds may name addresses that are not public; a fetcher that lets no request reach them refuses links too. @default false */
  readonly allowPrivate: boolean;
  /** How long a stopping peer waits for requests in flight before it cuts them off. @default 8_000 */
  readonly drainMs: Millis;
  readonly limits: FetchLimits;
  readonly bodies: BodyBudgetOptions;
  readonly politeness: PolitenessOptions;
  readonly frontier: FrontierOptions;
  readonly journal: JournalOptions;
  readonly dispatcher: DispatcherOptions;
  readonly sieve: Partial<SieveOptions>;
  /** Its place in the swarm, where it has an overlay. */
  readonly swarm: SwarmOptions;
  /** Rings that peers of one process share. @default its own */
  readonly rings?: RingBook;
}

export const defaultPeerOptions: Omit<PeerOptions, "peerId" | "version" | "productToken"> =
  Object.freeze({
    allowPrivate: false,
    drainMs: 8_000,
    limits: defaultFetchLimits,
    bodies: defaultBodyBudgetOptions,
    politeness: defaultPolitenessOptions,
    frontier: defaultFrontierOptions,
    journal: defaultJournalOptions,
    dispatcher: defaultDispatcherOptions,
    sieve: {},
    swarm: defaultSwarmOptions,
  });
