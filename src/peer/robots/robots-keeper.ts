import { RobotsRecord } from "../../core/record/record.pb.ts";
import { robotsKey } from "../../core/record/keys.ts";
import { parseRobots } from "../../core/robots/parse-robots.ts";
import type { RobotsRules } from "../../core/robots/parse-robots.ts";
import type { CanonicalUrl, Millis, OriginName, SiteName } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

/**
 * Characters of robots.txt whose parsed rules are in memory, with a floor for each origin; the others are read from the
 * store again. Parsed rules take some ten times as many bytes, so that this is about 80 MB at worst, and a hostile file
 * of 500 KiB counts for what it costs.
 */
const charactersMax = 8_000_000;
const charactersPerOriginMin = 500;

/** What an origin's robots.txt says, as it is kept. */
export interface RobotsEntry {
  readonly record: RobotsRecord;
  readonly rules: RobotsRules | undefined;
}

/** robots.txt of each origin: in the store, with a bounded number of parsed ones in memory. */
export class RobotsKeeper {
  readonly #clock: Clock;
  readonly #store: Store;
  /** In the order of use, the least recently used first. */
  readonly #entries = new Map<OriginName, RobotsEntry>();
  #characters = 0;

  constructor(ports: { readonly clock: Clock; readonly store: Store }) {
    this.#clock = ports.clock;
    this.#store = ports.store;
  }

  /** What is known of the origin, however old. */
  async lookup(origin: OriginName, site: SiteName): Promise<RobotsEntry | undefined> {
    const known = this.#entries.get(origin);
    if (known) {
      this.#remember(origin, known);
      return known;
    }
    const value = await this.#store.get(robotsKey(site, origin));
    if (!value) return undefined;
    const entry = entryOf(RobotsRecord.decode(value));
    this.#remember(origin, entry);
    return entry;
  }

  isFresh({ record }: RobotsEntry): boolean {
    return this.#clock.nowMs() < record.expiresAtMs;
  }

  /** Takes in what was fetched; the returned operation makes it durable. */
  keep(origin: OriginName, site: SiteName, record: RobotsRecord): StoreOp {
    this.#remember(origin, entryOf(record));
    return { type: "put", key: robotsKey(site, origin), value: RobotsRecord.encode(record) };
  }

  #remember(origin: OriginName, entry: RobotsEntry): void {
    this.#forget(origin);
    this.#entries.set(origin, entry);
    this.#characters += costOf(entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= charactersMax || oldest === origin) return;
      this.#forget(oldest);
    }
  }

  #forget(origin: OriginName): void {
    const entry = this.#entries.get(origin);
    if (!entry) return;
    this.#entries.delete(origin);
    this.#characters -= costOf(entry);
  }
}

function costOf({ record }: RobotsEntry): number {
  return Math.max(record.body.length, charactersPerOriginMin);
}

/** What an origin's robots.txt says of one URL. */
export function robotsAllow(
  { record, rules }: RobotsEntry,
  url: CanonicalUrl,
  productToken: string,
): boolean {
  if (record.verdict === "allow-all") return true;
  if (record.verdict === "disallow-all") return false;
  return rules?.isAllowed(url, productToken) ?? false;
}

/** Crawl-delay that the origin asks of us. */
export function robotsCrawlDelayMs(entry: RobotsEntry, productToken: string): Millis | undefined {
  return entry.rules?.crawlDelayMs(productToken);
}

function entryOf(record: RobotsRecord): RobotsEntry {
  return { record, rules: record.verdict === "rules" ? parseRobots(record.body) : undefined };
}
