import { expect, it } from "vitest";
import { LoneDesk, type DeskParts } from "../../../src/peer/answers/question-desk.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { sampleResponse } from "../../support/sample-captures.ts";

it("tells of a page of an earlier swarm who has it, and does not call it not archived", async () => {
  const archive = { file: "a.warc.gz", offset: 0, length: 1, peer: "peer-1" };
  const known = () => Promise.resolve([{ state: "done", attempts: 1, owner: "peer-0", archive }]);
  const parts = { peerId: "peer-0", urls: { known }, jobs: new JobRegistry() };
  const desk = new LoneDesk(parts as unknown as DeskParts, 0);
  const asked = desk.content(sampleResponse.url);
  await expect(asked).rejects.toMatchObject({ code: "MEMBER_UNREACHABLE" });
  await expect(asked).rejects.toThrow("peer-1");
});
