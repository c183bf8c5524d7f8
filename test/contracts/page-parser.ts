import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackLinks } from "../../src/core/page/packed-links.ts";
import type { CanonicalUrl } from "../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../src/core/url/site-of.ts";
import type { PageParser } from "../../src/ports/page-parser.ts";
import { jobWith, parseRequest } from "../support/parse-requests.ts";

/** A job whose rules cannot even be compiled: whoever parses one of its pages breaks. */
const breakingJob = jobWith({ include: ["("] }, "breaking");

/** A job with a pattern that backtracks for longer than anyone waits on the seed below. */
const endlessJob = jobWith({ exclude: ["(a+)+$"] }, "endless");
const endlessSeed = `http://e.org/${"a".repeat(200)}!` as CanonicalUrl;

const seeds = ["a", "x", "b"].map((name) => `http://e.org/${name}` as CanonicalUrl);

/** What every page parser must do, whatever runs it. */
export function pageParserContract(name: string, create: () => PageParser): void {
  describe(`${name} as a page parser`, () => {
    /** One for all the tests, since a real one takes a while to start; none leaves anything in it. */
    const parser = create();
    beforeAll(() => parser.start());
    afterAll(() => parser.stop());

    const linksOf = async (...given: Parameters<typeof parseRequest>): Promise<string[]> =>
      unpackLinks((await parser.parse(parseRequest(...given))).links);

    it("says what a page says", async () => {
      const html = `<title>T</title><link rel=canonical href=c><meta name=robots content=noindex>
        <meta http-equiv=refresh content="3;url=r"><a href=x><a href=y rel=nofollow>`;
      const page = await parser.parse(parseRequest({ html }));
      expect(page).toMatchObject({
        html: true,
        title: "T",
        charset: "utf-8",
        noindex: true,
      });
      expect(unpackLinks(page.links)).toEqual(["r", "c", "x"].map((x) => `http://e.org/dir/${x}`));
      expect(page.excluded.map(({ reason, links }) => [reason, unpackLinks(links)])).toEqual([
        ["nofollow", ["http://e.org/dir/y"]],
      ]);
    });

    it("encodes the exchange as two gzip members around the body as received", async () => {
      const encoded = new Uint8Array(gzipSync("<a href=x>"));
      const headers = ["Content-Type", "text/html", "Content-Encoding", "gzip"];
      const page = await parser.parse(parseRequest({ html: "<a href=x>", encoded, headers }));
      const { bytes, responseLength, index } = page.capture;
      const response = gunzipSync(bytes.subarray(0, responseLength));
      const request = gunzipSync(bytes.subarray(responseLength));
      expect(response.toString("latin1")).toContain("WARC-Type: response");
      expect(response.includes(Buffer.from(encoded))).toBe(true);
      expect(request.toString("latin1")).toContain(`WARC-Concurrent-To: ${index.recordId}`);
      expect(index).toMatchObject({ url: "http://e.org/dir/", status: 200, mime: "text/html" });
      expect(index.payloadDigest).toBe(parser.payloadDigest(encoded));
    });

    it("reads a sitemap that is a gzip file, a cut one as far as it goes", async () => {
      const entries = Array.from(
        { length: 2_000 },
        (_, at) => `<url><loc>http://e.org/${at}</loc>`,
      );
      const file = gzipSync(`<urlset>${entries.join("</url>")}</url></urlset>`);
      const request = parseRequest({
        headers: ["Content-Type", "application/x-gzip"],
        job: jobWith({ sitemaps: true }, "sitemaps"),
      });
      const countOf = async (body: Uint8Array): Promise<number> =>
        (await parser.parse({ ...request, body: new Uint8Array(body) })).links.ends.length;
      expect(await countOf(file)).toBe(2_000);
      const ofCut = await countOf(file.subarray(0, file.length / 2));
      expect(ofCut).toBeGreaterThan(0);
      expect(ofCut).toBeLessThan(2_000);
      expect(await countOf(Uint8Array.of(0x1f, 0x8b, 8, 0, 1, 2, 3))).toBe(0);
    });

    it("follows the sitemaps of the page's host", async () => {
      const sitemaps = ["http://e.org/s.xml"];
      expect(await linksOf({ html: "<a href=x>", sitemaps })).toEqual([
        "http://e.org/dir/x",
        "http://e.org/s.xml",
      ]);
    });

    it("encodes what is in the archive already as a revisit, and still finds its links", async () => {
      const revisitOf = {
        url: "http://e.org/first",
        fetchedAtMs: 1_772_366_400_000,
        reason: "identical-payload-digest",
        payloadDigest: `sha1:${"A".repeat(32)}`,
      } as const;
      const page = await parser.parse({ ...parseRequest(), revisitOf });
      const { bytes, responseLength, index } = page.capture;
      const revisit = gunzipSync(bytes.subarray(0, responseLength)).toString("latin1");
      expect(revisit).toContain("WARC-Type: revisit");
      expect(revisit).toContain("WARC-Refers-To-Target-URI: http://e.org/first");
      expect(revisit).not.toContain("<title>");
      expect(index.mime).toBe("warc/revisit");
      expect(page.links.ends).toHaveLength(1);
    });

    it("names a payload by its SHA-1 in base32", () => {
      const payload = new TextEncoder().encode("any payload");
      const digest = createHash("sha1").update(payload).digest();
      expect(parser.payloadDigest(payload)).toBe(`sha1:${base32(digest)}`);
    });

    it("gives every record an id of its own", async () => {
      const pages = await Promise.all([1, 2, 3].map(() => parser.parse(parseRequest())));
      expect(new Set(pages.map(({ capture }) => capture.index.recordId)).size).toBe(3);
    });

    it("archives what is no HTML without looking into it", async () => {
      const page = await parser.parse(
        parseRequest({ html: "<a href=x>", headers: ["Content-Type", "text/plain"] }),
      );
      expect(page).toMatchObject({ html: false, excluded: [] });
      expect(unpackLinks(page.links)).toEqual([]);
      expect(page.capture.index.mime).toBe("text/plain");
    });

    it("archives a page whose links do not count, and finds none", async () => {
      const page = await parser.parse(parseRequest({ follow: false }));
      expect(unpackLinks(page.links)).toEqual([]);
      expect(page.title).toBeUndefined();
      expect(page.capture.index.recordId).toMatch(/^<urn:uuid:.{36}>$/);
    });

    it("leaves the request as it was", async () => {
      const request = parseRequest();
      await parser.parse(request);
      expect(request).toEqual(parseRequest());
    });

    it("reads a body that is a part of a larger buffer", async () => {
      const request = parseRequest();
      const large = new Uint8Array(1_000).fill(0x3c);
      large.set(request.body, 500);
      const body = large.subarray(500, 500 + request.body.length);
      const page = await parser.parse({ ...request, body });
      expect(page.title).toBe("T");
      expect(unpackLinks(page.links)).toEqual(["http://e.org/dir/x"]);
    });

    it("judges each page by the rules of its own job and revision", async () => {
      const html = "<a href=a><a href=b>";
      const results = await Promise.all([
        linksOf({ html, job: jobWith({ exclude: ["a$"] }, "one", 1) }),
        linksOf({ html, job: jobWith({ exclude: ["b$"] }, "two", 1) }),
        linksOf({ html, job: jobWith({ exclude: ["b$"] }, "one", 2) }),
        linksOf({ html, job: jobWith({ exclude: ["a$"] }, "one", 1) }),
        linksOf({ html, job: jobWith({ depthMax: 1 }, "three", 1), depth: 1 }),
      ]);
      expect(results).toEqual([
        ["http://e.org/dir/b"],
        ["http://e.org/dir/a"],
        ["http://e.org/dir/a"],
        ["http://e.org/dir/b"],
        [],
      ]);
    });

    it("parses as many pages at once as it promises, of any number of jobs", async () => {
      for (let round = 0; round < 10; round++) {
        const numbers = Array.from({ length: parser.pendingMax }, (_, n) => round * 100 + n);
        const titles = await Promise.all(
          numbers.map(async (n) => {
            const html = `<title>${n}</title>`;
            return (await parser.parse(parseRequest({ html, job: jobWith({}, `job${n}`) }))).title;
          }),
        );
        expect(titles).toEqual(numbers.map(String));
      }
    });

    it("rejects a page that breaks it, and that page alone", async () => {
      const outcomes = await Promise.allSettled([
        linksOf(),
        linksOf({ job: breakingJob }),
        linksOf(),
        linksOf({ job: breakingJob }),
        linksOf(),
      ]);
      const said = outcomes.map((outcome) =>
        outcome.status === "fulfilled" ? outcome.value : (outcome.reason as { code: string }).code,
      );
      const links = ["http://e.org/dir/x"];
      expect(said).toEqual([links, "PARSER_CRASHED", links, "PARSER_CRASHED", links]);
      expect(await linksOf()).toEqual(links);
    });

    it("says why each seed is not to be crawled, in their order", async () => {
      const job = jobWith({ exclude: ["x$"], include: ["never"], urlBytesMax: 16 });
      const long = `http://e.org/${"a".repeat(16)}` as CanonicalUrl;
      const reasons = await parser.judgeUrls({ job, urls: [...seeds, long] });
      expect(reasons).toEqual([undefined, "pattern", undefined, "url-length"]);
      expect(await parser.judgeUrls({ job, urls: [] })).toEqual([]);
    });

    it("says why each sitemap of a page's host is not to be crawled, in their order", async () => {
      const job = jobWith({ scope: "host", exclude: ["x$"], include: ["never"], depthMax: 1 });
      const other = "http://other.example/s" as CanonicalUrl;
      const from = { host: hostOf(other), site: siteOfHost(hostOf(other)), depth: 0 };
      const urls = [other, `${other}x` as CanonicalUrl, ...seeds.slice(0, 1)];
      const reasons = await parser.judgeUrls({ job, urls, from });
      expect(reasons).toEqual([undefined, "pattern", "scope"]);
      const deep = { ...from, depth: 1 };
      expect(await parser.judgeUrls({ job, urls: [other], from: deep })).toEqual(["depth"]);
    });

    it("judges seeds beside as many pages as it promises", async () => {
      const job = jobWith({ exclude: ["x$"] });
      const pages = Array.from({ length: parser.pendingMax }, () => linksOf({ job }));
      expect(await parser.judgeUrls({ job, urls: seeds })).toEqual([
        undefined,
        "pattern",
        undefined,
      ]);
      expect(await Promise.all(pages)).toEqual(pages.map(() => []));
    });

    it.each([
      ["a pattern never ends", endlessJob],
      ["a pattern breaks it", breakingJob],
    ])("rejects seeds on which %s, and these alone", async (_what, job) => {
      const pages = Array.from({ length: 4 }, () => linksOf());
      const broken = parser.judgeUrls({ job, urls: [...seeds, endlessSeed] });
      const behind = Array.from({ length: 4 }, () => linksOf());
      const fault = { code: "PARSER_CRASHED", details: { job: job.id } };
      await expect(broken).rejects.toMatchObject(fault);
      const links = await Promise.all([...pages, ...behind]);
      expect(links).toEqual(links.map(() => ["http://e.org/dir/x"]));
      expect(await parser.judgeUrls({ job: jobWith({}), urls: [endlessSeed] })).toEqual([
        undefined,
      ]);
    });

    it("rejects what is under way or comes later when it is stopped, and can start again", async () => {
      const crashed = expect.objectContaining({ code: "PARSER_CRASHED", details: {} }) as Error;
      const ask = (): Promise<unknown> =>
        Promise.all(
          [parser.parse(parseRequest()), parser.judgeUrls({ job: endlessJob, urls: seeds })].map(
            (asked) => expect(asked).rejects.toEqual(crashed),
          ),
        );
      const underWay = ask();
      await parser.stop();
      await parser.stop();
      await underWay;
      await ask();
      await parser.start();
      await parser.start();
      expect(await linksOf()).toEqual(["http://e.org/dir/x"]);
    });
  });
}

/** RFC 4648, section 6, for 160 bits: written again here, so that the code is not its own measure. */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{5}/g, (five) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".charAt(parseInt(five, 2)),
  );
}
