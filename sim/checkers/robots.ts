import type { Checker, RunEnd, RunView, SeenHit } from "./checker.ts";

/** Nothing is fetched that the rules keep out: what is disallowed, out of reach, or behind too many redirects. */
export class Robots implements Checker {
  readonly #view: RunView;
  readonly #first = new Map<number, SeenHit>();

  constructor(view: RunView) {
    this.#view = view;
  }

  readonly onHit = (hit: SeenHit): void => {
    if (hit.page >= 0 && !this.#first.has(hit.page)) this.#first.set(hit.page, hit);
  };

  readonly finish = ({ graph }: RunEnd): void => {
    for (const [page, { atMs, url, machine }] of this.#first) {
      const verdict = graph.verdictOf(page);
      if (verdict === "must") continue;
      const text = `${url} was fetched, which is forbidden (${verdict})`;
      this.#view.findings.add("robots", atMs, text, { peer: machine, verdict });
    }
  };
}
