import type { ArcSet } from "../../../core/ring/arc-set.ts";
import { preferredArcs } from "../../../core/ring/preferred-arcs.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import { askAllMax } from "./arc-claim.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "./territory.ts";

/**
 * Asks others about arcs that have been waited for too long: ones that this peer should hold and does not, or of which it
 * should have been sent a copy. What it noted of them may be wrong, for instance where two members held an arc and only one
 * of them was heard.
 */
export class ArcInquiry {
  readonly #calls: PeerCalls;
  readonly #clock: Clock;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #afterMs: Millis;
  readonly #signal: AbortSignal;
  /** Since when something has been waited for, or since the last inquiry into that. */
  #sinceMs: Millis | undefined;
  #running: Promise<void> | undefined;

  constructor(
    ports: { readonly calls: PeerCalls; readonly clock: Clock },
    parts: { readonly view: SwarmView; readonly territory: Territory },
    afterMs: Millis,
    signal: AbortSignal,
  ) {
    this.#calls = ports.calls;
    this.#clock = ports.clock;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#afterMs = afterMs;
    this.#signal = signal;
  }

  /** To be called from time to time with what is waited for; `onHeard` is called when others have been asked. */
  look(arcs: ArcSet, onHeard: () => void): void {
    const nowMs = this.#clock.nowMs();
    if (arcs.isEmpty) this.#sinceMs = undefined;
    else this.#sinceMs ??= nowMs;
    if (this.#sinceMs === undefined || this.#running) return;
    if (nowMs < this.#sinceMs + this.#afterMs) return;
    this.#sinceMs = nowMs;
    this.#running = this.#inquire(arcs).finally(() => {
      this.#running = undefined;
      onHeard();
    });
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #inquire(arcs: ArcSet): Promise<void> {
    for (const member of this.#whomToAsk(arcs)) {
      if (this.#view.generationOf(member) === undefined || this.#signal.aborted) continue;
      const answer = await this.#calls.whoHolds(member, arcs);
      if (!answer) continue;
      const { generation } = answer;
      const [held, kept] = [answer.held.intersect(arcs), answer.kept.intersect(arcs)];
      this.#territory.doubt(arcs.subtract(held), member);
      this.#territory.heard(member, { generation, held, kept }, this.#view.others.length + 1);
    }
  }

  /** Those that are noted, and those that may hold the arcs although they are not. */
  #whomToAsk(arcs: ArcSet): ReadonlySet<MemberId> {
    const { others, ring, self } = this.#view;
    const members = new Set<MemberId>();
    for (const { value } of this.#territory.notes(arcs)) members.add(value.member);
    const unnoted = others.length <= askAllMax ? others : preferredArcs(ring, 1, arcs).keys();
    for (const member of unnoted) members.add(member);
    members.delete(self);
    return members;
  }
}
