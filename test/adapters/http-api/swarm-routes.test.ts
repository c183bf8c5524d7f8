import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { defaultHttpApiOptions } from "../../../src/adapters/http-api/http-api-options.ts";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport, otherMember } from "../../support/fake-peer-control.ts";

let control: FakePeerControl;
let api: HttpApi;

beforeEach(async () => {
  control = new FakePeerControl();
  api = fakePeerApi(control);
  await api.start();
  control.others.push(otherMember("peer-1", { queued: 7 }), otherMember("peer-2"));
});

afterEach(() => api.stop());

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${api.url}/v1${path}`);
  return { status: response.status, body: await response.json() };
}

describe("HttpApi, asked about the swarm", () => {
  it("lists the members, the asked one first, with what each says of itself", async () => {
    const { body } = await get("/members");
    expect(body).toMatchObject({
      members: [
        { id: "peer-0", state: "active", stats: { lagMs: 0, pagesPerSecond: 12.5 } },
        { id: "peer-1", state: "active", share: 0.25, stats: { lagMs: 1_234.56, queued: 7 } },
        { id: "peer-2", state: "suspect" },
      ],
    });
    const { members } = body as { readonly members: readonly object[] };
    expect(members[2]).not.toHaveProperty("stats");
  });

  it("sums the figures of all, and names who said nothing", async () => {
    control.reports.set("j", jobReport("j", { pages: 3, queued: 5 }));
    expect((await get("/stats")).body).toMatchObject({
      peer: "peer-0",
      version: "1.2.3",
      upMs: 3_725_000,
      archiveFiles: ["a.warc.gz"],
      openRequests: 4,
      activeHosts: 6,
      queued: 12,
      pagesPerSecond: 14.5,
      members: [{ peer: "peer-0" }, { peer: "peer-1" }],
      silent: ["peer-2"],
      jobs: [{ counts: { pages: 6 }, shares: [{ peer: "peer-0" }, { peer: "peer-1" }] }],
    });
  });

  it("tells of the asked peer alone when only that is wanted", async () => {
    control.reports.set("j", jobReport("j", { pages: 3 }));
    const own = await get("/stats?own");
    expect(own.body).toMatchObject({ openRequests: 3, jobs: [{ counts: { pages: 3 } }] });
    expect(own.body).not.toHaveProperty("members");
    expect((await get("/stats?own=false")).body).toHaveProperty("members");
    expect((await get("/jobs?own")).body).toMatchObject({ jobs: [{ counts: { pages: 3 } }] });
    expect((await get("/jobs/j?own=true")).body).toMatchObject({ counts: { pages: 3 } });
    expect(await get("/stats?own=perhaps")).toMatchObject({ status: 400 });
    expect(await get("/stats?won")).toMatchObject({ status: 400 });
  });

  it("tells a job's totals over all members, whichever way it is asked for", async () => {
    control.reports.set("j", jobReport("j", { pages: 3, queued: 1 }));
    const summed = { counts: { pages: 6, queued: 2 }, shares: [{}, {}] };
    expect((await get("/jobs")).body).toMatchObject({ jobs: [summed] });
    expect((await get("/jobs/j")).body).toMatchObject(summed);
    const paused = await fetch(`${api.url}/v1/jobs/j/pause`, { method: "POST" });
    expect(await paused.json()).toMatchObject({ ...summed, definition: { state: "paused" } });
  });

  it("says at a job's end that it is over, and before that it is not", async () => {
    control.reports.set("j", jobReport("j", { queued: 5 }));
    const early = await get("/jobs/j/wait?timeoutMs=1");
    expect(early.body).toMatchObject({ over: false, finished: false });
    const answer = get("/jobs/j/wait");
    await expect.poll(() => control.waiting).toBe(1);
    control.finish();
    expect((await answer).body).toMatchObject({
      over: true,
      finished: true,
      definition: { state: "finished" },
    });
  });

  it.each([
    ["is not finished whose hosts are halted", 5, false],
    ["is finished though a member that has just died said otherwise", 0, true],
  ])("says of a job at its end that it %s", async (_, queued, finished) => {
    const report = jobReport("j", { queued });
    const definition = { ...report.definition, state: "running" } as const;
    control.reports.set("j", { ...report, definition, finished: false });
    control.jobFinished = () => Promise.resolve();
    expect((await get("/jobs/j/wait")).body).toMatchObject({
      over: true,
      finished,
      definition: { state: finished ? "finished" : "running" },
    });
  });

  it.each([
    [0, 1_500],
    [2_000, 2_000],
    [999_999_999, 60_000],
  ])(
    "gives a wait of %i ms the %i ms of a full look at least, and no more than a question may take",
    async (asked, given) => {
      const slept: number[] = [];
      class NotedClock extends SystemClock {
        override sleep(ms: number): Promise<void> {
          slept.push(ms);
          return Promise.resolve();
        }
      }
      const noted = fakePeerApi(control, { clock: new NotedClock() });
      control.reports.set("j", jobReport("j", { queued: 5 }));
      await noted.start();
      await fetch(`${noted.url}/v1/jobs/j/wait?timeoutMs=${asked}`);
      expect(slept).toEqual([given]);
      await noted.stop();
    },
  );

  it("calls no job over, nor finished, whose wait is cut short as the API stops", async () => {
    class PatientClock extends SystemClock {
      override sleep(ms: number, signal?: AbortSignal): Promise<void> {
        const isWait = ms === defaultHttpApiOptions.waitMsMax;
        return isWait ? new Promise(() => undefined) : super.sleep(ms, signal);
      }
    }
    const stopped = fakePeerApi(control, { clock: new PatientClock() });
    // What is left of it is at other members.
    control.reports.set("j", { ...jobReport("j"), finished: false });
    await stopped.start();
    const answer = fetch(`${stopped.url}/v1/jobs/j/wait`);
    await expect.poll(() => control.waiting).toBe(1);
    await stopped.stop();
    expect(await (await answer).json()).toMatchObject({ over: false, finished: false });
  });

  it("leaves it to the peer to say of an empty name that it is none", async () => {
    expect((await get("/jobs/")).body).toMatchObject({ error: { code: "JOB_UNKNOWN" } });
    expect((await get("/hosts/")).body).toMatchObject({ host: "", known: false });
  });

  it("is asked for a host by the longest name there may be", async () => {
    const host = "a".repeat(255);
    expect(await get(`/hosts/${host}`)).toMatchObject({ status: 200, body: { host } });
  });

  it("tells what is known of a host", async () => {
    control.hosts.set("www.a.example", {
      host: "www.a.example",
      owner: "peer-1",
      known: true,
      queued: [],
      hold: "breaker",
      failuresInRow: 3,
      robots: [],
    });
    expect((await get("/hosts/www.a.example")).body).toMatchObject({ hold: "breaker" });
    expect((await get("/hosts/b.example")).body).toMatchObject({ known: false });
    const long = `${"x".repeat(60)}.`.repeat(4);
    expect((await get(`/hosts/${long}`)).body).toMatchObject({ host: long, known: false });
    const longer = await get(`/hosts/${"x".repeat(256)}`);
    expect(longer.status).toBeGreaterThanOrEqual(400);
    expect(longer.status).toBeLessThan(500);
  });

  it("lets a host back", async () => {
    const response = await fetch(`${api.url}/v1/hosts/www.a.example/release`, { method: "POST" });
    expect(await response.json()).toMatchObject({ host: "www.a.example" });
    expect(control.hostChanges).toEqual([["www.a.example", "release"]]);
  });
});
