import type { Checker, RunEnd, RunView } from "./checker.ts";

/** Nothing is fetched that the rules keep out: what is disallowed, out of reach, or behind too many redirects. */
export class Robots implements Checker {
  readonly #view: RunView;

  constructor(view: RunView) {
    this.#view = view;
  }

  readonly finish = ({ graph }: RunEnd): void => {
    const { findings, pages, world } = this.#view;
    for (const [page, { first }] of pages) {
      const verdict = graph.verdictOf(page);
      if (verdict === "must") continue;
      const text = `${world.sampleWeb.urlOf(page)} was fetched, which is forbidden (${verdict})`;
      findings.add("robots", first.atMs, text, { peer: first.machine, verdict });
    }
  };
}
