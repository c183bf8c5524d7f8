import type { JobScope } from "../../src/core/jobs/job-definition.ts";
import { pageKinds, type PageKind } from "./sample-web-options.ts";
import type { SampleWeb } from "./sample-web.ts";
import type { LinkVia, PagePlace } from "./site-layout.ts";

/** The crawler's rules, as far as they decide what must be fetched. */
export interface TrueGraphRules {
  readonly seeds: readonly string[];
  /** @default "any" */
  readonly scope: JobScope;
  /** @default true */
  readonly respectsRobots: boolean;
  /** Links with rel=nofollow and pages with a nofollow of their own. @default true */
  readonly respectsNofollow: boolean;
  /** Redirects in a row that are followed. @default 10 */
  readonly redirectsMax: number;
}

export const defaultTrueGraphRules: Omit<TrueGraphRules, "seeds"> = Object.freeze({
  scope: "any",
  respectsRobots: true,
  respectsNofollow: true,
  redirectsMax: 10,
});

/** What becomes of a page under the rules. */
export const pageVerdicts = [
  /** Nothing that is fetched leads to it. */
  "unreachable",
  /** Found, and outside the scope. */
  "scope",
  /** Found, but only by links that are not followed. */
  "nofollow",
  /** Found, but only at the end of too many redirects. */
  "redirect-limit",
  /** Found, and disallowed by its host's robots.txt, or by one that cannot be read. */
  "robots",
  /** To be fetched, exactly once. */
  "must",
] as const;

export type PageVerdict = (typeof pageVerdicts)[number];

const verdictNumber = Object.fromEntries(
  pageVerdicts.map((verdict, number) => [verdict, number]),
) as Record<PageVerdict, number>;

/** Kinds that end in a 200-answer with HTML. */
const htmlKinds: ReadonlySet<PageKind> = new Set<PageKind>([
  "ordinary",
  "slow",
  "throttled",
  "unavailable",
  "duplicate",
  "ruled",
  "unindexed",
  "nofollowed",
  "orphan",
]);

/**
 * What a crawler must and must not fetch, found by walking the web's own structure: no page is rendered and no HTML is
 * read, so that an error in the crawler's parser cannot hide itself here.
 *
 * Six bytes a page. Limits on depth and on the number of pages are not modelled, traps neither: their
 * pages are endless, and only their entries are known (see {@link trapSites}).
 *
 * Invariant: a page's verdict only moves up the order of {@link pageVerdicts}, so it does not depend on the order of
 * the walk.
 */
export class TrueGraph {
  readonly web: SampleWeb;
  readonly rules: TrueGraphRules;
  readonly #verdicts: Uint8Array;
  /** Redirects followed right before a page, where it was reached so. */
  readonly #hops: Uint8Array;
  readonly #queue: Uint32Array;
  #queued = 0;

  constructor(web: SampleWeb, rules: Partial<TrueGraphRules> & Pick<TrueGraphRules, "seeds">) {
    this.web = web;
    this.rules = { ...defaultTrueGraphRules, ...rules };
    const count = web.layout.pageCount;
    this.#verdicts = new Uint8Array(count);
    this.#hops = new Uint8Array(count);
    this.#queue = new Uint32Array(count);
    this.#walk();
  }

  verdictOf(id: number): PageVerdict {
    return pageVerdicts[this.#verdicts[id] ?? 0] ?? "unreachable";
  }

  /** Page numbers with that verdict, in order. */
  *ids(verdict: PageVerdict): Generator<number> {
    const wanted = verdictNumber[verdict];
    for (let id = 0; id < this.#verdicts.length; id += 1) {
      if (this.#verdicts[id] === wanted) yield id;
    }
  }

  /** Number of pages with each verdict. */
  counts(): Record<PageVerdict, number> {
    const counts = new Uint32Array(pageVerdicts.length);
    for (const verdict of this.#verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
    return Object.fromEntries(
      pageVerdicts.map((verdict, number) => [verdict, counts[number] ?? 0]),
    ) as Record<PageVerdict, number>;
  }

  /** Number of pages to be fetched, by kind. */
  kinds(): Record<PageKind, number> {
    const counts = Object.fromEntries(pageKinds.map((kind) => [kind, 0])) as Record<
      PageKind,
      number
    >;
    for (const id of this.ids("must")) counts[this.web.kindOf(id)] += 1;
    return counts;
  }

  /** Number of pages to be fetched that end in a 200-answer with HTML: a crawl's `pages`, traps apart. */
  htmlPages(): number {
    const kinds = this.kinds();
    return pageKinds.reduce((sum, kind) => sum + (htmlKinds.has(kind) ? kinds[kind] : 0), 0);
  }

  /** Sites whose traps are linked from a page that must be fetched. */
  trapSites(): number[] {
    const sites = Array.from({ length: this.web.options.sites }, (_, site) => site);
    return sites.filter(
      (site) =>
        this.web.layout.hasTraps(site) && this.verdictOf(this.web.layout.idOf(site, 0)) === "must",
    );
  }

  #walk(): void {
    const { layout } = this.web;
    const seeds = this.rules.seeds.map((url) => {
      const { hostname, pathname, search } = new URL(url);
      const target = this.web.locate(hostname, pathname + search);
      if (target.kind !== "page") throw new RangeError(`not a page of the sample web: ${url}`);
      return target;
    });
    for (const seed of seeds) this.#find(seed, "a", 0, undefined);
    for (let next = 0; next < this.#queued; next += 1) {
      const id = this.#queue[next] ?? 0;
      const from = layout.placeOf(id);
      const hops = this.#hops[id] ?? 0;
      layout.links(from.site, from.index, (site, index, via) => {
        this.#find({ site, index }, via, hops, from);
      });
    }
  }

  /** `from`: the page that links to it; nothing for a seed. */
  #find(page: PagePlace, via: LinkVia, hopsBefore: number, from: PagePlace | undefined): void {
    const id = this.web.layout.idOf(page.site, page.index);
    const known = this.#verdicts[id] ?? 0;
    if (known === verdictNumber.must) return;
    const hops = via === "redirect" ? hopsBefore + 1 : 0;
    const verdict = verdictNumber[this.#judge(page, via, hops, from)];
    if (verdict <= known) return;
    this.#verdicts[id] = verdict;
    if (verdict !== verdictNumber.must) return;
    this.#hops[id] = Math.min(hops, 255);
    this.#queue[this.#queued] = id;
    this.#queued += 1;
  }

  #judge(page: PagePlace, via: LinkVia, hops: number, from: PagePlace | undefined): PageVerdict {
    if (from && !this.#isInScope(page, from)) return "scope";
    if (via === "nofollow" && this.rules.respectsNofollow) return "nofollow";
    if (hops > this.rules.redirectsMax) return "redirect-limit";
    if (this.rules.respectsRobots && this.web.isDisallowed(page.site, page.index)) return "robots";
    return "must";
  }

  /** Scope is counted from the page with the link: a site that is a seed of its own is out of another's scope. */
  #isInScope(page: PagePlace, from: PagePlace): boolean {
    switch (this.rules.scope) {
      case "any":
        return true;
      case "site":
        return page.site === from.site;
      case "host":
        return this.#hostOf(page) === this.#hostOf(from);
      case "page":
        return false;
    }
  }

  #hostOf({ site, index }: PagePlace): string {
    const { names } = this.web;
    return names.hostName(names.hostOf(site, index));
  }
}
