import { expect, it } from "vitest";
import { LoneDesk, type DeskParts } from "../../../src/peer/answers/question-desk.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { ArchivedResponse } from "../../../src/ports/archive.ts";
import { sampleResponse } from "../../support/sample-captures.ts";

it("unpacks few of the responses that are asked for at once, and none for who is gone", async () => {
  const go = Promise.withResolvers<undefined>();
  let [reading, most, reads] = [0, 0, 0];
  const read = async (): Promise<ArchivedResponse> => {
    reads += 1;
    reading += 1;
    most = Math.max(most, reading);
    await go.promise;
    reading -= 1;
    return sampleResponse;
  };
  const archive = { file: "a.warc.gz", offset: 0, length: 1, peer: "peer-0" };
  const known = () => Promise.resolve([{ state: "done", attempts: 1, owner: "peer-0", archive }]);
  const parts = { peerId: "peer-0", urls: { known, read }, jobs: new JobRegistry() };
  const desk = new LoneDesk(parts as unknown as DeskParts, 0);
  const gone = new AbortController();
  const asked = Array.from({ length: 100 }, (_, n) =>
    desk.content(sampleResponse.url, undefined, n % 2 === 0 ? undefined : gone.signal),
  );
  await new Promise(setImmediate);
  gone.abort();
  go.resolve(undefined);
  const answers = await Promise.allSettled(asked);
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(reads);
  expect(reads).toBe(50 + 2);
  expect(most).toBe(4);
});
