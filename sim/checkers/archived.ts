import { tagRange } from "../../src/core/record/key-ranges.ts";
import { UrlRecord } from "../../src/core/record/record.pb.ts";
import { positionOfKey } from "../../src/core/ring/ring-position.ts";
import type { Peer } from "../../src/peer/peer.ts";
import type { VirtualMachine } from "../world/virtual-machine.ts";
import type { Checker, RunEnd, RunView } from "./checker.ts";

/**
 * Reads the disks when all is over: what a record says of the archive is there, so that whatever counts as fetched can be
 * had. Left out is what was in the archive of a machine that has lost its disk.
 */
export class Archived implements Checker {
  readonly #view: RunView;

  constructor(view: RunView) {
    this.#view = view;
  }

  readonly finish = ({ isFinished }: RunEnd): void => {
    // A job that has not ended is told of once.
    if (!isFinished) return;
    for (const holder of this.#view.world.running) this.#check(holder);
  };

  #check(holder: VirtualMachine<Peer>): void {
    const { chronicle, findings, world } = this.#view;
    for (const { key, value } of holder.disk.snapshot(tagRange("url"))) {
      if (holder.peer.swarm?.territory.holds(positionOfKey(key)) !== true) continue;
      const { body, capture, capturedBy, url } = UrlRecord.decode(value);
      const archivist = world.machines.find(({ id }) => id === capturedBy);
      if (capture === undefined || archivist === undefined) continue;
      const { archiveDisk, id, index } = archivist;
      // The body of a page that was the same before stands under another URL, perhaps.
      const isThere = archiveDisk.urlAt(capture) === url && archiveDisk.has(body ?? capture);
      if (isThere || chronicle.isWiped(index)) continue;
      const text = `${url ?? ""} counts as fetched and is not in the archive of ${id}`;
      const { file, offset } = capture;
      findings.add("archived", chronicle.nowMs, text, { holder: holder.id, file, offset });
    }
  }
}
