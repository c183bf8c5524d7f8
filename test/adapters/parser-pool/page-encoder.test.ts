import { expect, it } from "vitest";
import { PageEncoder, prepareJob } from "../../../src/adapters/parser-pool/page-encoder.ts";
import { unpackLinks } from "../../../src/core/page/packed-links.ts";
import type { ParseRequest } from "../../../src/ports/page-parser.ts";
import { jobWith, parseRequest } from "../../support/parse-requests.ts";

it("archives a body of any length, and reads the first part of it", () => {
  const encoder = new PageEncoder({ gzipLevel: 1, readBytesMax: 1_000 });
  const { job, ...page } = parseRequest({
    html: `<a href=first>${" ".repeat(1_000)}<a href=last>`,
  });
  const { links, capture } = encoder.encode({ ...page, job: prepareJob(job) });
  expect(unpackLinks(links)).toEqual(["http://e.org/dir/first"]);
  const { length } = page.exchange.encodedBody;
  const sizeAt = capture.responseLength - 4;
  const whole = new DataView(capture.bytes.buffer).getUint32(sizeAt, true);
  expect(whole).toBeGreaterThan(length);
});

it("takes no part of a URL from a list of URLs that was cut, by its server or by itself", () => {
  const list = parseRequest({
    html: "http://e.org/a\nhttp://e.org/b\nhttp://e.org/abou",
    headers: ["Content-Type", "text/plain"],
    job: jobWith({ sitemaps: true }),
  });
  const linksOf = ({ job, ...page }: ParseRequest, readBytesMax?: number): string[] => {
    const encoder = new PageEncoder({
      gzipLevel: 1,
      ...(readBytesMax !== undefined && { readBytesMax }),
    });
    return unpackLinks(encoder.encode({ ...page, job: prepareJob(job) }).links);
  };
  const whole = ["http://e.org/a", "http://e.org/b"];
  expect(linksOf(list)).toEqual([...whole, "http://e.org/abou"]);
  expect(linksOf({ ...list, exchange: { ...list.exchange, truncation: "length" } })).toEqual(whole);
  expect(linksOf(list, 25)).toEqual(["http://e.org/a"]);
});
