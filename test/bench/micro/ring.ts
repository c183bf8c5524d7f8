/**
 * How fast the ring answers and changes, and how evenly it divides the sites.
 *
 *   node test/bench/micro/ring.ts [ID_SETS]
 *
 * Look-ups, per second of processor time, on rings of 8 and 1,000 members; one change of membership in a ring of 1,000
 * with each part of what a peer derives from it; and, over ID_SETS sets of member ids (default 200), how far the most
 * loaded member is above the mean. `npm run bench:micro` measures look-ups and a whole change against stored results.
 */
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { positionOf, type RingPosition } from "../../../src/core/ring/ring-position.ts";
import { Ring } from "../../../src/core/ring/ring.ts";
import type { MemberId, SiteName } from "../../../src/core/units.ts";
import { numberOr, scriptArguments } from "../flags.ts";
import { median } from "../statistics.ts";
import { threadMicros } from "./processor-time.ts";
import { memberOf, replicas, ringOf, spreadPositions } from "./ring-load.ts";

const idSets = scriptArguments("node test/bench/micro/ring.ts [ID_SETS]", (words) =>
  numberOr(200, "ID_SETS", words),
);
const siteCount = 100_000;
const lookUps = 3_000_000;
const rounds = 16;

const sites = Array.from({ length: siteCount }, (_, i) => `site-${i}.example` as SiteName);
const positions = sites.map((site) => positionOf(site));

/** Milliseconds of this thread's processor time. */
function timed(run: () => unknown): number {
  const startedAt = threadMicros();
  run();
  return (threadMicros() - startedAt) / 1_000;
}

/** Median of some runs, the first of them not counted. */
function medianMs(run: () => unknown): string {
  return median(Array.from({ length: rounds }, () => timed(run)).slice(1)).toFixed(2);
}

function measureLookUps(ring: Ring): void {
  const points = spreadPositions(2 ** 20);
  let found = 0;
  const measure = (count: number, at: (i: number) => RingPosition): string => {
    const ms = timed(() => {
      for (let i = 0; i < count; i += 1) if (ring.ownerOf(at(i)) !== undefined) found += 1;
    });
    return Math.round((count / ms) * 1000).toLocaleString();
  };
  const byPosition = (i: number): RingPosition => points[i & 0xf_ffff] as RingPosition;
  const bySite = (i: number): RingPosition => positionOf(sites[i % siteCount] as SiteName);
  measure(lookUps / 10, byPosition);
  measure(lookUps / 10, bySite);
  console.log(
    `${ring.members.length} members: ${measure(lookUps, byPosition)} look-ups/s by position, ` +
      `${measure(lookUps, bySite)} by site, ${found} found`,
  );
}

function measureChange(): void {
  let ring = ringOf(0, 0);
  const builtMs = timed(() => (ring = ringOf(0, 1000)));
  measureLookUps(ring);
  const added = memberOf(0, 1000);
  const self = memberOf(0, 500).id;
  const larger = ring.with(added);
  const held = larger.arcsOf(self, replicas);
  const ignore = (): undefined => undefined;
  const lines: [string, () => unknown][] = [
    ["with", () => ring.with(added)],
    ["without", () => ring.without(self)],
    ["diff of one member", () => Ring.diff(ring, larger)],
    ["arcs that one member holds", () => ring.arcsOf(self, replicas)],
    ["holdings before and after", () => held.subtract(ring.arcsOf(self, replicas))],
    [
      `preferences of its ${held.size} arcs`,
      () => larger.forEachPreference(replicas, ignore, held),
    ],
    ["preferences of all arcs", () => larger.forEachPreference(replicas, ignore, ArcSet.whole)],
    ["shares of all", () => ring.sharesOf()],
  ];
  console.log(`ring of 1,000 built in ${builtMs.toFixed(0)} ms; ms of processor time each:`);
  for (const [name, run] of lines) console.log(`  ${name}: ${medianMs(run)}`);
}

/** Sites of the most loaded of 8, share of the most loaded of 8, share of a ninth that joins; each to its mean. */
function measureBalance(): void {
  const worst = { sites: 0, share: 0, moved: 0 };
  let above = 0;
  for (let set = 0; set < idSets; set += 1) {
    const ring = ringOf(set, 8);
    const owned = new Map<MemberId | undefined, number>();
    for (const position of positions) {
      const owner = ring.ownerOf(position);
      owned.set(owner, (owned.get(owner) ?? 0) + 1);
    }
    const most = (Math.max(...owned.values()) * 8) / siteCount;
    const joined = ring.with(memberOf(set, 8)).arcsOf(memberOf(set, 8).id);
    const moved = positions.filter((position) => joined.contains(position)).length;
    worst.sites = Math.max(worst.sites, most);
    worst.share = Math.max(worst.share, Math.max(...ring.sharesOf().values()) * 8);
    worst.moved = Math.max(worst.moved, (moved * 9) / siteCount);
    if (most > 1.06) above += 1;
  }
  console.log(
    `8 members, ${siteCount.toLocaleString()} sites, ${idSets} sets of ids, worst to mean: ` +
      `${worst.sites.toFixed(4)} sites, ${worst.share.toFixed(4)} share, ` +
      `${worst.moved.toFixed(4)} moved to a ninth; ${above} above 1.06`,
  );
}

measureLookUps(ringOf(0, 8));
measureChange();
measureBalance();
