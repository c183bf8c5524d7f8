import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import type { Connection } from "../../../src/adapters/undici/connection.ts";
import type { ExchangeHost } from "../../../src/adapters/undici/exchange-host.ts";
import { Exchange } from "../../../src/adapters/undici/exchange.ts";
import { InvariantError } from "../../../src/core/errors.ts";
import type { CanonicalUrl, IpAddress } from "../../../src/core/units.ts";
import { defaultFetchLimits } from "../../../src/ports/fetcher.ts";
import type { BodyAccount, FetchRequest } from "../../../src/ports/fetcher.ts";

const limits = {
  ...defaultFetchLimits,
  connectTimeoutMs: 10,
  headTimeoutMs: 20,
  idleTimeoutMs: 30,
  totalTimeoutMs: 100,
};
const { signal } = new AbortController();

/** One exchange, sent on a connection and by a clock that the test moves. */
class Run {
  ms = 0;
  readonly connection = { dials: 0, dispatch: () => undefined };
  /** What became of the connection, and what was settled, in this order. */
  readonly done: unknown[] = [];
  readonly exchange: Exchange;

  constructor(request: Partial<FetchRequest> = {}, dials = 0) {
    this.connection.dials = dials;
    const host: ExchangeHost = {
      nowMs: () => this.ms,
      lease: () => this.connection as unknown as Connection,
      release: () => void this.done.push("released"),
      discard: () => void this.done.push("discarded"),
      onSettled: () => undefined,
    };
    const target = { url: "http://a.example/" as CanonicalUrl, address: "192.0.2.1" as IpAddress };
    this.exchange = new Exchange(
      { ...target, headers: {}, limits, wantsBody: () => true, ...request },
      { path: "/", fields: [], sent: [] },
      signal,
      host,
      (outcome) => void this.done.push(outcome),
      (error) => void this.done.push(error),
    );
    this.exchange.send();
  }

  get controller(): Dispatcher.DispatchController {
    const abort = (): void => void this.done.push("taken back");
    const pause = (): void => void this.done.push("paused");
    const resume = (): void => void this.done.push("resumed");
    const controller = { rawHeaders: [], abort, pause, resume };
    return controller as unknown as Dispatcher.DispatchController;
  }

  begin(status: number, headers: Record<string, string>): this {
    this.exchange.onRequestStart(this.controller);
    this.exchange.onResponseStarted();
    this.exchange.onResponseStart(this.controller, status, headers);
    return this;
  }

  data(bytes: Buffer): void {
    this.exchange.onResponseData(this.controller, bytes);
  }

  expireAt(ms: number): void {
    this.ms = ms;
    this.exchange.expire(ms);
  }
}

function failed(failure: string): object {
  return { kind: "failure", failure };
}

describe("a body that is not wanted", () => {
  const unread = { kind: "response", status: 200, bodyRead: false };
  const withLength = (length: number | undefined): Run => {
    const headers = length === undefined ? undefined : { "content-length": `${length}` };
    return new Run({ wantsBody: () => false }).begin(200, headers ?? {});
  };

  it.each([
    ["short", 16_384, []],
    ["long", 16_385, ["discarded", unread]],
    ["of no known length", undefined, ["discarded", unread]],
  ])("is read to its end where it is short (%s)", (_, length, done) => {
    expect(withLength(length).done).toMatchObject(done);
  });

  it("leaves its connection to the next request when it has been read", () => {
    const run = withLength(100);
    run.data(Buffer.alloc(100));
    run.exchange.onResponseEnd();
    expect(run.done).toMatchObject(["released", unread]);
  });

  it.each<[string, (run: Run) => void]>([
    ["breaks off", ({ exchange }) => exchange.onResponseError(null, new Error("reset"))],
    [
      "falls silent",
      (run) => {
        run.expireAt(29);
        expect(run.done).toEqual([]);
        run.expireAt(30);
      },
    ],
    [
      "takes too long",
      (run) => {
        for (const ms of [25, 50, 75, 99]) {
          run.expireAt(ms);
          run.data(Buffer.alloc(1));
        }
        expect(run.done).toEqual([]);
        run.expireAt(100);
      },
    ],
  ])("is none of what the head says, also where it %s", (_, end) => {
    const run = withLength(100);
    end(run);
    expect(run.done).toMatchObject(["discarded", unread]);
    expect(run.done[1]).not.toHaveProperty("truncation");
  });
});

describe("a body that waits for room", () => {
  /** What the account calls once there is some. */
  let goOn: () => void = () => undefined;
  const account: BodyAccount = {
    take: () => false,
    giveBack: () => undefined,
    whenRoom: (listener) => (goOn = listener),
  };

  it("does not come before there is, also where it has to wait again at once", async () => {
    const run = new Run({ account }).begin(200, {});
    run.data(Buffer.alloc(1));
    goOn();
    run.data(Buffer.alloc(1));
    await Promise.resolve();
    expect(run.done).toEqual(["paused", "paused"]);
    goOn();
    await Promise.resolve();
    expect(run.done).toEqual(["paused", "paused", "resumed"]);
  });

  it("gives its server the usual time once it goes on, and no more", () => {
    const run = new Run({ account }).begin(200, {});
    run.ms = 10;
    run.data(Buffer.alloc(1));
    run.ms = 1_000;
    goOn();
    run.ms = 1_010;
    run.data(Buffer.alloc(1));
    goOn();
    run.expireAt(1_039);
    expect(run.done).toEqual(["paused", "paused"]);
    run.expireAt(1_040);
    expect(run.done).toMatchObject(["paused", "paused", "discarded", failed("idle-timeout")]);
  });
});

describe("an exchange", () => {
  it.each<[string, number, (run: Run) => void]>([
    ["connect-timeout", 10, () => undefined],
    ["head-timeout", 24, (run) => run.exchange.onRequestStart(run.controller)],
    ["idle-timeout", 34, (run) => void run.begin(200, {})],
  ])("ends by %s when that is over, and no sooner", (failure, endMs, begin) => {
    const run = new Run();
    run.ms = 4;
    begin(run);
    run.expireAt(endMs - 1);
    expect(run.done).toEqual([]);
    run.expireAt(endMs);
    expect(run.done).toMatchObject(["discarded", failed(failure)]);
  });

  it("takes longer than its own time where the decoding does, but not for ever", () => {
    const run = new Run().begin(200, { "content-encoding": "gzip" });
    run.data(gzipSync(Buffer.alloc(4_000_000)));
    run.exchange.onResponseEnd();
    run.expireAt(29_999);
    expect(run.done).toEqual(["released"]);
    run.expireAt(30_000);
    expect(run.done).toMatchObject(["released", failed("total-timeout")]);
  });

  it("leaves its connection before it decodes what has come, where no more of it is wanted", () => {
    const run = new Run({ limits: { ...limits, bodyBytesMax: 50 } });
    run.begin(200, { "content-encoding": "gzip" });
    run.data(gzipSync(randomBytes(100)));
    expect(run.done).toEqual(["discarded"]);
  });

  it("is not begun too late", () => {
    const run = new Run({ isLate: () => true });
    run.exchange.onRequestStart(run.controller);
    expect(run.done).toMatchObject(["discarded", failed("aborted"), "taken back"]);
  });

  it.each([
    ["in time, of a new connection", 0, { kind: "response", status: 408 }],
    ["of one that was opened for it meanwhile", 1, { kind: "response", status: 408 }],
    ["of one that had waited for too long", 2, failed("connection-stale")],
  ])("takes a 408 for what it is (%s)", (_, dialsBefore, outcome) => {
    const run = new Run({ wantsBody: () => false }, dialsBefore);
    run.connection.dials = dialsBefore === 0 ? 1 : 2;
    run.begin(408, {});
    expect(run.done).toMatchObject(["discarded", outcome]);
  });

  it("fails its caller where the request itself is wrong", () => {
    const run = new Run();
    const wrong = Object.assign(new Error("invalid path"), { code: "UND_ERR_INVALID_ARG" });
    run.exchange.onResponseError(null, wrong);
    expect(run.done).toEqual(["discarded", expect.any(InvariantError)]);
  });
});
