import { describe, expect, it } from "vitest";
import { renderJobDetails } from "../../../node/text/job-text.ts";
import { defaultJobOptions, type JobOptions } from "../../../src/core/jobs/job-definition.ts";
import { jobReport } from "../../support/fake-peer-control.ts";

describe("renderJobDetails", () => {
  const detailsOf = (options: Partial<JobOptions>): string => {
    const report = jobReport("docs");
    const definition = { ...report.definition, options: { ...defaultJobOptions, ...options } };
    return renderJobDetails({ ...report, definition, shares: [] });
  };

  it("tells the limits of the guards against endless sites, which no flag sets", () => {
    expect(detailsOf({})).toContain(
      "\nURLs      at most 2,048 bytes and 30 path segments, each at most 3 times\n" +
        "hosts     at most 1,000,000 URLs of one, and 10,000 query strings of a path\n",
    );
  });

  it("tells those that an injection has changed", () => {
    const details = detailsOf({ urlBytesMax: 4_096, segmentRepeatsMax: 1, pagesPerHostMax: 7 });
    expect(details).toContain("at most 4,096 bytes and 30 path segments, each at most 1 time\n");
    expect(details).toContain("at most 7 URLs of one, ");
  });
});
