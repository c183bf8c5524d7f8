import { canonicalizeUrl } from "../url/canonicalize-url.ts";
import { normalizePattern } from "./robots-path.ts";

/** One `allow` or `disallow` line, its pattern in the normal form. */
export interface RobotsRule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** `user-agent` lines and what they share (RFC 9309, 2.1). */
export interface RobotsGroup {
  /** Product tokens in lower case, or `*`. */
  readonly agents: ReadonlySet<string>;
  readonly rules: readonly RobotsRule[];
  /** The longest valid `crawl-delay`; absent where there is none. */
  readonly crawlDelaySeconds?: number;
}

export interface RobotsContent {
  readonly groups: readonly RobotsGroup[];
  /** Canonical URLs, each once. */
  readonly sitemaps: readonly string[];
}

/**
 * Characters of a robots.txt that are read: the 500 KiB of RFC 9309, 2.5, which asks for no less, where each byte is escaped
 * because the file is not UTF-8.
 */
export const robotsCharactersMax = 3 * 500 * 1_024;

/** Sitemaps kept, at most: more would be a list of pages, and those who have one write a sitemap index. */
const sitemapsMax = 1_000;

/** A product token (RFC 9309, 2.2.1) and the digits that some crawlers have in theirs. */
const productToken = /^[a-z0-9_-]+/;

/** Decimal seconds, `.5` and `5.` too, nothing else that `Number` would take. */
const decimal = /^(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/;

/**
 * How the names of fields begin, misspelt ones too: as Google's reader takes them (github.com/google/robotstxt, robots.cc,
 * `ParsedRobotsKey`), for which robots.txt files are tried out.
 */
const spellings: readonly (readonly [field: string, spelling: RegExp])[] = [
  ["user-agent", /^user[- ]?agent/],
  ["allow", /^allow/],
  ["disallow", /^(?:dis{1,2}allow|dis{1,2}alow|diasllow|disallaw)/],
  ["sitemap", /^site-?map/],
];

/** The file that a server shows for its folder's URL. */
const indexFile = /^(.*\/)index\.htm[^/]*$/;

interface OpenGroup {
  agents: Set<string>;
  rules: RobotsRule[];
  crawlDelaySeconds?: number;
}

/** The token that names a crawler in robots.txt: what stands before its version, in lower case. */
export function productTokenOf(userAgent: string): string | undefined {
  return productToken.exec(userAgent.toLowerCase())?.[0];
}

/**
 * Reads a robots.txt into its groups. Whatever a line says that is not understood, the others count (RFC 9309,
 * 2.3.1.5). Only `allow` and `disallow` end a group's run of `user-agent` lines: other records must not interfere (2.2.4).
 *
 * The protocol of sitemaps asks for absolute URLs; many files have paths all the same, which are resolved against `base`.
 */
export function readRobots(text: string, base?: string): RobotsContent {
  const groups: OpenGroup[] = [];
  const sitemaps = new Set<string>();
  let runOpen = false;
  for (const [field, value] of recordsOf(text)) {
    const group = groups.at(-1);
    if (field === "user-agent") {
      if (runOpen) addAgent(group, value);
      else groups.push(newGroup(value));
      runOpen = true;
    } else if (field === "allow" || field === "disallow") {
      group?.rules.push(...rulesOf(field, value));
      runOpen = false;
    } else if (field === "crawl-delay") {
      addDelay(group, value);
    } else if (field === "sitemap") {
      addSitemap(sitemaps, value, base);
    }
  }
  return { groups, sitemaps: [...sitemaps] };
}

/** Fields and their values; other lines are none. Trimming takes a byte order mark, too. */
function* recordsOf(text: string): Generator<readonly [string, string]> {
  for (const line of readablePart(text).split(/\r\n|\r|\n/)) {
    const commentStart = line.indexOf("#");
    const record = commentStart === -1 ? line : line.slice(0, commentStart);
    const colon = record.indexOf(":");
    if (colon !== -1) {
      yield [fieldOf(record.slice(0, colon)), record.slice(colon + 1).trim()];
    } else {
      const [name = "", value, third] = record.trim().split(/[\t ]+/, 3);
      // Of two words alone it is plain that a colon was forgotten (robots.cc, `GetKeyAndValueFrom`).
      if (value !== undefined && third === undefined) yield [fieldOf(name), value];
    }
  }
}

/** The field that is meant, in lower case. */
function fieldOf(written: string): string {
  const name = written.trim().toLowerCase();
  return spellings.find(([, spelling]) => spelling.test(name))?.[0] ?? name;
}

function readablePart(text: string): string {
  if (text.length <= robotsCharactersMax) return text;
  return wholeLines(text.slice(0, robotsCharactersMax + 1));
}

/** The beginning of a text that was cut, up to its last line's end: half of `Disallow: /shop` would close the whole site. */
export function wholeLines(text: string): string {
  const lastEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
  return text.slice(0, lastEnd + 1);
}

function newGroup(agent: string): OpenGroup {
  const group: OpenGroup = { agents: new Set(), rules: [] };
  addAgent(group, agent);
  return group;
}

function addAgent(group: OpenGroup | undefined, value: string): void {
  const agent = /^\*(?:\s|$)/.test(value) ? "*" : productTokenOf(value);
  if (agent !== undefined) group?.agents.add(agent);
}

/** Who allows a folder's index file allows the folder's own URL with it (robots.cc, `HandleAllow`). */
function rulesOf(field: "allow" | "disallow", value: string): readonly RobotsRule[] {
  if (value === "") return [];
  const folder = field === "allow" ? indexFile.exec(value)?.[1] : undefined;
  const rule = ruleOf(field, value);
  return folder === undefined ? [rule] : [rule, ruleOf(field, `${folder}$`)];
}

function ruleOf(field: "allow" | "disallow", value: string): RobotsRule {
  return { allow: field === "allow", pattern: normalizePattern(value) };
}

/** The longest of several delays wins: it is never wrong to be slower. */
function addDelay(group: OpenGroup | undefined, value: string): void {
  if (group === undefined || !decimal.test(value)) return;
  group.crawlDelaySeconds = Math.max(group.crawlDelaySeconds ?? 0, Number(value));
}

function addSitemap(sitemaps: Set<string>, value: string, base: string | undefined): void {
  const url = value === "" ? undefined : canonicalizeUrl(value, base);
  if (url !== undefined && sitemaps.size < sitemapsMax) sitemaps.add(url);
}
