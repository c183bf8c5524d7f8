import {
  mergeDirectives,
  noDirectives,
  parseDirectives,
  type RobotsDirectives,
} from "./robots-directives.ts";

/** Directives that take a value after a colon, and so are no bot's name. */
const valuedDirectives: ReadonlySet<string> = new Set([
  "max-image-preview",
  "max-snippet",
  "max-video-preview",
  "unavailable_after",
]);

/**
 * What the `X-Robots-Tag` headers of a response say to the crawler of this name, in lower case.
 *
 * A header may begin with a bot's name and a colon; it then speaks to that bot alone, up to the next name. Headers that
 * a proxy joined with commas are read as the separate ones they were.
 */
export function parseXRobotsTag(headers: readonly string[], botName: string): RobotsDirectives {
  let merged = noDirectives;
  for (const header of headers) {
    let addressed = true;
    for (const part of header.split(",")) {
      const [, name, rest] = /^\s*([^\s:]+)\s*:(.*)$/s.exec(part) ?? [];
      let directive = part;
      if (name !== undefined && !valuedDirectives.has(name.toLowerCase())) {
        addressed = ["*", botName].includes(name.toLowerCase());
        directive = rest ?? "";
      }
      if (addressed) merged = mergeDirectives(merged, parseDirectives(directive));
    }
  }
  return merged;
}
