import { describe, expect, it } from "vitest";
import { canonicalizeUrl } from "../../src/core/url/canonicalize-url.ts";
import { conformanceCases } from "./conformance-data.ts";

interface UrlCase {
  readonly input: string;
  readonly base?: string;
  readonly expected: string | null;
  readonly kind: string;
  readonly tier: string;
  readonly source: string;
}

const cases = conformanceCases("urls.json", (value) => value as UrlCase);

function title({ input, base, source }: UrlCase): string {
  return `${JSON.stringify(input)} against ${base ?? "nothing"} (${source})`;
}

/** The canonical form without its last steps, those of RFC 3986, 6.2.2: as the WHATWG standard has it. */
function resolved(input: string, base?: string): string | undefined {
  const url = URL.parse(input, base);
  if (url === null) return undefined;
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href;
}

describe("URL conformance", () => {
  if (cases === undefined) {
    it("is not tested here: ../shared/conformance/urls.json is absent", () => {
      expect(cases).toBeUndefined();
    });
    return;
  }

  const must = cases.filter(({ tier }) => tier === "must");

  it("has all the cases of the suites", () => {
    expect(cases.length).toBeGreaterThanOrEqual(1_434);
  });

  it.each(
    must.filter(({ kind }) => kind === "resolve" || kind === "idn").map((c) => [title(c), c]),
  )("resolves %s", (_, { input, base, expected }) => {
    const canonical = canonicalizeUrl(input, base);
    expect(canonical).toBeDefined();
    expect(canonical).toBe(canonicalizeUrl(expected ?? ""));
    expect(resolved(input, base)).toBe(resolved(expected ?? ""));
  });

  it.each(must.filter(({ kind }) => kind === "same").map((c) => [title(c), c]))(
    "takes for the same %s",
    (_, { input, expected }) => {
      expect(canonicalizeUrl(input)).toBeDefined();
      expect(canonicalizeUrl(input)).toBe(canonicalizeUrl(expected ?? ""));
    },
  );

  it.each(must.filter(({ kind }) => kind === "different").map((c) => [title(c), c]))(
    "takes for different %s",
    (_, { input, expected }) => {
      expect(canonicalizeUrl(input)).toBeDefined();
      expect(canonicalizeUrl(input)).not.toBe(canonicalizeUrl(expected ?? ""));
    },
  );

  it.each(cases.filter(({ tier }) => tier !== "must").map((c) => [title(c), c]))(
    "finds nothing to crawl in %s",
    (_, { input, base }) => {
      expect(canonicalizeUrl(input, base)).toBeUndefined();
    },
  );
});
