import { describe, expect, test } from "vitest";
import fc from "fast-check";
import {
  cdxjLine,
  cdxjTimeMs,
  parseCdxjPlace,
  surtKey,
  timestamp14,
} from "../../../src/core/archive/cdxj.ts";
import { isPlainUrl } from "../../../src/core/url/canonicalize-url.ts";

const index = {
  url: "http://www.example.com/a",
  fetchedAtMs: Date.UTC(2026, 2, 1, 12, 30, 0, 999),
  status: 404,
  mime: "text/html",
  payloadDigest: "sha1:FKXGYNOJJ7H3IFO35FPUBC445EPOQRXN",
  recordId: "<urn:uuid:00000000-0000-4000-8000-000000000001>",
};
const place = { file: "orbweaver-20260301123000-peer-00001.warc.gz", offset: 512, length: 99 };

/** As long as session ids are. */
const id = "0123456789abcdefghijklemopqrstuv";

describe("surtKey", () => {
  test.each([
    ["http://archive.org/", "org,archive)/"],
    ["https://archive.org/", "org,archive)/"],
    ["http://archive.org/goo/", "org,archive)/goo"],
    ["http://archive.org/goo/?", "org,archive)/goo"],
    ["http://archive.org/goo/?b&a", "org,archive)/goo?a&b"],
    ["http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"],
    ["http://www.archive.org/Goo?Q=X", "org,archive)/goo?q=x"],
    ["http://www2.archive.org/", "org,archive)/"],
    ["http://wwwarchive.org/", "org,wwwarchive)/"],
    ["http://archive.org:80/", "org,archive)/"],
    ["http://archive.org:8080/", "org,archive:8080)/"],
    ["http://archive.org/?id=1&id2=2&id", "org,archive)/?id&id=1&id2=2"],
    ["http://archive.org/?to=http%3A%2F%2Fa.example%2F", "org,archive)/?to=http://a.example/"],
    ["http://archive.org//a//b%2Fc/", "org,archive)/a/b/c"],
    ["http://archive.org/a/%252e%252e/b/%252e/c", "org,archive)/b/c"],
    ["http://archive.org/%252e%252e/a", "org,archive)/../a"],
    ["http://archive.org/%257Ea%2521b%2540c%2523d", "org,archive)/~a!b@c%23d"],
    ["http://archive.org/%C3%A9%20%25", "org,archive)/%c3%a9%20%25"],
    ["http://user:secret@archive.org/#top", "org,archive)/"],
    ["http://192.0.2.1/", "1,2,0,192)/"],
    ["http://[2001:db8::1]/", "[2001:db8::1])/"],
    ["dns:b\u00fccher.example", "dns:b%c3%bccher.example"],
    [
      `http://archive.org/a?PHPSESSID=${id}&action=profile;u=1`,
      "org,archive)/a?action=profile;u=1",
    ],
    [`http://archive.org/a?jsessionid=${id}`, "org,archive)/a"],
    [`http://archive.org/a?jsessionid=${id}0`, `org,archive)/a?jsessionid=${id}0`],
    [`http://archive.org/a?SID=${id}&jsessionid=${id}`, "org,archive)/a"],
    [`http://archive.org/a?b=1&sid=${id}`, "org,archive)/a?&b=1"],
    ["http://archive.org/?CFID=12&CFTOKEN=2D89-3048&r=4", "org,archive)/?r=4"],
    ["http://archive.org/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y", "org,archive)/?x=y"],
    ["http://archive.org/(S(4hqa0555fwsecu455xqckv45))/a.aspx", "org,archive)/a.aspx"],
    ["http://archive.org/b/(4hqa0555fwsecu455xqckv45)/a.aspx?c", "org,archive)/b/a.aspx?c"],
    [
      "http://archive.org/(4hqa0555fwsecu455xqckv45)/a",
      "org,archive)/(4hqa0555fwsecu455xqckv45)/a",
    ],
  ])("writes %s as %s", (url, key) => {
    expect(surtKey(url)).toBe(key);
  });

  test("is the same of a plain URL as of one that has to be parsed", () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9_~][\w.~-]{0,6}$/);
    const host = fc.constantFrom(
      "a.example",
      "www.a.example",
      "www7.b-c.example",
      "www",
      "10.0.2.1",
    );
    const parts = fc.record({
      scheme: fc.constantFrom("http://", "https://"),
      host,
      port: fc.constantFrom("", ":8080", ":1", ":59999"),
      path: fc.array(word, { maxLength: 3 }).map((words) => words.join("/")),
      end: fc.constantFrom("", "/"),
      query: fc.option(fc.stringMatching(/^[\w.~=&;+-]{0,12}$/), { nil: undefined }),
    });
    fc.assert(
      fc.property(parts, ({ scheme, host: name, port, path, end, query }) => {
        const rest = `/${path}${path === "" ? "" : end}${query === undefined ? "" : `?${query}`}`;
        const url = `${scheme}${name}${port}${rest}`;
        expect(isPlainUrl(url)).toBe(true);
        expect(surtKey(url)).toBe(surtKey(`${scheme}user@${name}${port}${rest}`));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("timestamp14", () => {
  test("is the second in UTC", () => {
    expect(timestamp14(index.fetchedAtMs)).toBe("20260301123000");
  });
});

describe("cdxjLine", () => {
  test("has key, time and the fields that replay needs", () => {
    expect(cdxjLine(index, place)).toBe(
      "com,example)/a 20260301123000 " +
        '{"url":"http://www.example.com/a","mime":"text/html","status":"404",' +
        '"digest":"FKXGYNOJJ7H3IFO35FPUBC445EPOQRXN","length":"99","offset":"512",' +
        '"filename":"orbweaver-20260301123000-peer-00001.warc.gz"}\n',
    );
  });

  test("is one line of ASCII whatever the URL holds, and can be taken apart again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(), fc.nat(), (url, offset, length) => {
        const line = cdxjLine({ ...index, url }, { ...place, offset, length });
        expect(line).toMatch(/^[\x20-\x7e]+\n$/);
        expect(JSON.parse(line.slice(line.indexOf(' {"') + 1))).toMatchObject({ url });
        if (url !== "") {
          expect(parseCdxjPlace(line)).toEqual({ ...place, offset, length });
          expect(cdxjTimeMs(line)).toBe(Math.floor(index.fetchedAtMs / 1_000) * 1_000);
        }
      }),
    );
  });
});

describe("parseCdxjPlace", () => {
  const line = cdxjLine(index, place);

  test("is not misled by braces in a query", () => {
    const odd = cdxjLine({ ...index, url: "http://example.com/?a={1}" }, place);
    expect(parseCdxjPlace(odd)).toEqual(place);
  });

  test.each([
    ["a line cut short", line.slice(0, -20)],
    ["nothing", "\n"],
    ["zeros", "\0".repeat(64)],
    ["zeros before a good line", "\0".repeat(8) + line],
    ["a list", line.replace(/\{.*\}/, "[]")],
    ["null", line.replace(/\{.*\}/, "null")],
    ["a number for the offset", line.replace('"512"', "512")],
    ["a negative offset", line.replace('"512"', '"-512"')],
    ["no time", line.replace("20260301123000 ", "")],
  ])("refuses %s", (_, text) => {
    expect(parseCdxjPlace(text)).toBeUndefined();
  });
});
