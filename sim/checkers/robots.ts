import type { Millis } from "../../src/core/units.ts";
import { pageVerdicts, type PageVerdict, type TrueGraph } from "../sample-web/true-graph.ts";
import type { Checker, RunEnd, RunView } from "./checker.ts";

interface Fetched {
  readonly page: number;
  readonly verdict: PageVerdict;
  readonly atMs: Millis;
  readonly peer: number;
}

const forbidden = pageVerdicts.filter((verdict) => verdict !== "must");

/** Nothing is fetched that the rules keep out: what is disallowed, out of reach, or behind too many redirects. */
export class Robots implements Checker {
  readonly #view: RunView;

  constructor(view: RunView) {
    this.#view = view;
  }

  readonly finish = ({ graph }: RunEnd): void => {
    const { findings, world } = this.#view;
    const fetched = forbidden.flatMap((verdict) => this.#fetched(graph, verdict));
    // What follows from a page that was fetched comes after it, and only so many are kept.
    for (const { page, verdict, atMs, peer } of fetched.sort((a, b) => a.atMs - b.atMs)) {
      const text = `${world.sampleWeb.urlOf(page)} was fetched, which is forbidden (${verdict})`;
      findings.add("robots", atMs, text, { peer, verdict });
    }
  };

  #fetched(graph: TrueGraph, verdict: PageVerdict): Fetched[] {
    const fetched: Fetched[] = [];
    for (const page of graph.ids(verdict)) {
      const first = this.#view.pages.of(page)?.first;
      if (first) fetched.push({ page, verdict, atMs: first.atMs, peer: first.machine });
    }
    return fetched;
  }
}
