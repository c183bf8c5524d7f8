import { expect, it } from "vitest";
import { fetchVerdictOf, lastFailureOf } from "../../../src/peer/fetching/fetch-verdict.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { FetchOutcome } from "../../../src/ports/fetcher.ts";
import { htmlPage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

it("waits as long as a Retry-After says by the clock of a server that is behind", async () => {
  const machine: VirtualPeer = new VirtualPeer((url, asked) => {
    if (url.endsWith("/robots.txt")) return { status: 404 };
    const thereMs = machine.clock.nowMs() - 600_000;
    const [date, until] = [thereMs, thereMs + 120_000].map((ms) => new Date(ms).toUTCString());
    const headers = { date: date ?? "", "retry-after": until ?? "" };
    return asked === 0 ? { status: 503, headers } : htmlPage();
  });
  await machine.crawl(["http://site.example/"]);
  const [, first, second] = machine.web.hits.map(({ startedAtMs }) => startedAtMs);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(120_000);
});

it("takes a date for one of the machine's clock where the server does not tell its own", async () => {
  const asleepMs = 8 * 3_600_000;
  const machine: VirtualPeer = new VirtualPeer((url, asked) => {
    if (url.endsWith("/robots.txt")) return { status: 404 };
    const until = new Date(machine.clock.nowMs() + asleepMs + 120_000).toUTCString();
    return asked === 0 ? { status: 503, headers: { "retry-after": until } } : htmlPage();
  });
  await machine.clock.run(
    (async () => {
      await machine.start();
      machine.setClockForward(asleepMs);
      await machine.inject(["http://site.example/"]);
      await machine.clock.sleep(180_000);
    })(),
  );
  const [, first, second] = machine.web.hits.map(({ startedAtMs }) => startedAtMs);
  expect(Math.round(((second ?? 0) - (first ?? 0)) / 10_000)).toBe(12);
});

it.each([
  [["soon", "30", "120", "60"], 120_000],
  [["", "7"], 7_000],
  [["soon", ""], undefined],
])("waits as long as the longest of several Retry-After fields says: %j", (values, expected) => {
  const body = new Uint8Array();
  const verdict = fetchVerdictOf(
    {
      ...{ kind: "response", status: 503, httpVersion: "1.1", statusText: "" },
      ...{ requestHeaders: [], bodyRead: true },
      headers: values.flatMap((value) => ["Retry-After", value]),
      ...{ encodedBody: body, body, startedAtMs: 1, headAtMs: 2, finishedAtMs: 3 },
    },
    new VirtualClock(),
  );
  expect(verdict.retryAfterMs).toBe(expected);
});

it.each([
  ["the answer that tells of trouble", { status: 429 }, "overloaded", { httpStatus: 429 }],
  [
    "why there was none",
    { failure: "dns-error" },
    "failed",
    { httpStatus: 0, failure: "dns-error" },
  ],
  ["nothing once it is well", { status: 404 }, "ok", undefined],
  [
    "what it was before where nothing was learnt",
    { failure: "aborted" },
    "neutral",
    { httpStatus: 500 },
  ],
] as const)("remembers of how a host failed last %s", (_what, end, kind, expected) => {
  const outcome = { kind: "failure" in end ? "failure" : "response", ...end } as FetchOutcome;
  expect(lastFailureOf(outcome, kind, { httpStatus: 500 })).toEqual(expected);
});
