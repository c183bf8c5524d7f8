import { isKnownHost } from "../../../core/messages/host-message.ts";
import type { HostQuestion } from "../../../core/messages/host-message.ts";
import { positionOf } from "../../../core/ring/ring-position.ts";
import type { HostName, Millis } from "../../../core/units.ts";
import { siteOfHost } from "../../../core/url/site-of.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { HolderSearch } from "../ownership/holder-search.ts";
import type { PeerCalls } from "../peer-calls.ts";

/** Time for a member's answer. */
const timeoutMs: Millis = 2_000;

/**
 * What this peer and the holder of a host tell each other, where this one has to ask the host too: for a robots.txt that
 * leads there. A holder that cannot be found for some seconds is told nothing, and counts as one that knows of nothing.
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

  /** For how long the host is not to be asked, by its holder's word. */
  restMs(host: HostName): Promise<Millis> {
    return this.#ask({ host });
  }

  /** Tells the holder that the host was asked, and wants to be left alone for so long, perhaps 0. */
  async rests(host: HostName, restMs: Millis): Promise<void> {
    await this.#ask({ host, restMs });
  }

  async #ask(question: Omit<HostQuestion, "fromCopy">): Promise<Millis> {
    const position = positionOf(siteOfHost(question.host));
    const [restMs] = await this.#search.run<Millis>([position], async ({ member, fromCopy }) => {
      // The arc has just come here: what is told of its hosts is on its way too.
      if (member === this.#view.self) return [{ kind: "answer", answer: 0 }];
      const answer = await this.#calls.host(member, { ...question, fromCopy }, timeoutMs);
      if (!answer) return [undefined];
      return isKnownHost(answer)
        ? [{ kind: "answer", answer: answer.opensInMs ?? 0 }]
        : [{ kind: "elsewhere", holder: answer.holder }];
    });
    return restMs ?? 0;
  }
}
