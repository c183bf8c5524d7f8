import { compareKeys } from "../../src/core/record/compare-keys.ts";
import { tagRange } from "../../src/core/record/key-ranges.ts";
import type { TerritorialTag } from "../../src/core/record/key-tags.ts";
import { positionOfKey } from "../../src/core/ring/ring-position.ts";
import type { Peer } from "../../src/peer/peer.ts";
import type { VirtualMachine } from "../world/virtual-machine.ts";
import type { Checker, RunEnd, RunView } from "./checker.ts";

/** What is known for good: it is the same at everybody who has to have it. */
const keptTags: readonly TerritorialTag[] = ["url", "exclusion"];
/** What is on its way: nothing of it is left when the job is over. */
const passingTags: readonly TerritorialTag[] = ["queue", "outbox"];

/**
 * Reads the disks when all is over: what a member knows of its arcs is at each member that is to have a copy, the same to
 * the byte, and neither has something left in a queue or on its way there.
 */
export class Copies implements Checker {
  readonly #view: RunView;

  constructor(view: RunView) {
    this.#view = view;
  }

  readonly finish = ({ isFinished }: RunEnd): void => {
    // A job that has not ended is told of once, and is not done with its copies either.
    if (!isFinished) return;
    for (const holder of this.#view.world.running) {
      for (const tag of keptTags) this.#compare(tag, holder);
      for (const tag of passingTags) this.#lookForRest(tag, holder);
    }
  };

  #compare(tag: TerritorialTag, holder: VirtualMachine<Peer>): void {
    for (const { key, value } of holder.disk.snapshot(tagRange(tag))) {
      if (tag === "exclusion" && holder.disk.has(recordKeyOf(key))) continue;
      for (const replica of this.#replicasOf(holder, key)) {
        const copy = replica.disk.get(key);
        if (copy !== undefined && compareKeys(copy, value) === 0) continue;
        const what = copy === undefined ? "no copy of a row" : "another copy of a row";
        this.#tell(`${replica.id} has ${what} of ${holder.id} (${tag})`);
      }
    }
  }

  /** A replica deletes what its holder deletes; so what is left there is left of this job or of a lost change. */
  #lookForRest(tag: TerritorialTag, holder: VirtualMachine<Peer>): void {
    for (const { key } of holder.disk.snapshot(tagRange(tag))) {
      if (holder.peer.swarm?.territory.holds(positionOfKey(key)) !== true) continue;
      this.#tell(`${holder.id} has a row left of what it holds (${tag})`);
    }
  }

  /** Who is to have a copy of a row that the member holds; nobody where it does not hold it. */
  #replicasOf(holder: VirtualMachine<Peer>, key: Uint8Array): VirtualMachine<Peer>[] {
    const { plan, world } = this.#view;
    const { swarm } = holder.peer;
    const position = positionOfKey(key);
    if (swarm?.territory.holds(position) !== true) return [];
    const members = swarm.view.ring.preferenceOf(position, plan.settings.replicas);
    return world.running.filter(({ id }) => id !== holder.id && members.includes(id));
  }

  #tell(text: string): void {
    const { chronicle, findings } = this.#view;
    findings.add("copies", chronicle.nowMs, text);
  }
}

/**
 * Key of the record of a URL that has an exclusion: of one that was taken in after all, as a seed widened the scope, the
 * record alone counts, and what is left of its exclusion may be at some of its members.
 */
function recordKeyOf(exclusion: Uint8Array): Uint8Array {
  const key = exclusion.slice();
  key.set(tagRange("url").gte);
  return key;
}
