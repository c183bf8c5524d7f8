import { RobotsRecord } from "../core/record/record.pb.ts";
import { robotsKey } from "../core/record/keys.ts";
import { parseRobots } from "../core/robots/parse-robots.ts";
import type { RobotsRules } from "../core/robots/parse-robots.ts";
import type { CanonicalUrl, Millis, OriginName, SiteName } from "../core/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store, StoreOp } from "../ports/store.ts";

/** Origins whose parsed rules are in memory; the others are read from the store again. */
const originsMax = 10_000;

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
    this.#entries.delete(origin);
    this.#entries.set(origin, entry);
    if (this.#entries.size <= originsMax) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
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
