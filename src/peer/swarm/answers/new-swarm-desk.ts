import type { Clock } from "../../../ports/clock.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import type { DeskParts } from "../../answers/question-desk.ts";
import { ContentDesk } from "./content-desk.ts";
import { HeldAnswers } from "./held-answers.ts";
import { HolderSearch } from "./holder-search.ts";
import { serveQuestions } from "./question-handlers.ts";
import { SwarmDesk } from "./swarm-desk.ts";
import { SwarmLists } from "./swarm-lists.ts";
import { SwarmFigures } from "./swarm-figures.ts";
import type { Swarm } from "../swarm.ts";

/**
 * The desk of a member of a swarm. It serves what others ask from here on; to be called before the overlay starts.
 *
 * @param signal aborts when the peer ends
 */
export function newSwarmDesk(
  ports: { readonly clock: Clock; readonly overlay: Overlay },
  swarm: Swarm,
  desk: DeskParts,
  options: {
    readonly replicas: number;
    /** Longest body that is taken from another member. */
    readonly bodyBytesMax: number;
    readonly signal: AbortSignal;
  },
): SwarmDesk {
  const { calls, exchange, homecoming, jobs: spread, replicator, tally, territory, view } = swarm;
  const { jobs, urls } = desk;
  const { bodyBytesMax, replicas, signal } = options;
  const { clock } = ports;
  const contents = new ContentDesk({ calls, clock, urls, view }, bodyBytesMax, signal);
  const { past } = tally;
  const sources = { calls, exchange, homecoming, past, spread, view };
  const figures = new SwarmFigures(clock, desk, sources);
  const isDazed = (): boolean => swarm.isDazed;
  const held = new HeldAnswers({ ...desk, replicator, territory, view, isDazed }, replicas);
  const search = new HolderSearch(clock, { view, territory }, replicas, signal);
  serveQuestions(ports.overlay, clock, { contents, figures, held });
  const lists = new SwarmLists(clock, { calls, held, view }, signal);
  const parts = { calls, clock, contents, figures, held, jobs, lists, search, spread, view };
  return new SwarmDesk(parts);
}
