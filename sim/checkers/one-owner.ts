import { ArcSet } from "../../src/core/ring/arc-set.ts";
import type { Millis } from "../../src/core/units.ts";
import type { Peer } from "../../src/peer/peer.ts";
import type { VirtualMachine } from "../world/virtual-machine.ts";
import type { Checker, RunView, SeenHit } from "./checker.ts";

/** Time in which an arc may seem open at two members: a hand-over whose answer is on its way. */
const graceMs = 3_000;

/** What a member has open of some arcs. */
interface Share {
  readonly machine: VirtualMachine<Peer>;
  readonly open: ArcSet;
}

/**
 * One member at a time may send requests to a host, and one at a time may have an arc open.
 *
 * Where a member has stood still, another one may have claimed an arc meanwhile, and passes it back. While a disk hangs it
 * may not be able to: nothing can be copied from the one, or to the other, or a third one that is to have a copy of what
 * was claimed without any takes none. So both have the arc open until that disk takes something, or in place of the first
 * one whoever has joined since and got the arc from it. No host is asked by both for that: a member crawls only what is its
 * own on the ring as well, on which they agree, and begins no request long after a host's turn. What both take in merges
 * when the arc is passed back, as after a partition. So only what both would crawl is held against two members here; and
 * all that is asked, here, by the delays, and where a page is fetched again.
 */
export class OneOwner implements Checker {
  readonly #view: RunView;
  readonly #last = new Map<string, SeenHit>();
  #overlap: { readonly arcs: ArcSet; readonly sinceMs: Millis } | undefined;

  constructor(view: RunView) {
    this.#view = view;
  }

  readonly onHit = (hit: SeenHit): void => {
    const last = this.#last.get(hit.host);
    if (last === undefined || hit.endMs >= last.endMs) this.#last.set(hit.host, hit);
    if (last === undefined || last.endMs <= hit.atMs) return;
    const { chronicle, findings } = this.#view;
    const isSame = last.machine === hit.machine && last.generation === hit.generation;
    const ended = chronicle.life(last.machine, last.generation)?.toMs ?? Infinity;
    // Its own second request is a matter of politeness; one whose sender is dead is nobody's.
    if (isSame || ended <= hit.atMs || chronicle.isSplit(hit.atMs)) return;
    findings.add(
      "one-owner",
      hit.atMs,
      `peer-${hit.machine} asked ${hit.host} while a request of peer-${last.machine} was open there`,
      { url: hit.url, lastUrl: last.url, lastAtMs: last.atMs, lastEndMs: last.endMs },
    );
  };

  readonly onLook = (): void => {
    const { chronicle, findings, world } = this.#view;
    const overlap = chronicle.isSplitNow ? ArcSet.empty : this.#overlapNow();
    const lasting = this.#overlap ? overlap.intersect(this.#overlap.arcs) : overlap;
    if (lasting.isEmpty) {
      this.#overlap = overlap.isEmpty ? undefined : { arcs: overlap, sinceMs: chronicle.nowMs };
      return;
    }
    this.#overlap = { arcs: lasting, sinceMs: this.#overlap?.sinceMs ?? chronicle.nowMs };
    if (chronicle.nowMs - this.#overlap.sinceMs <= graceMs) return;
    findings.add("one-owner", chronicle.nowMs, "an arc is open at two members", {
      sinceMs: this.#overlap.sinceMs,
      share: lasting.share,
      members: world.running
        .filter(({ peer }) => !peer.swarm?.territory.open.intersect(lasting).isEmpty)
        .map(({ id }) => id)
        .join(" "),
    });
    this.#overlap = undefined;
  };

  #overlapNow(): ArcSet {
    let open = ArcSet.empty;
    let overlap = ArcSet.empty;
    for (const own of this.#sharesOf(ArcSet.whole)) {
      overlap = overlap.union(open.intersect(own.open));
      open = open.union(own.open);
    }
    return overlap.isEmpty ? overlap : this.#heldAgainst(this.#sharesOf(overlap));
  }

  #sharesOf(arcs: ArcSet): Share[] {
    const { chronicle, world } = this.#view;
    return world.running.flatMap((machine) => {
      const open = machine.peer.swarm?.territory.open.intersect(arcs);
      return !open || open.isEmpty || chronicle.isDazed(machine.index) ? [] : [{ machine, open }];
    });
  }

  #heldAgainst(shares: readonly Share[]): ArcSet {
    const { chronicle, world } = this.#view;
    const isHeldUp = world.running.some(({ index }) => chronicle.isHeldUp(index));
    const isPassedBack = world.running.some(({ index }) => chronicle.hasStoodStill(index));
    const found: ArcSet[] = [];
    for (const [at, one] of shares.entries()) {
      for (const other of shares.slice(at + 1)) {
        const shared = one.open.intersect(other.open);
        found.push(isPassedBack && isHeldUp ? crawledBy(one, crawledBy(other, shared)) : shared);
      }
    }
    return ArcSet.unionOf(found);
  }
}

/** Those of `arcs` that are the member's own on the ring as it sees it. */
function crawledBy({ machine: { id, peer } }: Share, arcs: ArcSet): ArcSet {
  return arcs.intersect(peer.swarm?.view.ring.arcsOf(id) ?? ArcSet.empty);
}
