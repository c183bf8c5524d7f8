import type { TrueGraph } from "../sample-web/true-graph.ts";

/** How many of the pages that have to be done are done, while a run goes on. */
export class PageProgress {
  readonly #graph: TrueGraph;
  #done = 0;
  /** Pages that have to be done. */
  readonly total: number;

  constructor(graph: TrueGraph) {
    this.#graph = graph;
    this.total = graph.counts().must;
  }

  get done(): number {
    return this.#done;
  }

  /** A page has had its first final answer. Those that need not be fetched, as endless ones of traps, do not count. */
  add(page: number): void {
    if (this.#graph.verdictOf(page) === "must") this.#done += 1;
  }
}
