import { createHash } from "node:crypto";

import { describe, expect, test } from "vitest";

import {
  defaultSampleWebOptions,
  pageKinds,
  plainSampleWebOptions,
  sampleWebProblems,
  type SampleWebOptions,
} from "../../../sim/sample-web/sample-web-options.ts";
import { sampleWebOptionsFrom } from "../../../sim/sample-web/sample-web-arguments.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";

const port = 8080;

function webWith(options: Partial<SampleWebOptions>): SampleWeb {
  return new SampleWeb({ ...plainSampleWebOptions, ...options }, port);
}

function ids(web: SampleWeb): number[] {
  return Array.from({ length: web.layout.pageCount }, (_, id) => id);
}

/** One digest over everything that the web would send. */
function digest(web: SampleWeb, order: readonly number[]): string {
  const parts = order.map((id) => {
    const page = web.page(web.urlOf(id));
    const hash = createHash("sha256").update(JSON.stringify({ ...page, body: "" }));
    return `${id} ${hash.update(page.body).digest("hex")}`;
  });
  return createHash("sha256").update(parts.sort().join("\n")).digest("hex");
}

function textOf(web: SampleWeb, id: number): string {
  return Buffer.from(web.page(web.urlOf(id)).body).toString("latin1");
}

describe("pages as a function of seed and URL", () => {
  test("two webs with equal options send equal bytes, in whatever order they are asked", () => {
    const first = new SampleWeb(defaultSampleWebOptions, port);
    const second = new SampleWeb(defaultSampleWebOptions, port);
    expect(digest(second, ids(second).reverse())).toBe(digest(first, ids(first)));
  });

  test("another seed makes another web", () => {
    const first = webWith({ totalPages: 100 });
    const second = webWith({ totalPages: 100, seed: 2 });
    expect(digest(second, ids(second))).not.toBe(digest(first, ids(first)));
  });

  test("every URL leads back to its page, and no two pages share one", () => {
    const web = new SampleWeb(defaultSampleWebOptions, port);
    const urls = new Set<string>();
    for (const id of ids(web)) {
      const url = web.urlOf(id);
      const { hostname, pathname, search, href } = new URL(url);
      expect(href).toBe(url);
      expect(web.locate(hostname, pathname + search)).toMatchObject({ kind: "page", id });
      urls.add(url);
    }
    expect(urls.size).toBe(web.layout.pageCount);
  });

  test("a page is on one host of its site only", () => {
    const web = webWith({});
    for (const id of ids(web).slice(0, 50)) {
      const { hostname, pathname, search } = new URL(web.urlOf(id));
      const other = hostname.replace(/^\w+/, hostname.startsWith("www") ? "docs" : "www");
      expect(web.locate(other, pathname + search)).toEqual({ kind: "nothing" });
    }
  });

  test("a session id or a tracking parameter does not make another page", () => {
    const web = webWith({});
    const host = "www.site-0000.example";
    const plain = web.locate(host, "/");
    expect(web.locate(host, "/?PHPSESSID=1f")).toEqual(plain);
    expect(web.locate(host, "/?utm_source=s3")).toEqual(plain);
    expect(web.locate(host, "/?id=3")).toEqual({ kind: "nothing" });
  });

  test.each(["/guide/99999999.html", "/guide/", "/robots.txt/", "/%", "/12.html", "//"])(
    "%s is not in the web, and answered with 404",
    (path) => {
      const web = webWith({});
      expect(web.locate("www.site-0000.example", path)).toEqual({ kind: "nothing" });
      expect(web.page(`http://www.site-0000.example${path}`).status).toBe(404);
    },
  );

  test.each(["www.site-0020.example", "www.site-00001.example", "h1.site-0001.example", "x.test"])(
    "%s is not a host of the web",
    (host) => expect(webWith({}).names.findHost(host)).toBeUndefined(),
  );
});

describe("sites", () => {
  test("have together exactly the pages asked for, and by Zipf's law the first has most", () => {
    const web = webWith({ sites: 100, totalPages: 10_000, pagesExponent: 1 });
    const counts = Array.from({ length: 100 }, (_, site) => web.layout.pagesOf(site));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(10_000);
    // The weights 1/1 to 1/100 add up to 5.187.
    expect(counts[0]).toBeCloseTo(1 + 9_900 / 5.187, -1);
    expect(counts[9]).toBeCloseTo(1 + 9_900 / 51.87, -1);
    expect(Math.min(...counts)).toBeGreaterThan(1);
  });

  test("are equal when the exponent is 0", () => {
    const web = webWith({ sites: 7, totalPages: 700, pagesExponent: 0 });
    for (let site = 0; site < 7; site += 1) expect(web.layout.pagesOf(site)).toBe(100);
  });

  test("are 127.x.y.z literals on request, each its own address", () => {
    const web = webWith({ naming: "addresses", sites: 600, totalPages: 600, hostsPerSite: 1 });
    const addresses = web.names.addresses();
    expect(new Set(addresses).size).toBe(600);
    for (const [site, address] of addresses.entries()) {
      expect(address).toMatch(/^127\.\d+\.\d+\.[1-9]\d*$/);
      expect(web.names.findHost(address)).toEqual({ site, label: 0 });
      expect(web.rootUrl(site)).toBe(`http://${address}:${port}/`);
    }
  });

  test("have their addresses in another block on request", () => {
    const web = webWith({ naming: "addresses", addressBlock: 10, sites: 2, hostsPerSite: 1 });
    expect(web.names.addresses()).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(web.names.findHost("10.1.0.2")).toEqual({ site: 1, label: 0 });
    expect(web.names.findHost("127.1.0.2")).toBeUndefined();
    const problems = sampleWebProblems({ ...plainSampleWebOptions, addressBlock: 224 });
    expect(problems).toEqual(["addressBlock must be a whole number from 1 to 223, got 224"]);
  });

  test("share addresses as often as asked", () => {
    const web = webWith({ sites: 10, hostsPerSite: 3, hostsPerAddress: 4 });
    expect(web.names.hostCount).toBe(30);
    const perAddress = new Map<string, number>();
    for (let number = 0; number < 30; number += 1) {
      const address = web.names.addressOf({ site: Math.floor(number / 3), label: number % 3 });
      perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    }
    expect([...perAddress.keys()]).toEqual(web.names.addresses());
    expect([...perAddress.values()]).toEqual([4, 4, 4, 4, 4, 4, 4, 2]);
  });
});

describe("a web at the only loopback address", () => {
  test("has all hosts there", () => {
    const web = webWith({ addressing: "one", sites: 3, hostsPerSite: 2 });
    expect(web.names.addresses()).toEqual(["127.0.0.1"]);
    expect(web.names.addressOf({ site: 2, label: 1 })).toBe("127.0.0.1");
  });

  test("cannot have hosts that are named by addresses", () => {
    const options = { ...plainSampleWebOptions, hostsPerSite: 1, addressing: "one" } as const;
    expect(sampleWebProblems({ ...options, naming: "addresses" })).toEqual([
      "naming by addresses needs an address for each host",
    ]);
  });
});

describe("knobs", () => {
  test("give each kind of page its share", () => {
    const web = new SampleWeb({ ...defaultSampleWebOptions, sites: 500, totalPages: 50_000 }, port);
    const counts = new Map<string, number>();
    for (const id of ids(web)) {
      const kind = web.kindOf(id);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    for (const kind of pageKinds) {
      if (kind === "ordinary") continue;
      const wanted = defaultSampleWebOptions.shares[kind] * 50_000;
      expect(Math.abs((counts.get(kind) ?? 0) - wanted)).toBeLessThan(25 + wanted * 0.1);
    }
  });

  test.each([
    ["charsetShare", /^(?!.*charset="?utf-8)/s],
    ["compressedShare", /"coding"/],
    ["chunkedShare", /"chunked":true/],
    ["baseShare", /<base href/],
    ["refreshShare", /http-equiv="refresh"/],
  ] as const)("%s is the share of pages that have it", (knob, mark) => {
    const web = webWith({ [knob]: 0.3, totalPages: 3_000, sites: 3 });
    const marked = ids(web).filter((id) => {
      const page = web.page(web.urlOf(id));
      return mark.test(`${JSON.stringify({ ...page, body: "" })} ${textOf(web, id)}`);
    });
    expect(marked.length / 3_000).toBeCloseTo(0.3, 1);
  });

  test("charsets are declared where they are used, and decode without a fault", () => {
    const web = webWith({ charsetShare: 1, totalPages: 200, sites: 2 });
    const used = new Set<string>();
    for (const id of ids(web)) {
      const { headers, body } = web.page(web.urlOf(id));
      const text = Buffer.from(body).toString("latin1");
      const declared = /charset="?([\w-]+)/.exec(`${headers[0]?.[1] ?? ""} ${text}`)?.[1];
      const charset = declared ?? (text.startsWith("\u00ff\u00fe") ? "utf-16le" : "none");
      used.add(charset);
      const decoded = new TextDecoder(charset, { fatal: true }).decode(body);
      expect(decoded).toContain(
        charset === "shift_jis" ? "\u30a6\u30a7\u30d6\u691c\u7d22" : "caf\u00e9",
      );
    }
    expect([...used].sort()).toEqual(["shift_jis", "utf-16le", "windows-1252"]);
  });

  test("page sizes are exact when fixed", () => {
    const web = webWith({ bytesPerPage: 6_000, linksPerPage: 5 });
    for (const id of ids(web).slice(20, 200)) {
      expect(web.page(web.urlOf(id)).body.length).toBe(6_000);
    }
  });

  test("page sizes have the asked mean and a heavy tail under Pareto's law", () => {
    const web = webWith({
      totalPages: 5_000,
      sites: 5,
      linksPerPage: 2,
      bytesPerPage: 8_000,
      bytesExponent: 1.5,
      bytesMax: 400_000,
    });
    const sizes = ids(web).map((id) => web.page(web.urlOf(id)).body.length);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    const above = sizes.filter((size) => size > 10 * 2_667).length / sizes.length;
    expect(mean).toBeGreaterThan(6_000);
    expect(mean).toBeLessThan(10_000);
    // P(size > 10 * smallest) = 10 ** -1.5, and never beyond the bound.
    expect(above).toBeCloseTo(10 ** -1.5, 2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(400_000);
    expect(Math.max(...sizes)).toBeGreaterThan(100_000);
  });

  test("a branching of 1 is a chain, more is flat", () => {
    const chain = webWith({ sites: 1, totalPages: 50, branching: 1, linksPerPage: 0 });
    for (const id of ids(chain)) {
      expect(chain.links(id).map((link) => link.id)).toEqual(id < 49 ? [id + 1] : []);
    }
    const flat = webWith({ sites: 1, totalPages: 50, branching: 49, linksPerPage: 0 });
    expect(flat.links(0)).toHaveLength(49);
  });

  test("redirects form chains as long as asked, and loops lead back to their first URL", () => {
    const shares = { ...plainSampleWebOptions.shares, redirect: 0.2, loop: 0.06 };
    const web = webWith({ sites: 1, totalPages: 100, redirectChainMax: 4, shares });
    const follow = (id: number): number[] => {
      const chain = [id];
      for (let at = id; ; chain.push(at)) {
        const kind = web.kindOf(at);
        if (kind !== "redirect" && kind !== "loop") return chain;
        at = web.links(at)[0]?.id ?? -1;
        if (chain.includes(at)) return [...chain, at];
      }
    };
    const redirects = ids(web).filter((id) => web.kindOf(id) === "redirect");
    const loops = ids(web).filter((id) => web.kindOf(id) === "loop");
    expect(redirects.length).toBeGreaterThanOrEqual(20);
    const head = follow(redirects[0] ?? -1);
    expect(head).toHaveLength(5);
    expect(web.kindOf(head.at(-1) ?? -1)).toBe("ordinary");
    const [loop = -1] = loops;
    expect(follow(loop)).toEqual([loop, loop + 1, loop + 2, loop]);
    const location = new Map(web.page(web.urlOf(loop)).headers).get("location") ?? "";
    expect(new URL(location, web.urlOf(loop)).href).toBe(web.urlOf(loop + 1));
  });

  test("a duplicate has the bytes of an ordinary page of its host and another URL", () => {
    const shares = { ...plainSampleWebOptions.shares, duplicate: 0.1 };
    const web = webWith({ shares, variantShare: 0.2, baseShare: 0.2 });
    const duplicates = ids(web).filter((id) => web.kindOf(id) === "duplicate");
    expect(duplicates.length).toBeGreaterThan(150);
    for (const id of duplicates) {
      const { site, index } = web.layout.placeOf(id);
      const original = web.layout.idOf(site, web.layout.originalOf(site, index));
      expect(web.kindOf(original)).toBe("ordinary");
      expect(textOf(web, id)).toBe(textOf(web, original));
      expect(web.links(id)).toEqual(web.links(original));
      expect(new URL(web.urlOf(id)).host).toBe(new URL(web.urlOf(original)).host);
    }
  });

  test("hosts have the robots.txt that was asked for", () => {
    const web = webWith({
      sites: 400,
      robotsMissingShare: 0.25,
      robotsFailingShare: 0.25,
      crawlDelayShare: 0.5,
      crawlDelaySeconds: 3,
    });
    const statuses = Array.from({ length: 400 }, (_, site) => {
      const { status, body } = web.page(`${web.originOf({ site, label: 0 })}/robots.txt`);
      return status === 200 && Buffer.from(body).includes("Crawl-delay: 3\n") ? 1 : status;
    });
    for (const [status, share] of [
      [404, 0.25],
      [503, 0.25],
      [200, 0.25],
      [1, 0.25],
    ] as const) {
      const count = statuses.filter((given) => given === status).length;
      expect(count / 400).toBeCloseTo(share, 1);
    }
  });

  test("traps go on for ever", () => {
    const web = webWith({ sites: 1, totalPages: 10, trapShare: 1 });
    const seen = new Set<string>();
    let urls = ["/calendar/2026/07/", "/deep/", "/search?color=0&size=0&page=0"].map(
      (path) => new URL(path, web.rootUrl(0)).href,
    );
    for (const url of urls) expect(textOf(web, 0)).toContain(url.replaceAll("&", "&amp;"));
    for (let round = 0; round < 6; round += 1) {
      urls = urls.flatMap((url) => {
        const html = Buffer.from(web.page(url).body).toString();
        return [...html.matchAll(/href="([^"]*)"/g)].map(
          ([, href = ""]) => new URL(href.replaceAll("&amp;", "&"), url).href,
        );
      });
      const before = seen.size;
      for (const url of urls) {
        const { hostname, pathname, search } = new URL(url);
        expect(web.locate(hostname, pathname + search).kind).toBe("trap");
        seen.add(url);
      }
      expect(seen.size).toBeGreaterThan(before);
    }
  });
});

describe("options", () => {
  test("that make no sense are all named", () => {
    const shares = { ...plainSampleWebOptions.shares, missing: 2 };
    const options = { ...plainSampleWebOptions, sites: 0, bytesExponent: 1, shares };
    const problems = sampleWebProblems(options).join("\n");
    for (const name of ["sites", "bytesExponent", "missing"]) expect(problems).toContain(name);
    expect(() => new SampleWeb(options, port)).toThrow(RangeError);
  });

  test("are read from arguments", () => {
    const options = sampleWebOptionsFrom({
      preset: "plain",
      sites: "7",
      set: ["bytesPerPage=100", "shares.missing=0.5", "naming=names"],
    });
    expect(options).toEqual({
      ...plainSampleWebOptions,
      sites: 7,
      bytesPerPage: 100,
      shares: { ...plainSampleWebOptions.shares, missing: 0.5 },
    });
    for (const wrong of ["colour=1", "sites=x", "sites", "shares=1", "shares.blue=1"]) {
      expect(() => sampleWebOptionsFrom({ set: [wrong] })).toThrow(RangeError);
    }
  });
});
