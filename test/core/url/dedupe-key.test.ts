import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";

const site = "https://example.com";

describe("dedupeKey", () => {
  it.each([
    ["/x?b=2&a=1", "/x?a=1&b=2"],
    ["/x?a=2&a=1&A=0", "/x?A=0&a=2&a=1"],
    ["/x?", "/x"],
    ["/x?&&", "/x"],
    ["/x?a=&b", "/x?a=&b"],
    ["/x?utm_source=news&id=7&UTM_Medium=mail", "/x?id=7"],
    ["/x?fbclid=abc&gclid=1&msclkid=2", "/x"],
    ["/x?fbclid&gclid=YQ==&a", "/x?a"],
    ["/x?mtm_medium=a&pk_campaign=b&pk_kwd=c", "/x"],
    ["/x?PHPSESSID=0123456789abcdef", "/x"],
    ["/x?CFID=1&CFTOKEN=2&ASPSESSIONIDQQ=3", "/x"],
    ["/x?sid=7f3a90bc12de", "/x"],
    ["/x?sessionid=7F3A90BC12DE&session_id=k3j9x0q2m7w1z8v5&sess_id=0a1b2c3d", "/x"],
    ["/x;jsessionid=0A1B.node2?p=1", "/x?p=1"],
    ["/x;jsessionid=1;v=2", "/x;v=2"],
    ["/a;JSESSIONID=1/b;v=2;jsessionid=3", "/a/b;v=2"],
  ])("takes %s for %s", (path, expected) => {
    expect(dedupeKey(site + path)).toBe(site + expected);
  });

  it.each([
    "/x",
    "/x;v=1",
    "/x?sid=20260101",
    "/x?sid=a-story",
    "/x?sid=thestoryofacrawler",
    "/x?sessionid=12",
    "/x?session_id=1234567",
    "/x?session_id=20260101120000000",
    "/x?sess_id=keynote2",
    "/x?sid=part-7f3a90bc12de",
    "/x?sid=7f3a90bc12de.html",
    "/x?a=1?utm_source=2",
    "/x?page=2",
    "/x?ref=a&sort=b",
  ])("keeps %s, which may be another page", (path) => {
    expect(dedupeKey(site + path)).toBe(site + path);
  });

  it.each([
    ["a session", "phpsessid jsessionid cfid cftoken oscsid zenid xtc_sid"],
    ["Google", "gclid gclsrc dclid gbraid wbraid srsltid _ga _gl"],
    ["networks", "fbclid igshid igsh msclkid yclid ysclid twclid ttclid li_fat_id"],
    ["mailers", "mc_cid mc_eid _hsenc _hsmi hsctatracking mkt_tok vero_id oly_enc_id oly_anon_id"],
  ])("has no parameter of %s, on whatever site", (_, names) => {
    for (const noise of names.split(" "))
      expect(dedupeKey(`${site}/x?${noise}=1`)).toBe(`${site}/x`);
  });

  it.each(["http://a.example;jsessionid=1/x", "https://b;jsessionid=1.example/;v=1?p=1"])(
    "keeps the host of %s, which is another one than that without its parameter",
    (url) => {
      expect(dedupeKey(url)).toBe(url);
    },
  );

  it("is the URL itself where queries are not to be normalised", () => {
    const url = `${site}/x;jsessionid=1?b=2&a=1&utm_source=x&`;
    expect(dedupeKey(url, { normalizeQuery: false })).toBe(url);
  });

  const name = fc.constantFrom("a", "b", "c", "sid", "utm_x", "gclid", "A", "%41", "");
  const value = fc.constantFrom("=", "=1", "=2", "", "=0123456789abcdef", "=x=y");
  const parameter = fc.tuple(name, value);

  it("does not depend on the order of parameters of different names", () => {
    const parameters = fc.uniqueArray(parameter, { selector: ([key]) => key, maxLength: 9 });
    const shuffled = parameters.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([left, right]) => {
        const key = (list: typeof left) =>
          dedupeKey(`${site}/x?${list.map((pair) => pair.join("")).join("&")}`);
        expect(key(left)).toBe(key(right));
      }),
    );
  });

  it("is its own key", () => {
    const query = fc.array(parameter).map((list) => list.map((pair) => pair.join("")).join("&"));
    const path = fc.constantFrom("/", "/x;jsessionid=1", "/a;jsess;jsessionid=2ionid=3/b", "/;;");
    fc.assert(
      fc.property(path, query, (start, rest) => {
        const key = dedupeKey(`${site}${start}?${rest}`);
        expect(dedupeKey(key)).toBe(key);
      }),
    );
  });
});
