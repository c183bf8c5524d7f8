import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { JobReport } from "../../../src/ports/peer-control.ts";
import { jobReport } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";
import { peerThat } from "../../support/stand-in-peer.ts";
import { until } from "../../support/until.ts";

it.each([
  ["answers nothing any more", () => undefined],
  [
    "has no figures",
    (response: ServerResponse) =>
      void response.writeHead(503).end('{"error":{"code":"SWARM_BUSY","message":"busy"}}'),
  ],
])("peer wait stops at a signal though the peer %s", async (_, stats) => {
  const asked = Promise.withResolvers<undefined>();
  const api = await peerThat((response, path) => {
    if (path === "/v1/jobs") {
      response.end(JSON.stringify({ jobs: [jobReport("a", { queued: 5 })] }));
    } else if (path === "/v1/stats") {
      stats(response);
      asked.resolve(undefined);
    }
  });
  const terminal = new FakeTerminal({ isTTY: true });
  const waiting = runCli(["wait", "--api", api], terminal);
  await asked.promise;
  terminal.signal("SIGTERM");
  expect(await waiting).toBe(143);
  expect(terminal.stdout.text).toBe("");
});

it("peer wait fails where a job can go no further, and says so", async () => {
  const report = jobReport("a", { queued: 5 });
  const api = await peerThat((response, path) => {
    const isWait = path === "/v1/jobs/a/wait";
    response.end(JSON.stringify(isWait ? { ...report, over: true } : { jobs: [report] }));
  });
  const terminal = new FakeTerminal();
  expect(await runCli(["wait", "--api", api, "--json"], terminal)).toBe(1);
  expect(JSON.parse(terminal.stdout.text)).toEqual([report]);
  expect(terminal.stderr.text).toMatch(
    /^peer: job a is not finished, and cannot go on: all its hosts are halted; [^\n]*\n$/,
  );
});

/** Job `a` as it stands once it is cancelled. */
function cancelledReport(): JobReport {
  const { definition, ...rest } = jobReport("a", { fetched: 3 });
  return { ...rest, definition: { ...definition, state: "cancelled" } };
}

it.each([
  ["--job", "before", cancelledReport()],
  ["--job", "meanwhile", jobReport("a", { queued: 5 })],
  ["all", "meanwhile", jobReport("a", { queued: 5 })],
])(
  "peer wait (%s) fails where the job was cancelled %s, and says so",
  async (which, _when, before) => {
    const end = cancelledReport();
    const api = await peerThat((response, path) => {
      const isWait = path === "/v1/jobs/a/wait";
      const known = path === "/v1/jobs" ? { jobs: [before] } : before;
      response.end(JSON.stringify(isWait ? { ...end, over: true } : known));
    });
    const words = which === "all" ? [] : ["--job", "a"];
    const terminal = new FakeTerminal();
    expect(await runCli(["wait", ...words, "--api", api, "--json"], terminal)).toBe(1);
    expect(JSON.parse(terminal.stdout.text)).toEqual(which === "all" ? [end] : end);
    expect(terminal.stderr.text).toBe(
      "peer: job a was cancelled; what it had fetched by then is kept\n",
    );
  },
);

it("peer wait, for all jobs, waits for none that was cancelled before", async () => {
  const [past, report] = [cancelledReport(), jobReport("b", { fetched: 5 })];
  const api = await peerThat((response, path) => {
    const answers: Record<string, unknown> = {
      "/v1/jobs": { jobs: [past, report] },
      "/v1/jobs/a/wait": { ...past, over: true },
      "/v1/jobs/b/wait": { ...report, over: true },
    };
    response.end(JSON.stringify(answers[path ?? ""]));
  });
  const terminal = new FakeTerminal();
  expect(await runCli(["wait", "--api", api, "--json"], terminal)).toBe(0);
  expect(JSON.parse(terminal.stdout.text)).toEqual([past, report]);
  expect(terminal.stderr.text).toBe("");
});

it("peer wait asks again, as often as a job goes on when the time for an answer is up", async () => {
  const report = jobReport("a", { queued: 5 });
  const ends = [{ over: false }, { over: false }, { over: true, finished: true }];
  const api = await peerThat((response, path) => {
    const isWait = path === "/v1/jobs/a/wait";
    response.end(JSON.stringify(isWait ? { ...report, ...ends.shift() } : { jobs: [report] }));
  });
  const terminal = new FakeTerminal();
  expect(await runCli(["wait", "--api", api, "--json"], terminal)).toBe(0);
  expect(JSON.parse(terminal.stdout.text)).toEqual([{ ...report, finished: true }]);
  expect(ends).toEqual([]);
});

/** What a peer answers where the one host that job `a` has URLs of rests, and what is shown then. */
const resting = {
  "/v1/urls?job=a&state=queued": { urls: [{ url: "http://h.example/1" }] },
  "/v1/hosts/h.example": {
    host: "h.example",
    queued: [{ job: "a", urls: 5 }],
    hold: "backoff",
    robots: [],
    detail: "The host rests after a failure.",
  },
};
const shown = "h.example: the host rests after a failure";

it("peer wait says which host keeps the job back", async () => {
  const report = jobReport("a", { queued: 5 });
  const waits = Promise.withResolvers<ServerResponse>();
  const answers: Record<string, unknown> = {
    "/v1/jobs": { jobs: [report] },
    "/v1/stats": { jobs: [report], openRequests: 0 },
    ...resting,
  };
  const api = await peerThat((response, path) => {
    if (path === "/v1/jobs/a/wait") waits.resolve(response);
    else response.end(JSON.stringify(answers[path ?? ""]));
  });
  const terminal = new FakeTerminal({ isTTY: true });
  const waiting = runCli(["wait", "--api", api], terminal);
  await until("the host", () => terminal.stderr.text.includes(shown));
  (await waits.promise).end(JSON.stringify({ ...report, over: true, finished: true }));
  expect(await waiting).toBe(0);
});

it("peer wait ends with the job, whoever is asked what keeps it back", async () => {
  const report = jobReport("a", { queued: 5 });
  const asked = Promise.withResolvers<undefined>();
  const waits = Promise.withResolvers<ServerResponse>();
  const answers: Record<string, unknown> = {
    "/v1/jobs": { jobs: [report] },
    "/v1/stats": { jobs: [report], openRequests: 0 },
  };
  const api = await peerThat((response, path) => {
    if (path === "/v1/jobs/a/wait") waits.resolve(response);
    else if (path === "/v1/urls?job=a&state=queued") asked.resolve(undefined);
    else response.end(JSON.stringify(answers[path ?? ""]));
  });
  const waiting = runCli(["wait", "--api", api], new FakeTerminal({ isTTY: true }));
  await asked.promise;
  (await waits.promise).end(JSON.stringify({ ...report, over: true, finished: true }));
  expect(await waiting).toBe(0);
});

it("peer wait --job says which host keeps the job back while another job goes on", async () => {
  const report = jobReport("a", { queued: 5 });
  const waits = Promise.withResolvers<ServerResponse>();
  const answers: Record<string, unknown> = {
    "/v1/jobs/a": report,
    ...resting,
  };
  let fetched = 0;
  const api = await peerThat((response, path) => {
    if (path === "/v1/jobs/a/wait") waits.resolve(response);
    else if (path === "/v1/stats") {
      fetched += 1;
      const jobs = [jobReport("b", { queued: 5, fetched }), report];
      response.end(JSON.stringify({ jobs, openRequests: 1 }));
    } else response.end(JSON.stringify(answers[path ?? ""]));
  });
  const terminal = new FakeTerminal({ isTTY: true });
  const waiting = runCli(["wait", "--job", "a", "--api", api], terminal);
  await until("the host", () => terminal.stderr.text.includes(shown));
  (await waits.promise).end(JSON.stringify({ ...report, over: true, finished: true }));
  expect(await waiting).toBe(0);
});

it("peer wait says what the peer fails at, and fails", async () => {
  const api = await peerThat((response, path) => {
    if (path === "/v1/jobs") {
      response.end(JSON.stringify({ jobs: [jobReport("a", { queued: 5 })] }));
    } else response.writeHead(507).end('{"error":{"code":"DISK_FULL","message":"no space left"}}');
  });
  const terminal = new FakeTerminal();
  expect(await runCli(["wait", "--api", api], terminal)).toBe(1);
  expect(terminal.stdout.text).toBe("");
  expect(terminal.stderr.text).toMatch(/^peer: no space left[^\n]*\n$/);
  expect(terminal.listening).toBe(0);
});

it("peer wait goes on though the peer has no figures to show", async () => {
  const report = jobReport("a", { queued: 5 });
  const asked = Promise.withResolvers<undefined>();
  const waits = Promise.withResolvers<ServerResponse>();
  const api = await peerThat((response, path) => {
    if (path === "/v1/jobs") response.end(JSON.stringify({ jobs: [report] }));
    else if (path === "/v1/jobs/a/wait") waits.resolve(response);
    else {
      response.writeHead(503).end('{"error":{"code":"SWARM_BUSY","message":"busy"}}');
      asked.resolve(undefined);
    }
  });
  const waiting = runCli(["wait", "--api", api], new FakeTerminal({ isTTY: true }));
  await asked.promise;
  (await waits.promise).end(JSON.stringify({ ...report, over: true, finished: true }));
  expect(await waiting).toBe(0);
});

it("peer wait asks for so many jobs at once, and then for the others", async () => {
  const reports = Array.from({ length: 17 }, (_, at) => jobReport(`j${at}`, { queued: 5 }));
  const asked: string[] = [];
  const api = await peerThat((response, path = "") => {
    if (path !== "/v1/jobs") {
      asked.push("wait");
      response.end(JSON.stringify({ ...reports[0], over: true, finished: true }));
      return;
    }
    asked.push("jobs");
    response.end(JSON.stringify({ jobs: reports }));
  });
  expect(await runCli(["wait", "--api", api], new FakeTerminal())).toBe(0);
  const first = Array.from({ length: 16 }, () => "wait");
  expect(asked).toEqual(["jobs", "jobs", ...first, "jobs", "wait", "jobs"]);
});
