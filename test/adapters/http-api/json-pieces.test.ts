import { expect, it } from "vitest";
import { jsonPieces } from "../../../src/adapters/http-api/json-pieces.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";

const jobs = Array.from({ length: 1_000 }, (_, n) => jobReport(`job-${n}`, { pages: n }));

it.each([
  ["nothing", {}],
  ["only what is undefined", { a: undefined }],
  ["an empty list", { jobs: [] }],
  [
    "a list among others",
    { peer: "p", upMs: 1.5, none: undefined, of: { a: [1] }, jobs, last: "" },
  ],
  ["lists alone", { jobs: [1, "two", { three: 3 }, null, [4]], others: [[]] }],
])("is the same JSON in pieces of a bounded length: %s", (_what, document) => {
  const pieces = [...jsonPieces(document)];
  expect(pieces.join("")).toBe(JSON.stringify(document));
  const longestPart = JSON.stringify(jobs.at(-1)).length + 1;
  for (const piece of pieces) expect(piece.length).toBeLessThan(65_536 + longestPart);
});

it.each(["/v1/jobs", "/v1/jobs?own", "/v1/stats", "/v1/stats?own", "/stats"])(
  "answers %s in pieces, as the JSON that it is",
  async (path) => {
    const control = new FakePeerControl();
    for (const job of jobs) control.reports.set(job.definition.id, job);
    const api = fakePeerApi(control);
    await api.start();
    try {
      const response = await fetch(`${api.url}${path}`);
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(response.headers.get("transfer-encoding")).toBe("chunked");
      expect(await response.json()).toMatchObject({ jobs });
      const head = await fetch(`${api.url}${path}`, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
    } finally {
      await api.stop();
    }
  },
);
