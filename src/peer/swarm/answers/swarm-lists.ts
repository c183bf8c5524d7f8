import { mergeStretches, type ListStretch } from "../../../core/answers/merge-list.ts";
import type { UrlFilter } from "../../../core/answers/url-list.ts";
import { CrawlError } from "../../../core/errors.ts";
import { listedUrlsMax } from "../../../core/messages/list-message.ts";
import type { ListQuestion, ListReply } from "../../../core/messages/list-message.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { JobId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import { Slots } from "../../slots.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { HeldAnswers } from "./held-answers.ts";

/** How long it is tried until all of the ring has answered: longer than a member that is gone silently takes to be missed. */
const searchMs: Millis = 8_000;

/** Rest before all are asked again. */
const retryMs: Millis = 250;

/** Members that are asked at once. */
const askedMax = 64;

/** URLs of one stretch that all members together may name. */
const togetherMax = 4 * listedUrlsMax;

/** URLs that one member is asked for, at least. */
const leastOfOne = 20;

interface ListParts {
  readonly calls: Pick<PeerCalls, "list">;
  readonly held: Pick<HeldAnswers, "list">;
  readonly view: Pick<SwarmView, "others">;
}

/**
 * Lists the URLs of the whole swarm: all members are asked for the same stretch, each for what it holds, and what they hold
 * makes up the ring, or they are asked again. So no site is left out because its owner is gone, or is just changing. What is
 * held at two places for a moment, as when it changes hands between two answers, stands for nothing that is not answered for.
 */
export class SwarmLists {
  readonly #clock: Clock;
  readonly #parts: ListParts;
  readonly #signal: AbortSignal;

  constructor(clock: Clock, parts: ListParts, signal: AbortSignal) {
    this.#clock = clock;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Errors: `MEMBER_UNREACHABLE` when a part of the ring does not answer. */
  async stretch(job: JobId, filter: UrlFilter, from: Uint8Array): Promise<ListStretch> {
    const endAtMs = this.#clock.nowMs() + searchMs;
    for (;;) {
      const answers = await this.#askAll({ job, filter, from, count: this.#countOfOne() });
      const replies = answers.filter((reply) => reply !== undefined);
      const told = ArcSet.unionOf(replies.map(({ arcs }) => arcs));
      if (told.equals(ArcSet.whole)) return mergeStretches(replies);
      if (this.#clock.nowMs() >= endAtMs || this.#signal.aborted) throw incomplete(told);
      await this.#clock.sleep(retryMs, this.#signal);
    }
  }

  #askAll(question: ListQuestion): Promise<(ListReply | undefined)[]> {
    const { calls, held, view } = this.#parts;
    const slots = new Slots(askedMax);
    return Promise.all([
      held.list(question),
      ...view.others.map((member) => slots.run(() => calls.list(member, question))),
    ]);
  }

  #countOfOne(): number {
    const members = 1 + this.#parts.view.others.length;
    return Math.max(leastOfOne, Math.ceil(togetherMax / members));
  }
}

function incomplete({ share }: ArcSet): CrawlError {
  const percent = Math.floor(100 * share);
  const problem = `members that hold ${percent}% of the ring have answered, and the list would lack the rest; ask again when all answer (peer members tells who does not)`;
  return new CrawlError("MEMBER_UNREACHABLE", problem, { share });
}
