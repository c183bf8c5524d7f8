import robotsParserModule from "robots-parser";
import type { Millis } from "../units.ts";
import { canonicalForm } from "../url/canonicalize-url.ts";
import { pathStartOf } from "../url/site-of.ts";
import type { RobotsContent, RobotsGroup, RobotsRule } from "./read-robots.ts";
import { productTokenOf, readRobots } from "./read-robots.ts";
import { normalizePath, patternMatches } from "./robots-path.ts";

/** What a robots.txt says. `userAgent` is a product token, or starts with one: `orbweaver/1.0 (...)`. */
export interface RobotsRules {
  /** Whether the crawler may fetch an http(s) URL of this robots.txt's origin; false for what is no such URL. */
  isAllowed(url: string, userAgent: string): boolean;
  /** The pause that the site asks for between two requests, at most a day; undefined where it asks for none. */
  crawlDelayMs(userAgent: string): Millis | undefined;
  /** Canonical URLs of all sitemaps, each once, at most 1,000; they belong to no group. */
  readonly sitemaps: readonly string[];
}

/** Longer delays are typing errors or a way of saying "go away", for which there is `Disallow`. */
const crawlDelayMsMax: Millis = 86_400_000;

/**
 * Steps that matching one URL may cost in `robots-parser`, which takes up to (characters of all patterns) x (characters
 * of the path): some 50 rules for a common URL, about 0.2 ms. Above, the linear matcher decides, and the same.
 */
const matchStepsMax = 100_000;

/**
 * Steps that the linear matcher may take for one URL, as (patterns with a wildcard) x (characters of the path): a
 * thousand such patterns for the longest usual URL, some 30 ms at worst. A URL beyond is refused, which is the
 * safe side.
 */
const wildcardStepsMax = 4_000_000;

/** The package is CommonJS, but types itself as an ES module. */
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;
type RobotsParser = ReturnType<typeof robotsParser>;

/** Any origin will do: what is asked for has passed the check of its origin before. */
const anyOrigin = "http://robots.invalid";

/**
 * Reads a robots.txt, of which the first 500 KiB count (RFC 9309).
 *
 * The package `robots-parser` judges, but never sees the text itself: it finds groups and tokens by rules older than the
 * RFC, keeps the rules once for each of the group's names, and compares escapes as written. It is given one group,
 * merged for the crawler that asks (RFC 9309, 2.2.1), in a normal form on which it is right.
 *
 * `base`: the file's origin or URL; without it, sitemaps that are named by their paths alone are left out.
 */
export function parseRobots(text: string, base?: string): RobotsRules {
  return new ParsedRobots(readRobots(text, base));
}

class ParsedRobots implements RobotsRules {
  readonly sitemaps: readonly string[];
  readonly #groups: readonly RobotsGroup[];
  /** One crawler asks again and again, so that its group alone is kept ready. */
  #ready: { readonly userAgent: string; readonly group: AgentGroup } | undefined;

  constructor(content: RobotsContent) {
    this.sitemaps = content.sitemaps;
    this.#groups = content.groups;
  }

  isAllowed(url: string, userAgent: string): boolean {
    const canonical = canonicalForm(url);
    if (canonical === undefined) return false;
    const path = canonical.slice(pathStartOf(canonical));
    return path === "/robots.txt" || this.#groupOf(userAgent).allows(normalizePath(path));
  }

  crawlDelayMs(userAgent: string): Millis | undefined {
    return this.#groupOf(userAgent).crawlDelayMs;
  }

  #groupOf(userAgent: string): AgentGroup {
    if (this.#ready?.userAgent !== userAgent) {
      this.#ready = { userAgent, group: new AgentGroup(groupsFor(this.#groups, userAgent)) };
    }
    return this.#ready.group;
  }
}

/** The groups that name the crawler; only where there are none, those of everybody. */
function groupsFor(groups: readonly RobotsGroup[], userAgent: string): readonly RobotsGroup[] {
  const token = productTokenOf(userAgent);
  const named = token === undefined ? [] : groups.filter(({ agents }) => agents.has(token));
  return named.length > 0 ? named : groups.filter(({ agents }) => agents.has("*"));
}

/** All that a robots.txt says to one crawler. */
class AgentGroup {
  readonly crawlDelayMs: Millis | undefined;
  readonly #rules: readonly RobotsRule[];
  readonly #patternCharacters: number;
  readonly #wildcardPatterns: number;
  readonly #parser: RobotsParser;

  constructor(groups: readonly RobotsGroup[]) {
    this.#rules = groups.flatMap(({ rules }) => rules);
    this.#patternCharacters = this.#rules.reduce((sum, { pattern }) => sum + pattern.length, 0);
    this.#wildcardPatterns = this.#rules.filter(({ pattern }) => pattern.includes("*")).length;
    const judged = this.#patternCharacters <= matchStepsMax ? this.#rules : [];
    const delays = groups.flatMap(({ crawlDelaySeconds }) => crawlDelaySeconds ?? []);
    this.#parser = robotsParser(`${anyOrigin}/robots.txt`, normalText(judged, delays));
    const seconds = this.#parser.getCrawlDelay("*");
    this.crawlDelayMs =
      seconds === undefined ? undefined : Math.min(seconds * 1_000, crawlDelayMsMax);
  }

  allows(path: string): boolean {
    const steps = this.#patternCharacters * path.length;
    // The package drops an empty query, so that it would not see the `?` of `/x?`.
    if (steps > matchStepsMax || path.endsWith("?")) {
      const affordable = this.#wildcardPatterns * path.length <= wildcardStepsMax;
      return affordable && allowsByRules(this.#rules, path);
    }
    return this.#parser.isAllowed(anyOrigin + path, "*") ?? true;
  }
}

function normalText(rules: readonly RobotsRule[], delays: readonly number[]): string {
  const lines = rules.map(({ allow, pattern }) => `${allow ? "allow" : "disallow"}: ${pattern}`);
  if (delays.length > 0) lines.push(`crawl-delay: ${String(Math.max(...delays))}`);
  return `user-agent: *\n${lines.join("\n")}`;
}

/** The longest pattern that matches decides; of two as long, the one that allows (RFC 9309, 2.2.2). */
function allowsByRules(rules: readonly RobotsRule[], path: string): boolean {
  let allowed = true;
  let longest = 0;
  for (const { allow, pattern } of rules) {
    if (pattern.length < longest || (pattern.length === longest && !allow)) continue;
    if (!patternMatches(pattern, path)) continue;
    allowed = allow;
    longest = pattern.length;
  }
  return allowed;
}
