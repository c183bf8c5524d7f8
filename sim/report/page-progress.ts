import type { TrueGraph } from "../sample-web/true-graph.ts";

/** How many of the pages that have to be done are done, while a run goes on. A page counts once, however often it is fetched. */
export class PageProgress {
  readonly #graph: TrueGraph;
  readonly #isDone: Uint8Array;
  #done = 0;
  /** Pages that have to be done. */
  readonly total: number;

  constructor(graph: TrueGraph) {
    this.#graph = graph;
    this.total = graph.counts().must;
    this.#isDone = new Uint8Array(graph.web.layout.pageCount);
  }

  get done(): number {
    return this.#done;
  }

  /** A page has had its final answer. Those that need not be fetched, as endless ones of traps, do not count. */
  add(page: number): void {
    if (this.#isDone[page] === 1 || this.#graph.verdictOf(page) !== "must") return;
    this.#isDone[page] = 1;
    this.#done += 1;
  }
}
