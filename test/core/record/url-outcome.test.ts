import fc from "fast-check";
import { expect, it } from "vitest";
import { UrlOutcome, UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";

it("says of every record's end what the record says, whatever else is in it", () => {
  const record = fc.record(
    {
      state: fc.constantFrom(urlState.queued, urlState.done),
      httpStatus: fc.integer({ min: 0, max: 599 }),
      excluded: fc.option(fc.string(), { nil: undefined }),
      url: fc.webUrl(),
      title: fc.string(),
      failure: fc.string(),
      attempts: fc.nat(),
      bodyBytes: fc.nat(),
      capture: fc.record({ file: fc.string(), offset: fc.nat(), length: fc.nat() }),
      truncated: fc.boolean(),
    },
    { requiredKeys: ["state", "httpStatus", "excluded"] },
  );
  fc.assert(
    fc.property(record, ({ excluded, ...rest }) => {
      const row = { ...urlState.fresh, ...rest, ...(excluded !== undefined && { excluded }) };
      const { state, httpStatus } = row;
      const outcome = { state, httpStatus, ...(excluded !== undefined && { excluded }) };
      expect(UrlOutcome.decode(UrlRecord.encode(row))).toEqual(outcome);
    }),
  );
});
