import type { CanonicalUrl, JobId, Millis } from "../../src/core/units.ts";
import { dedupeKey } from "../../src/core/url/dedupe-key.ts";
import type { Peer } from "../../src/peer/peer.ts";
import type { VirtualMachine } from "../world/virtual-machine.ts";
import type { RunView } from "./checker.ts";
import type { Duplicates } from "./duplicates.ts";

/** Time after its answer in which a page becomes durable at all that keep it, also where a disk is slow. */
const durableMs: Millis = 60_000;
/** Pages done so lately may be missing from a list, and any while a disk is slow: a page is not done before it is durable. */
const lateMs: Millis = 5_000;

/**
 * A list of the job's URLs names every page that was done for a while when it was asked for, whoever is asked and whoever
 * joins, leaves or dies meanwhile.
 */
export class UrlLists {
  readonly #view: RunView;
  readonly #job: JobId;
  readonly #answers: Pick<Duplicates, "answerOf">;

  constructor(view: RunView, job: JobId, answers: Pick<Duplicates, "answerOf">) {
    this.#view = view;
    this.#job = job;
    this.#answers = answers;
  }

  /** Asks for the whole list; what is not answered says nothing. */
  async ask({ index, peer }: VirtualMachine<Peer>): Promise<void> {
    const { chronicle, findings, world } = this.#view;
    const askedAtMs = chronicle.nowMs;
    const due = this.#doneBefore(askedAtMs - lateMs);
    const named = await this.#named(peer).catch(() => undefined);
    const during = [askedAtMs - lateMs, chronicle.nowMs] as const;
    if (named === undefined || chronicle.isExcused(...during) || chronicle.isSlow(...during))
      return;
    const missing = due.filter((page) => !named.has(dedupeKey(urlOf(world, page))));
    const [first] = missing;
    if (first === undefined) return;
    findings.add(
      "url-lists",
      chronicle.nowMs,
      `${missing.length} of ${due.length} pages that were done are not in the list that peer-${index} gave, the first is ${urlOf(world, first)}`,
      { askedAtMs, listed: named.size },
    );
  }

  async #named(peer: Peer): Promise<ReadonlySet<string>> {
    const named = new Set<string>();
    let from: string | undefined;
    do {
      const { next, urls } = await peer.urls(this.#job, {}, from);
      for (const { state, url } of urls) {
        if (state === "done") named.add(dedupeKey(url));
      }
      from = next;
    } while (from !== undefined);
    return named;
  }

  #doneBefore(beforeMs: Millis): number[] {
    const { chronicle, world } = this.#view;
    const done: number[] = [];
    for (let page = 0; page < world.sampleWeb.layout.pageCount; page += 1) {
      const answer = this.#answers.answerOf(page);
      if (answer === undefined || answer.endMs > beforeMs) continue;
      const { atMs, generation, machine } = answer;
      const withinMs = chronicle.durableWithin(machine, atMs, durableMs);
      if (!chronicle.vanishedAfter(machine, generation, atMs, withinMs)) done.push(page);
    }
    return done;
  }
}

function urlOf(world: RunView["world"], page: number): CanonicalUrl {
  return world.sampleWeb.urlOf(page) as CanonicalUrl;
}
