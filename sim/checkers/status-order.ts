import { positionOf } from "../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, Millis } from "../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../src/core/url/site-of.ts";
import type { PeerControl, UrlStatus } from "../../src/ports/peer-control.ts";
import type { RunView } from "./checker.ts";

type State = UrlStatus["state"];

interface Answer {
  readonly state: State;
  /** When it was asked for. */
  readonly atMs: Millis;
  /** When it was given. */
  readonly givenAtMs: Millis;
  readonly machine: number;
  readonly generation: number;
  /** It bears neither mark of {@link UrlStatus}: none may ever be behind it. */
  readonly isSure: boolean;
}

/** A URL that the scope keeps out may be let in by another page or as a seed; one that is queued may be kept out by a guard. */
const ranks: Readonly<Record<State, number>> = { unknown: 0, queued: 1, excluded: 1, done: 2 };

/** An answer of a peer that crashes so soon after it may not have reached the replicas. */
const inFlightMs = 5_000;

/**
 * What peers say of a URL only moves up, whoever is asked: none is behind an earlier one that was marked neither as a
 * replica's nor as unconfirmed.
 *
 * A peer that answers from its own disk for a site that another one holds has not asked the holder: such an answer counts
 * for nothing here.
 */
export class StatusOrder {
  readonly #view: RunView;
  readonly #answers = new Map<string, Answer>();
  /** Answers that were compared with earlier ones. */
  compared = 0;

  constructor(view: RunView) {
    this.#view = view;
  }

  /** Takes in what a peer has answered, to a question that was asked at `askedAtMs`. */
  see(
    peer: Pick<PeerControl, "peerId">,
    machine: number,
    askedAtMs: Millis,
    statuses: readonly UrlStatus[],
  ): void {
    const { chronicle, world } = this.#view;
    if (chronicle.isExcused(askedAtMs, chronicle.nowMs)) return;
    const running = world.machines[machine];
    if (running?.isUp !== true) return;
    const territory = running.peer.swarm?.territory;
    for (const status of statuses) {
      const { url, state, owner, reason, replica, unconfirmed } = status;
      // Nobody could tell: that says nothing of the URL.
      if (reason === "owner-unreachable") continue;
      const position = positionOf(siteOfHost(hostOf(url as CanonicalUrl)));
      if (owner === peer.peerId && territory?.holds(position) !== true) continue;
      const { generation } = running;
      const givenAtMs = chronicle.nowMs;
      const isSure = replica !== true && unconfirmed !== true;
      this.#compare(url, { state, atMs: askedAtMs, givenAtMs, machine, generation, isSure });
    }
  }

  #compare(url: string, answer: Answer): void {
    const { chronicle, findings } = this.#view;
    const before = this.#answers.get(url);
    // Of two that were on their way at one time neither came first.
    if (before !== undefined && before.givenAtMs > answer.atMs) return;
    if (answer.isSure) this.#answers.set(url, answer);
    if (before === undefined) return;
    this.compared += 1;
    if (ranks[answer.state] >= ranks[before.state]) return;
    const { machine, generation, atMs } = before;
    if (chronicle.vanishedAfter(machine, generation, atMs, inFlightMs)) return;
    if (chronicle.isExcused(atMs, answer.atMs)) return;
    findings.add(
      "status-order",
      answer.atMs,
      `peer-${answer.machine} said "${answer.state}" of ${url}, after peer-${machine} had said "${before.state}"`,
      { saidBeforeAtMs: atMs },
    );
  }
}
