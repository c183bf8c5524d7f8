import { describe, expect, it } from "vitest";
import type { StatusQuestion } from "../../../../src/core/messages/status-message.ts";
import type { JobId, MemberId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { SwarmDesk } from "../../../../src/peer/swarm/answers/swarm-desk.ts";
import type { Attempt, Finding } from "../../../../src/peer/swarm/answers/holder-search.ts";

type Parts = ConstructorParameters<typeof SwarmDesk>[0];
type Ask = (attempt: Attempt, indices: number[]) => Promise<Finding<object>[]>;

/** A desk that asks one other member for all, as often as that has to be asked again, and what it found. */
function newDesk(jobsThere: (asked: number) => number) {
  const asked: StatusQuestion[] = [];
  const told: MemberId[] = [];
  const jobs = new JobRegistry();
  for (const name of ["one", "two"]) jobs.define(name);
  const run = async (positions: unknown[], ask: Ask): Promise<unknown[]> => {
    for (;;) {
      const attempt = { member: "other" as MemberId, fromCopy: false };
      const findings = await ask(attempt, [...positions.keys()]);
      if (findings.some((finding) => finding?.kind === "again")) continue;
      return findings.map((one) => (one?.kind === "answer" ? one.answer : undefined));
    }
  };
  const status = (_: MemberId, question: StatusQuestion): Promise<object> => {
    asked.push(question);
    const answers = question.urls.map((url) => ({ state: "done", owner: url }));
    return Promise.resolve({ jobs: jobsThere(asked.length), answers });
  };
  const parts = {
    jobs,
    calls: { status },
    search: { run, holderOf: () => undefined },
    spread: { exchange: (member: MemberId) => Promise.resolve(told.push(member) > 0) },
    view: { self: "self" },
  };
  return { asked, told, desk: new SwarmDesk(parts as unknown as Parts) };
}

describe("a desk that asks another member", () => {
  it.each([
    ["URLs", 20, 601, [300, 300, 1]],
    ["characters", 2_048, 513, [256, 256, 1]],
  ])(
    "asks it for no more %s at once than a question has room for",
    async (_, length, count, sizes) => {
      const { asked, desk } = newDesk(() => 2);
      const urls = Array.from({ length: count }, (_, at) => `http://a.example/${at}`);
      const long = urls.map((url) => url.padEnd(length, "x"));
      const statuses = await desk.status(long);
      expect(asked.map(({ urls }) => urls.length)).toEqual(sizes);
      expect(statuses.map(({ url }) => url)).toEqual(long);
    },
  );

  it.each<[string, job: JobId | undefined, there: number, isTold: boolean]>([
    ["that has missed one of all", undefined, 1, true],
    ["that knows all", undefined, 2, false],
    ["that has missed the one", "one" as JobId, 0, true],
    ["that knows the one", "one" as JobId, 1, false],
  ])("tells one of jobs %s, once, and asks it again", async (_, job, there, isTold) => {
    const { asked, told, desk } = newDesk(() => there);
    const [status] = await desk.status(["http://a.example/"], job);
    expect(status).toMatchObject({ state: "done", owner: "other" });
    expect(told).toEqual(isTold ? ["other"] : []);
    expect(asked).toHaveLength(isTold ? 2 : 1);
    expect(asked[0]).toEqual({ urls: ["http://a.example/"], fromCopy: false, ...(job && { job }) });
  });

  it("knows nothing of a job that nobody has named", async () => {
    const { desk } = newDesk(() => 2);
    const code = "JOB_UNKNOWN";
    await expect(desk.status([], "none" as JobId)).rejects.toMatchObject({ code });
    await expect(desk.urls("none" as JobId, {})).rejects.toMatchObject({ code });
  });
});
