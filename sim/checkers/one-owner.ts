import { ArcSet } from "../../src/core/ring/arc-set.ts";
import type { Millis } from "../../src/core/units.ts";
import type { Checker, RunView, SeenHit } from "./checker.ts";

/** Time in which an arc may seem open at two members: a hand-over whose answer is on its way. */
const graceMs = 3_000;

/**
 * One member at a time may send requests to a host, and one at a time may have an arc open.
 *
 * A member whose disk hangs passes nothing on. Where it has claimed what another one held that had stood still, that one
 * waits for it no longer than its stall watch says: the arc seems open at both then. What is asked there is held against
 * them all the same.
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
    let open = ArcSet.empty;
    let overlap = ArcSet.empty;
    for (const { peer, index } of world.running) {
      if (chronicle.isDazed(index) || chronicle.isHeldUp(index)) continue;
      const own = peer.swarm?.territory.open ?? ArcSet.empty;
      overlap = overlap.union(open.intersect(own));
      open = open.union(own);
    }
    const lasting = this.#overlap ? overlap.intersect(this.#overlap.arcs) : overlap;
    if (lasting.isEmpty || chronicle.isSplitNow) {
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
}
