import { ArcSet } from "../../src/core/ring/arc-set.ts";
import type { Millis } from "../../src/core/units.ts";
import type { Peer } from "../../src/peer/peer.ts";
import type { VirtualMachine } from "../world/virtual-machine.ts";
import type { Checker, RunView } from "./checker.ts";
import type { ViolationDetails } from "./violation.ts";

/** Members of which it is told why they have not settled. */
const toldMax = 6;

/** After the faults the members come to agree, within a time, and together they hold the whole circle, each arc once. */
export class Convergence implements Checker {
  readonly #view: RunView;

  constructor(view: RunView) {
    this.#view = view;
  }

  /** The swarm has not become one in the time that it had. */
  late(withinMs: Millis): void {
    const text = `the swarm has not become one within ${withinMs / 1_000} s`;
    this.#view.findings.add("convergence", this.#view.chronicle.nowMs, text, this.#whyNot());
  }

  readonly finish = (): void => {
    const { chronicle, findings, world } = this.#view;
    const [first] = world.running;
    if (first === undefined) return;
    const ringOf = ({ peer }: VirtualMachine<Peer>): string =>
      [...(peer.swarm?.view.ring.members ?? [])].sort().join(" ");
    const expected = world.running
      .map(({ id }) => id)
      .sort()
      .join(" ");
    let held = ArcSet.empty;
    for (const machine of world.running) {
      const { swarm } = machine.peer;
      if (swarm === undefined) continue;
      if (ringOf(machine) !== expected) {
        const text = `${machine.id} sees another ring than there are members`;
        findings.add("convergence", chronicle.nowMs, text, { sees: ringOf(machine), expected });
      }
      const own = swarm.territory.held;
      const twice = held.intersect(own);
      if (!twice.isEmpty) {
        const text = `${machine.id} holds arcs that another member holds too`;
        findings.add("convergence", chronicle.nowMs, text, { share: twice.share });
      }
      if (!own.equals(swarm.view.ring.arcsOf(machine.id))) {
        const text = `${machine.id} does not hold what the ring says`;
        findings.add("convergence", chronicle.nowMs, text, { held: own.share });
      }
      held = held.union(own);
    }
    if (held.equals(ArcSet.whole)) return;
    const text = `${((1 - held.share) * 100).toFixed(3)}% of the circle is held by nobody`;
    findings.add("convergence", chronicle.nowMs, text);
  };

  #whyNot(): ViolationDetails {
    const told: Record<string, string> = {};
    for (const { id, peer } of this.#view.world.running) {
      const { swarm } = peer;
      if (swarm === undefined || Object.keys(told).length >= toldMax) continue;
      const { isSettled, territory, view, replicator } = swarm;
      told[id] = [
        view.role,
        `${view.ring.members.length} on the ring`,
        `holds ${(territory.held.share * 100).toFixed(1)}%`,
        isSettled ? "settled" : "not settled",
        `${replicator.queuedRows} rows queued`,
      ].join(", ");
    }
    return told;
  }
}
