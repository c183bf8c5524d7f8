import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CanonicalUrl, IpAddress } from "../../src/core/units.ts";
import type {
  Fetcher,
  FetchLimits,
  FetchOutcome,
  FetchRequest,
  FetchResponse,
} from "../../src/ports/fetcher.ts";

/** What a server of the harness does with a request. */
export type ServedAnswer =
  | {
      readonly kind: "page";
      readonly status: number;
      /** Name, value, name, value; the server adds no field but those of framing. */
      readonly headers: readonly string[];
      readonly body: string;
    }
  /** Closes the connection instead of answering. */
  | { readonly kind: "reset" }
  /** Takes the request and never answers. */
  | { readonly kind: "silence" };

export interface SeenRequest {
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface ServedOrigin {
  /** `scheme://host[:port]` of a canonical URL. */
  readonly origin: string;
  readonly address: IpAddress;
}

/** A fetcher, real or virtual, and the servers that it can reach. */
export interface FetcherHarness {
  readonly fetcher: Fetcher;
  serve(answer: (request: SeenRequest) => ServedAnswer): Promise<ServedOrigin>;
  /** An origin at whose address nobody listens. */
  unserved(): Promise<ServedOrigin>;
  /** Waits for `outcome`, moving the time on where time is virtual. */
  settle(outcome: Promise<FetchOutcome>): Promise<FetchOutcome>;
  stop(): Promise<void>;
}

export const contractLimits: FetchLimits = {
  bodyBytesMax: 1024 * 1024,
  compressionRatioMax: 100,
  headBytesMax: 32 * 1024,
  connectTimeoutMs: 2_000,
  headTimeoutMs: 2_000,
  idleTimeoutMs: 2_000,
  totalTimeoutMs: 5_000,
  roomTimeoutMs: 20_000,
};

export function requestTo(
  { origin, address }: ServedOrigin,
  path: string,
  changes: Partial<Omit<FetchRequest, "limits">> = {},
  limits: Partial<FetchLimits> = {},
): FetchRequest {
  return {
    url: `${origin}${path}` as CanonicalUrl,
    address,
    headers: {},
    wantsBody: () => true,
    ...changes,
    limits: { ...contractLimits, ...limits },
  };
}

/** The outcome as a response; a failure ends the test with its detail. */
export function responseOf(outcome: FetchOutcome): FetchResponse {
  if (outcome.kind === "failure") throw new Error(`${outcome.failure}: ${outcome.detail}`);
  return outcome;
}

export function failureOfOutcome(outcome: FetchOutcome): string {
  return outcome.kind === "failure" ? outcome.failure : `response ${outcome.status}`;
}

export function page(body: string, headers: readonly string[] = [], status = 200): ServedAnswer {
  return { kind: "page", status, headers: ["Content-Type", "text/html", ...headers], body };
}

const never = new AbortController().signal;
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What every {@link Fetcher} does. */
export function describeFetcher(name: string, setUp: () => Promise<FetcherHarness>): void {
  describe(`${name} as a Fetcher`, () => {
    let harness: FetcherHarness;
    const fetch = (request: FetchRequest, signal = never): Promise<FetchOutcome> =>
      harness.settle(harness.fetcher.fetch(request, signal));

    beforeEach(async () => {
      harness = await setUp();
    });
    afterEach(async () => {
      await harness.stop();
    });

    it("gives the status, the header fields and the body of a page", async () => {
      const site = await harness.serve(({ path }) => page(`you asked for ${path}`, ["X-One", "1"]));
      const response = responseOf(await fetch(requestTo(site, "/a?b=c")));
      expect(response.status).toBe(200);
      expect(textOf(response.body)).toBe("you asked for /a?b=c");
      expect(response.encodedBody).toBe(response.body);
      expect(response.bodyRead).toBe(true);
      expect(response.truncation).toBeUndefined();
      const at = response.headers.findIndex((part) => part.toLowerCase() === "x-one");
      expect(response.headers[at + 1]).toBe("1");
    });

    it("orders its times", async () => {
      const site = await harness.serve(() => page("x"));
      const response = responseOf(await fetch(requestTo(site, "/")));
      expect(response.startedAtMs).toBeLessThanOrEqual(response.headAtMs);
      expect(response.headAtMs).toBeLessThanOrEqual(response.finishedAtMs);
    });

    it("sends the caller's fields, and says what it sent", async () => {
      let seen: SeenRequest | undefined;
      const site = await harness.serve((request) => {
        seen = request;
        return page("x");
      });
      const headers = { "if-none-match": '"v1"' };
      const response = responseOf(await fetch(requestTo(site, "/", { headers })));
      expect(seen?.headers["if-none-match"]).toBe('"v1"');
      expect(seen?.headers["user-agent"]).toMatch(/^orbweaver\//);
      const sent = response.requestHeaders.map((part) => part.toLowerCase());
      expect(sent[sent.indexOf("if-none-match") + 1]).toBe('"v1"');
      expect(sent).toContain("user-agent");
    });

    it("does not follow a redirect", async () => {
      const asked: string[] = [];
      const site = await harness.serve(({ path }) => {
        asked.push(path);
        return page("moved", ["Location", "/b"], 301);
      });
      expect(responseOf(await fetch(requestTo(site, "/a"))).status).toBe(301);
      expect(asked).toEqual(["/a"]);
    });

    it("returns error statuses as responses", async () => {
      const site = await harness.serve(() => page("gone", [], 410));
      const response = responseOf(await fetch(requestTo(site, "/")));
      expect([response.status, textOf(response.body)]).toEqual([410, "gone"]);
    });

    it("asks whether the body is wanted, and does not read one that is not", async () => {
      const site = await harness.serve(() => page("x".repeat(200_000), [], 404));
      const asked: unknown[] = [];
      const wantsBody = (status: number, type: string | undefined): boolean => {
        asked.push([status, type]);
        return false;
      };
      const response = responseOf(await fetch(requestTo(site, "/", { wantsBody })));
      expect(asked).toEqual([[404, "text/html"]]);
      expect([response.status, response.bodyRead, response.body.length]).toEqual([404, false, 0]);
    });

    it("cuts a body at its limit and marks it", async () => {
      const site = await harness.serve(() => page("0123456789".repeat(100)));
      const request = requestTo(site, "/", {}, { bodyBytesMax: 25 });
      const response = responseOf(await fetch(request));
      expect(textOf(response.body)).toBe("0123456789012345678901234");
      expect(response.truncation).toBe("length");
    });

    it("ends with head-timeout when the server never answers", async () => {
      const site = await harness.serve(() => ({ kind: "silence" }));
      const request = requestTo(site, "/", {}, { headTimeoutMs: 60, connectTimeoutMs: 60_000 });
      expect(failureOfOutcome(await fetch(request))).toBe("head-timeout");
    });

    it("ends with total-timeout when that comes first", async () => {
      const site = await harness.serve(() => ({ kind: "silence" }));
      const request = requestTo(site, "/", {}, { totalTimeoutMs: 60 });
      expect(failureOfOutcome(await fetch(request))).toBe("total-timeout");
    });

    it("ends with connection-reset when the server hangs up", async () => {
      const site = await harness.serve(() => ({ kind: "reset" }));
      expect(failureOfOutcome(await fetch(requestTo(site, "/")))).toBe("connection-reset");
    });

    it("ends with connect-refused where nobody listens", async () => {
      const site = await harness.unserved();
      expect(failureOfOutcome(await fetch(requestTo(site, "/")))).toBe("connect-refused");
    });

    it("ends with aborted when its signal aborts, before or during the exchange", async () => {
      const controller = new AbortController();
      const site = await harness.serve(() => {
        controller.abort();
        return { kind: "silence" };
      });
      const during = await fetch(requestTo(site, "/"), controller.signal);
      const before = await fetch(requestTo(site, "/"), controller.signal);
      expect([during, before].map(failureOfOutcome)).toEqual(["aborted", "aborted"]);
    });

    it("keeps exchanges of one origin apart", async () => {
      const site = await harness.serve(({ path }) => page(path));
      const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
      const outcomes = await Promise.all(paths.map((path) => fetch(requestTo(site, path))));
      expect(outcomes.map((outcome) => textOf(responseOf(outcome).body))).toEqual(paths);
    });

    it("ends what is under way when it stops, and refuses what comes later", async () => {
      const asked = Promise.withResolvers<undefined>();
      const site = await harness.serve(() => {
        asked.resolve(undefined);
        return { kind: "silence" };
      });
      const pending = harness.fetcher.fetch(requestTo(site, "/"), never);
      await asked.promise;
      await harness.fetcher.stop();
      await harness.fetcher.stop();
      const later = await fetch(requestTo(site, "/"));
      const outcomes = [await harness.settle(pending), later];
      expect(outcomes.map(failureOfOutcome)).toEqual(["aborted", "aborted"]);
    });
  });
}
