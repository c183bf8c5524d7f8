import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { swarmPages } from "../../../node/dashboard/swarm-pages.ts";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport, otherMember } from "../../support/fake-peer-control.ts";

let control: FakePeerControl;
let api: HttpApi;

beforeEach(async () => {
  control = new FakePeerControl();
  api = fakePeerApi(control, { pages: swarmPages });
  await api.start();
});

afterEach(() => api.stop());

async function page(path = "/"): Promise<string> {
  const response = await fetch(api.url + path);
  expect(response.status).toBe(200);
  return response.text();
}

/** The rows of the page's tables, without their markup. */
function rowsOf(html: string): string[] {
  return [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = ""]) =>
    row
      .replace(/<[^>]*>/g, " ")
      .replace(/ +/g, " ")
      .trim(),
  );
}

describe("the pages of a peer", () => {
  it("show the swarm, its jobs and its members, and who is silent", async () => {
    control.reports.set("docs", jobReport("docs", { pages: 1_234, queued: 5 }));
    control.others.push(otherMember("peer-1", { queued: 7 }), otherMember("peer-2"));
    const html = await page();
    expect(html).toContain("<dt>pages/s</dt><dd>15</dd>");
    expect(html).toContain("<dt>members</dt><dd>3</dd>");
    expect(html).toContain(`<a href="/job?id=docs">docs</a>`);
    expect(html).toContain("peer-2: no answer, and not in the sums above");
    expect(rowsOf(html)).toEqual([
      "JOB STATE PAGES FETCHED FAILED SKIPPED QUEUED RECEIVED TIME",
      "docs running 2,468 0 0 0 10 0 B 0.0 s",
      "MEMBER ADDRESS STATE SHARE QUEUED PAGES/S LAG VERSION",
      "peer-0 * - active 100.0% 5 13 0 ms 1.2.3",
      "peer-1 192.0.2.7:7781 active 25.0% 7 2.0 1,235 ms 1.2.4",
      "peer-2 192.0.2.7:7781 suspect 25.0% - - - 1.2.4",
    ]);
  });

  it("say how a job is made where there is none", async () => {
    expect(await page()).toContain("<code>peer inject URL</code>");
  });

  it("take nothing that a member says for markup", async () => {
    const { member } = otherMember("<b>&");
    control.others.push({ member: { ...member, version: `"><script>alert(1)</script>` } });
    const html = await page();
    expect(html).toContain("&lt;b&gt;&amp;");
    expect(html).toContain("&quot;&gt;&lt;script&gt;");
    expect(html).not.toMatch(/<script|<b>/);
  });

  it("allow their own style alone", async () => {
    const response = await fetch(api.url);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const [, style = ""] = /<style>(.*)<\/style>/s.exec(await response.text()) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}';`);
    expect(policy).not.toContain("unsafe");
  });

  it("show a job in full", async () => {
    control.reports.set("docs", jobReport("docs", { pages: 3, skipped: { robots: 2 } }));
    control.others.push(otherMember("peer-1", {}));
    const html = await page("/job?id=docs");
    expect(rowsOf(html)[1]).toBe("docs finished 6 0 0 4 0 0 B 0.0 s");
    expect(html).toContain("\nskipped   4 robots\nmember    peer-0, 0 fetched, 0 queued\n");
    expect(html).toContain(`href="/v1/urls?job=docs&amp;broken"`);
  });

  it("tell what is known of a URL, and ask for one", async () => {
    const url = "http://a.example/?q=<1>&r";
    const archive = { peer: "peer-1", file: "a.warc.gz", offset: 7, length: 2_048 };
    const known = { state: "done", attempts: 1, owner: "peer-1", archive } as const;
    control.statuses.set(url, { ...known, url, httpStatus: 404, title: "<i>Gone</i>" });
    const html = await page(`/url?url=${encodeURIComponent(url)}`);
    expect(html).toContain(`value="http://a.example/?q=&lt;1&gt;&amp;r"`);
    expect(html).toContain("  state     done, HTTP 404\n");
    expect(html).toContain("&lt;i&gt;Gone&lt;/i&gt;");
    expect(html).toContain(`href="/v1/content?url=${encodeURIComponent(url)}"`);
    expect(await page("/url?url=nothing")).toContain("unknown");
    expect(await page("/url")).toMatch(/<form .*<\/form>\n\n<footer>/s);
  });

  it.each([
    ["/job?id=%3Cb%3E", 404, "there is no job &lt;b&gt;"],
    ["/job", 400, "the query must have required property &#39;id&#39;"],
    ["/url?no", 400, "the query has an unknown &quot;no&quot; (known: url)"],
  ])("say in a page why they cannot show %s", async (path, status, problem) => {
    const response = await fetch(api.url + path);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toBe(swarmPages.policy);
    const html = await response.text();
    expect(html).toContain(`<p class="bad">${problem}`);
    expect(html).toContain(`<a href="/">The swarm</a>`);
  });

  it("say that the peer failed, of which its log has the reason", async () => {
    control.broken = new Error("secret");
    const response = await fetch(`${api.url}/url?url=http://a.example/`);
    expect(response.status).toBe(500);
    const html = await response.text();
    expect(html).toContain(
      `<p class="bad">the peer failed to serve this request; its log says why`,
    );
    expect(html).not.toContain("secret");
  });

  it("are not for other sites' pages", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await fetch(api.url, { headers })).status).toBe(403);
  });
});
