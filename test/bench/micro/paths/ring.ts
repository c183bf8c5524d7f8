import { preferredArcs } from "../../../../src/core/ring/preferred-arcs.ts";
import type { CanonicalUrl } from "../../../../src/core/units.ts";
import { HostPlaces } from "../../../../src/peer/host-places.ts";
import type { Load, MicroBenchmark } from "../micro-benchmark.ts";
import { memberOf, replicas, ringOf, spreadPositions } from "../ring-load.ts";

const members = 1_000;
const positionCount = 100_000;
const hostCount = 20_000;

function startLookUp(): Load {
  const ring = ringOf(0, members);
  const positions = spreadPositions(positionCount);
  return {
    operations: positionCount,
    pass: () => {
      let found = 0;
      for (const position of positions) if (ring.ownerOf(position) !== undefined) found += 1;
      return found;
    },
  };
}

/** URLs of known hosts mostly, and of one that is new now and then. */
function startPosition(): Load {
  const urls = Array.from(
    { length: positionCount },
    (_, i) => `https://www.site-${(i * 7_919) % hostCount}.example/articles/${i}` as CanonicalUrl,
  );
  let places = new HostPlaces();
  return {
    operations: positionCount,
    prepare: () => (places = new HostPlaces()),
    pass: () => urls.reduce((sum, url) => sum + places.of(url).position, 0),
  };
}

/** What a peer derives from one member more: the ring, what it owns itself, where the copies go, and what is new of it. */
function startChange(): Load {
  const ring = ringOf(0, members);
  const added = memberOf(0, members);
  const self = memberOf(0, members / 2).id;
  const before = ring.arcsOf(self, replicas);
  return {
    operations: 1,
    pass: () => {
      const larger = ring.with(added);
      const owned = larger.arcsOf(self);
      const lost = before.subtract(larger.arcsOf(self, replicas));
      return [preferredArcs(larger, replicas, owned), lost];
    },
  };
}

export const benchmarks: readonly MicroBenchmark[] = [
  { name: "ring/look-up", operation: "look-up", start: startLookUp },
  { name: "ring/position", operation: "URL", start: startPosition },
  { name: "ring/change", operation: "change", start: startChange },
];
