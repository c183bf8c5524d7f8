import type { Millis } from "../../src/core/units.ts";
import { SampleWeb } from "../sample-web/sample-web.ts";
import { defaultSampleWebOptions } from "../sample-web/sample-web-options.ts";
import type { Dice } from "../world/dice.ts";
import type { PlannedFault, PlannedInjection, RunSettings } from "./plan.ts";

/** Calls in which the seeds come, at most. */
const injectionsMax = 8;
/** Pages that nothing links to, of those that are given as seeds. */
const orphansMax = 200;
/** How long before a machine ends, or after it has begun, it is given seeds. */
const momentMs: Millis = 500;

/** Roots of all sites, and the pages that nothing links to, in calls spread over the time. */
export function drawInjections(
  dice: Dice,
  settings: RunSettings,
  untilMs: Millis,
): PlannedInjection[] {
  const web = new SampleWeb({ ...defaultSampleWebOptions, ...settings.sampleWeb }, 80);
  const roots: number[] = [];
  const orphans: number[] = [];
  for (let site = 0; site < web.options.sites; site += 1) roots.push(web.layout.idOf(site, 0));
  if (untilMs > 0) {
    for (let id = 0; id < web.layout.pageCount && orphans.length < orphansMax; id += 1) {
      if (web.kindOf(id) === "orphan") orphans.push(id);
    }
  }
  const calls = untilMs > 0 ? dice.integer(2, injectionsMax) : 1;
  const pages: number[][] = Array.from({ length: calls }, () => []);
  // Most roots come first, so that there is something to crawl.
  for (const id of roots) pages[dice.chance(0.7) ? 0 : dice.integer(0, calls - 1)]?.push(id);
  for (const id of orphans) pages[dice.integer(0, calls - 1)]?.push(id);
  return pages
    .map((ids, call) => ({
      atMs: call === 0 ? 0 : Math.round(dice.between(0, untilMs)),
      pages: ids,
    }))
    .filter(({ pages: ids }) => ids.length > 0)
    .toSorted((one, other) => one.atMs - other.atMs);
}

/** All calls but the first go to machines that are about to end, or have just begun. */
export function givenLast(
  injections: readonly PlannedInjection[],
  faults: readonly PlannedFault[],
  dice: Dice,
): readonly PlannedInjection[] {
  const moments = faults.flatMap((fault) => {
    if (!("machine" in fault)) return [];
    const { atMs, kind, machine } = fault;
    return [{ machine, fromMs: kind === "start" ? atMs : atMs - momentMs }];
  });
  return injections
    .map((injection, call) => {
      const moment = call === 0 ? undefined : dice.pick(moments);
      if (!moment) return injection;
      const { fromMs, machine } = moment;
      return { ...injection, machine, atMs: Math.round(fromMs + dice.between(0, momentMs)) };
    })
    .toSorted((one, other) => one.atMs - other.atMs);
}
