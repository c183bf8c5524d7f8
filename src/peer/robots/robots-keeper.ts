import { RecentMap } from "../../core/recent-map.ts";
import { RobotsRecord } from "../../core/record/record.pb.ts";
import { robotsKey } from "../../core/record/host-keys.ts";
import { freshMaxMs, isGivenUp, staleMaxMs } from "../../core/robots/robots-policy.ts";
import { parseRobots } from "../../core/robots/parse-robots.ts";
import type { RobotsRules } from "../../core/robots/parse-robots.ts";
import type { CanonicalUrl, Millis, OriginName, SiteName } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import type { MissedTime } from "./missed-time.ts";

/**
 * Characters of robots.txt whose parsed rules are in memory, with a floor for each origin; the others are read from the
 * store again. Parsed rules take some ten times as many bytes, so that this is about 80 MB at worst, and a hostile file
 * of 500 KiB counts for what it costs.
 */
const charactersMax = 8_000_000;
const charactersPerOriginMin = 500;

/** Hosts run dry and come back with the next link; of one that does not, nothing stays in memory. */
const idleMsMax: Millis = 600_000;

/** What another member has fetched may be ahead by so much: how far its clock is off is known by and large. */
const clocksDifferMsMax: Millis = 60_000;

/**
 * Where an origin was not asked for so long though it was due, that it fails now is another outage. Its host's turn may be as
 * long in coming, with the longest delay or behind thousands at its address, each of which lets its visits wait in vain.
 */
const outageGapMsMax = freshMaxMs;
/** The same of one that is not given up yet: what waits for it in the queue must come to its end, however seldom it is asked. */
const awaitedGapMsMax = staleMaxMs;

/** What an origin's robots.txt says, as it is kept. */
export interface RobotsEntry {
  readonly record: RobotsRecord;
  readonly rules: RobotsRules | undefined;
}

/** robots.txt of each origin: in the store, with a bounded number of parsed ones in memory. */
export class RobotsKeeper {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #missed: Pick<MissedTime, "look" | "since">;
  readonly #store: Pick<Store, "get">;
  readonly #entries = new RecentMap<OriginName, RobotsEntry>({
    costMax: charactersMax,
    costOf: ({ record }) => Math.max(record.body.length, charactersPerOriginMin),
    idleMsMax,
  });

  constructor(
    ports: { readonly clock: Pick<Clock, "nowMs">; readonly store: Pick<Store, "get"> },
    missed: Pick<MissedTime, "look" | "since">,
  ) {
    this.#clock = ports.clock;
    this.#missed = missed;
    this.#store = ports.store;
  }

  /** What is known of the origin, however old. */
  async lookup(origin: OriginName, site: SiteName): Promise<RobotsEntry | undefined> {
    // What is fetched now, since nothing is known, is not to be taken for older.
    this.#missed.look();
    const known = this.#entries.get(origin, this.#clock.nowMs());
    if (known) return known;
    const value = await this.#store.get(robotsKey(site, origin));
    // It may have been fetched meanwhile.
    const fetched = this.#entries.get(origin, this.#clock.nowMs());
    if (fetched || !value) return fetched;
    const entry = entryOf(RobotsRecord.decode(value));
    this.#entries.set(origin, entry, this.#clock.nowMs());
    return entry;
  }

  isFresh({ record }: RobotsEntry): boolean {
    const nowMs = this.#clock.nowMs();
    return isFresh(record, nowMs) && goodUntilMs(record, this.#missed) > nowMs;
  }

  /** Since it was read, with the time that the process did not see. */
  ageMs({ fetchedAtMs }: RobotsRecord): Millis {
    return this.#clock.nowMs() - fetchedAtMs + this.#missed.since(fetchedAtMs);
  }

  /**
   * Failures in a row that the next attempt goes on with: those of the outage under way. With those of one last month a single
   * attempt would give the origin up.
   */
  failuresBefore(record: RobotsRecord): Pick<RobotsRecord, "cutsInRow" | "failuresInRow"> {
    const dueForMs = this.#clock.nowMs() - goodUntilMs(record, this.#missed);
    const gapMsMax = isAwaited(record) ? awaitedGapMsMax : outageGapMsMax;
    return dueForMs > gapMsMax ? { failuresInRow: 0 } : record;
  }

  /** Takes in what was fetched; the returned operation makes it durable. */
  keep(origin: OriginName, site: SiteName, record: RobotsRecord): StoreOp {
    this.#entries.set(origin, entryOf(record), this.#clock.nowMs());
    return { type: "put", key: robotsKey(site, origin), value: RobotsRecord.encode(record) };
  }
}

/**
 * One that would hold for longer than any answer does, or is of a time to come, was kept under a clock that was wrong, here or
 * elsewhere: an origin that was out of reach then would not be asked before that time.
 */
function isFresh({ expiresAtMs, fetchedAtMs }: RobotsRecord, nowMs: Millis): boolean {
  const leftMs = expiresAtMs - nowMs;
  if (fetchedAtMs > nowMs + clocksDifferMsMax) return false;
  return leftMs > 0 && leftMs <= freshMaxMs;
}

/** When the origin is to be asked again, after time that the process did not see as well. */
export function goodUntilMs(
  { expiresAtMs, failuresInRow, fetchedAtMs, verdict }: RobotsRecord,
  missed: Pick<MissedTime, "since">,
): Millis {
  // A copy that serves on is older than the attempt that failed, from which its time counts.
  const isStale = failuresInRow > 0 && verdict !== "disallow-all";
  return isStale ? expiresAtMs : expiresAtMs - missed.since(fetchedAtMs);
}

/** The origin could not be reached, and its URLs stay queued until it can, or has to be given up. */
export function isAwaited(record: RobotsRecord): boolean {
  return record.verdict === "disallow-all" && !isGivenUp(record);
}

/** When the origin is asked again that could not be reached; past where it need not be waited for. */
export function awaitedUntilMs(record: RobotsRecord, nowMs: Millis): Millis {
  return isAwaited(record) && isFresh(record, nowMs) ? record.expiresAtMs : 0;
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
  const { body, origin, verdict } = record;
  return { record, rules: verdict === "rules" ? parseRobots(body, origin) : undefined };
}
