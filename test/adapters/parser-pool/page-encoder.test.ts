import { expect, it } from "vitest";
import { PageEncoder, prepareJob } from "../../../src/adapters/parser-pool/page-encoder.ts";
import { unpackLinks } from "../../../src/core/page/packed-links.ts";
import { parseRequest } from "../../support/parse-requests.ts";

it("archives a body of any length, and reads the first part of it", () => {
  const encoder = new PageEncoder(1, undefined, 1_000);
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
