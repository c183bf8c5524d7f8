import { expect, it } from "vitest";
import { JobObstacle } from "../../../node/dashboard/job-obstacle.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { JobId } from "../../../src/core/units.ts";
import type { HostStatus, JobReport } from "../../../src/ports/peer-control.ts";
import { jobReport } from "../../support/fake-peer-control.ts";

const host: HostStatus = {
  host: "h.example",
  owner: "peer-0",
  known: true,
  queued: [{ job: "a" as JobId, urls: 5, orMore: false }],
  hold: "backoff",
  detail: "The host rests after a failure.",
  failuresInRow: 1,
  robots: [],
};

const shown = "h.example: the host rests after a failure";

it("asks again only after nine times as long as a look took, and tells meanwhile what is not over", async () => {
  const clock = new VirtualClock();
  let looks = 0;
  const answers = {
    queued: () => Promise.resolve([{ url: "http://h.example/1" }]),
    host: async () => {
      looks += 1;
      await clock.sleep(300);
      return host;
    },
  };
  const obstacle = new JobObstacle(answers, undefined, clock);
  const told = (fetched: number, openRequests = 0): Promise<string | undefined> =>
    obstacle.text({ jobs: [jobReport("a", { queued: 5, fetched })], openRequests });
  await clock.run(
    (async () => {
      expect(await told(0)).toBe(shown);
      const first = looks;
      expect(await told(0)).toBe(shown);
      await clock.sleep(2_699);
      expect(await told(0)).toBe(shown);
      expect(looks).toBe(first);
      await clock.sleep(1);
      expect(await told(0)).toBe(shown);
      expect(looks).toBeGreaterThan(first);
      expect(await told(0, 1)).toBeUndefined();
      expect(await told(1)).toBeUndefined();
    })(),
  );
});

it("tells meanwhile too that nothing has come of what is asked", async () => {
  const clock = new VirtualClock();
  const answers = {
    queued: () => Promise.resolve([{ url: "http://h.example/1" }]),
    host: async (): Promise<HostStatus> => {
      await clock.sleep(300);
      return { ...host, hold: "in-flight" };
    },
  };
  const obstacle = new JobObstacle(answers, undefined, clock);
  const told = (openRequests: number): Promise<string | undefined> =>
    obstacle.text({ jobs: [jobReport("a", { queued: 5 })], openRequests });
  await clock.run(
    (async () => {
      expect(await told(1)).toBeUndefined();
      await clock.sleep(6_000);
      const text = "h.example: no complete answer for 6.0 s";
      expect(await told(1)).toBe(text);
      expect(await told(1)).toBe(text);
      expect(await told(0)).toBeUndefined();
    })(),
  );
});

it("counts what a server has answered though its body was not wanted", async () => {
  const clock = new VirtualClock();
  const answers = {
    queued: () => Promise.resolve([{ url: "http://h.example/1" }]),
    host: (): Promise<HostStatus> => Promise.resolve({ ...host, hold: "in-flight" }),
  };
  const obstacle = new JobObstacle(answers, undefined, clock);
  const told = (left: number): Promise<string | undefined> => {
    const counts = { queued: 5, fetched: 1, skipped: { "content-type": left } };
    return obstacle.text({ jobs: [jobReport("a", counts)], openRequests: 1 });
  };
  await clock.run(
    (async () => {
      for (const left of [0, 1, 2, 3]) {
        expect(await told(left)).toBeUndefined();
        await clock.sleep(4_000);
      }
      expect(await told(3)).toBeUndefined();
      await clock.sleep(2_000);
      expect(await told(3)).toBe("h.example: no complete answer for 6.0 s");
    })(),
  );
});

it("tells what lets a paused job go on, where no other runs", async () => {
  const answers = { queued: () => Promise.resolve([]), host: () => Promise.resolve(host) };
  const obstacle = new JobObstacle(answers, undefined, new VirtualClock());
  const [over, running] = [jobReport("a"), jobReport("c", { queued: 5 })];
  const { definition, ...rest } = jobReport("b", { queued: 5 });
  const paused: JobReport = { ...rest, definition: { ...definition, state: "paused" } };
  const text = "to go on: peer jobs resume b";
  expect(await obstacle.text({ jobs: [over, paused], openRequests: 0 })).toBe(text);
  expect(await obstacle.text({ jobs: [over, paused, running], openRequests: 0 })).toBeUndefined();
  const done: JobReport = { ...paused, finished: true };
  expect(await obstacle.text({ jobs: [over, done], openRequests: 0 })).toBeUndefined();
});
