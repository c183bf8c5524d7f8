import { isKnownHost } from "../../../core/messages/host-message.ts";
import type { HostQuestion } from "../../../core/messages/host-message.ts";
import { positionOf } from "../../../core/ring/ring-position.ts";
import type { HostName, Millis } from "../../../core/units.ts";
import { siteOfHost } from "../../../core/url/site-of.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { HolderSearch } from "./holder-search.ts";
import type { PeerCalls } from "../peer-calls.ts";

/** What a host's holder says of it. */
export interface HostWord {
  /** For how long it is not to be asked. */
  readonly restMs: Millis;
  readonly crawlDelayMs?: Millis;
}

/**
 * What this peer and the holder of a host tell each other, where this one has to ask the host too: for a robots.txt that
 * leads there. A holder that cannot be found for some seconds is told nothing; what it knows, a copy may tell meanwhile. Where
 * there is none either, nothing is known.
 */
export class HostsOfOthers {
  readonly #calls: Pick<PeerCalls, "host">;
  readonly #search: HolderSearch;
  readonly #view: Pick<SwarmView, "self">;

  constructor(parts: {
    readonly calls: Pick<PeerCalls, "host">;
    readonly search: HolderSearch;
    readonly view: Pick<SwarmView, "self">;
  }) {
    this.#calls = parts.calls;
    this.#search = parts.search;
    this.#view = parts.view;
  }

  word(host: HostName): Promise<HostWord> {
    return this.#ask({ host });
  }

  /** Tells the holder that the host was asked, and wants to be left alone for so long, perhaps 0. */
  async rests(host: HostName, restMs: Millis): Promise<void> {
    await this.#ask({ host, restMs });
  }

  async #ask(question: Omit<HostQuestion, "fromCopy">): Promise<HostWord> {
    const position = positionOf(siteOfHost(question.host));
    const [word] = await this.#search.run<HostWord>([position], async ({ member, fromCopy }) => {
      const isSelf = member === this.#view.self;
      // The arc has just come here: what is told of its hosts is on its way too.
      if (isSelf && this.#search.holderOf(position) === member) {
        return [{ kind: "answer", answer: { restMs: 0 } }];
      }
      // Who keeps a copy takes no word for the holder.
      if (isSelf || (fromCopy && question.restMs !== undefined)) return [undefined];
      const answer = await this.#calls.host(member, { ...question, fromCopy });
      if (!answer) return [undefined];
      if (!isKnownHost(answer)) return [{ kind: "elsewhere", holder: answer.holder }];
      const { opensInMs: restMs = 0, crawlDelayMs = 0 } = answer;
      return [{ kind: "answer", answer: { restMs, crawlDelayMs } }];
    });
    return word ?? { restMs: 0 };
  }
}
