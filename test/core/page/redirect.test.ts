import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import { compileJobRules } from "../../../src/core/jobs/job-rules.ts";
import type { CanonicalUrl, JobId } from "../../../src/core/units.ts";
import { planRedirect } from "../../../src/core/page/redirect.ts";
import type { RedirectPlan } from "../../../src/core/page/redirect.ts";

const here = "http://site.example/here" as CanonicalUrl;

function plan(
  location: string | undefined,
  given: {
    readonly status?: number;
    readonly depth?: number;
    readonly chain?: readonly string[];
    readonly options?: Partial<JobOptions>;
  } = {},
): RedirectPlan {
  const options = { ...defaultJobOptions, ...given.options };
  const rules = compileJobRules({
    id: "j" as JobId,
    revision: 1,
    stateRevision: 1,
    state: "running",
    options,
  });
  return planRedirect(
    {
      exchange: {
        url: here,
        status: given.status ?? 301,
        headers: location === undefined ? [] : ["Location", location],
      },
      depth: given.depth ?? 1,
      redirectChain: given.chain ?? [],
    },
    rules,
    options,
  );
}

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])("of status %i leads to its Location, resolved", (status) => {
    expect(plan("../there?x=1#part", { status })).toEqual({
      kind: "admit",
      target: "http://site.example/there?x=1",
      chain: [here],
    });
  });

  it("leads to what the bytes of its Location say in UTF-8", () => {
    const location = Buffer.from("/café/中").toString("latin1");
    expect(plan(location)).toMatchObject({ target: "http://site.example/caf%C3%A9/%E4%B8%AD" });
  });

  it("leads to the bytes of its Location that are no UTF-8, escaped", () => {
    expect(plan("/caf\xe9")).toMatchObject({ target: "http://site.example/caf%E9" });
  });

  it.each([
    ["a status that is none", plan("/there", { status: 200 })],
    ["300, which leaves the choice to people", plan("/there", { status: 300 })],
    ["304, which has no Location to follow", plan("/there", { status: 304 })],
    ["no Location", plan(undefined)],
    ["a Location that is no http URL", plan("ftp://site.example/")],
  ])("is none with %s", (_, found) => {
    expect(found).toEqual({ kind: "none" });
  });

  it("to another spelling of the same page asks that page again there", () => {
    expect(plan("/here?utm_source=mail")).toMatchObject({
      kind: "respell",
      target: "http://site.example/here?utm_source=mail",
    });
  });

  it("to another spelling is another page when the job tells them apart", () => {
    const options = { normalizeQuery: false };
    expect(plan("/here?utm_source=mail", { options })).toMatchObject({ kind: "admit" });
  });

  it("back to a page of its chain, in another spelling, asks that page again there", () => {
    const chain = ["http://site.example/first", "http://site.example/first?fbclid=1"];
    const target = "http://site.example/first?utm_source=mail";
    expect(plan("/first?utm_source=mail", { chain })).toEqual({
      kind: "return",
      target,
      chain: [...chain, here],
      attempts: 2,
    });
    const options = { normalizeQuery: false };
    expect(plan(target, { chain, options })).toMatchObject({ kind: "admit" });
    const hops = Array.from({ length: 9 }, (_, hop) => `http://site.example/${hop}`);
    expect(plan(target, { chain: [...chain, ...hops] })).toMatchObject({
      reason: "redirect-limit",
    });
  });

  it("to itself, or back into its chain, is a loop", () => {
    expect(plan("/here")).toMatchObject({ kind: "end", reason: "redirect-loop" });
    const chain = ["http://site.example/first"];
    expect(plan("/first", { chain })).toMatchObject({ kind: "end", reason: "redirect-loop" });
  });

  it("is followed ten times in a row, and not eleven times", () => {
    const hops = Array.from({ length: 10 }, (_, hop) => `http://site.example/${hop}`);
    expect(plan("/next", { chain: hops.slice(0, 9) })).toMatchObject({ kind: "admit" });
    expect(plan("/next", { chain: hops })).toMatchObject({
      kind: "end",
      reason: "redirect-limit",
    });
  });

  it("of a seed may leave the scope, that of a link may not", () => {
    const options = { scope: "host" } as const;
    const away = "http://www.other.example/";
    expect(plan(away, { depth: 0, options })).toMatchObject({ kind: "admit" });
    expect(plan(away, { depth: 1, options })).toMatchObject({ kind: "end", reason: "scope" });
  });

  it("of a sitemap that may not be followed as a link leads to one, where the job follows them", () => {
    const out = { include: ["/pages/"], depthMax: 3 };
    const to = (location: string, options: Partial<JobOptions>) =>
      plan(location, { options: { ...out, ...options } });
    // This page itself is none that the job lets in.
    expect(to("/there.xml", { sitemaps: true })).toMatchObject({ kind: "admit" });
    expect(to("/there.xml", { sitemaps: false })).toMatchObject({ reason: "pattern" });
    const inside = { include: ["/here"], sitemaps: true };
    expect(to("/there.xml", inside)).toMatchObject({ reason: "pattern" });
    const away = { scope: "host", sitemaps: true } as const;
    expect(to("http://other.example/there.xml", away)).toMatchObject({ reason: "scope" });
  });

  it("does not count as a link: it stays at the depth of its page", () => {
    const options = { depthMax: 3 };
    expect(plan("/there", { depth: 3, options })).toMatchObject({ kind: "admit" });
  });
});
