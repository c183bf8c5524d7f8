import { randomBytes } from "node:crypto";
import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BodyBudget } from "../../../src/peer/fetching/body-budget.ts";
import type { FetchOutcome, FetchRequest } from "../../../src/ports/fetcher.ts";
import { failureOfOutcome, requestTo, responseOf } from "../../contracts/fetcher.ts";
import type { ServedOrigin } from "../../contracts/fetcher.ts";
import { HttpHarness } from "./http-harness.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const bodyBytesMax = MiB;
const smallBytesMax = 64 * KiB;
/** Of a socket or of a decoder: what may be on its way when a body is to wait. */
const readBytesMax = 64 * KiB;

/** Does not get smaller. */
const noise = randomBytes(900 * KiB);
/** Gets so small that it is decoded when all of it has come. */
const text = Buffer.from(Array.from({ length: 200_000 }, (_, at) => `${at % 500} `).join(""));

/** The ways in which a body may be long. */
const ways: Readonly<Record<string, RequestListener>> = {
  "a counted body": (_, response) => {
    response.setHeader("Content-Length", noise.length);
    response.end(noise);
  },
  "a chunked body": (_, response) => inChunks(response),
  "a body that ends with its connection": (_, response) => {
    response.setHeader("Connection", "close");
    response.useChunkedEncodingByDefault = false;
    response.end(noise);
  },
  "a long coded body": (_, response) => coded(response, noise),
  "a body that is long when it is decoded": (_, response) => coded(response, text),
};

function inChunks(response: ServerResponse): void {
  for (let at = 0; at < noise.length; at += 10_000) response.write(noise.subarray(at, at + 10_000));
  response.end();
}

function coded(response: ServerResponse, body: Buffer): void {
  response.setHeader("Content-Encoding", "gzip");
  response.end(gzipSync(body));
}

const notFound: RequestListener = (_, response) => response.writeHead(404).end();

function sentBy(way: string): Buffer {
  return way.endsWith("decoded") ? text : noise;
}

describe("UndiciFetcher with a budget for bodies", () => {
  let harness: HttpHarness;
  let nowMs: number;
  beforeEach(() => {
    nowMs = 0;
    harness = new HttpHarness({}, () => nowMs);
  });
  afterEach(async () => {
    await harness.stop();
  });

  it("brings many long bodies within the budget, all of them whole", async () => {
    const count = 8;
    const budget = new BodyBudget({ bytesMax: 8 * MiB, smallBytesMax }, bodyBytesMax, () => 0);
    let most = 0;
    const fetchOf = async (site: ServedOrigin): Promise<FetchOutcome> => {
      const account = budget.open();
      const take = (bytes: number): boolean => {
        const mayGoOn = account.take(bytes);
        most = Math.max(most, budget.bytes);
        return mayGoOn;
      };
      const watched = {
        take,
        giveBack: (bytes: number) => account.giveBack(bytes),
        whenRoom: (goOn: () => void) => account.whenRoom(goOn),
      };
      const outcome = await harness.fetch(requestTo(site, "/", { account: watched }));
      account.close();
      return outcome;
    };
    const fetches: Promise<readonly [string, FetchOutcome]>[] = [];
    for (const [way, listener] of Object.entries(ways)) {
      for (let at = 0; at < count; at += 1) {
        const site = await harness.http(listener);
        fetches.push(fetchOf(site).then((outcome) => [way, outcome] as const));
      }
    }
    for (const [way, outcome] of await Promise.all(fetches)) {
      const { body, truncation } = responseOf(outcome);
      expect([way, truncation, sentBy(way).equals(body)]).toEqual([way, undefined, true]);
    }
    expect(most).toBeGreaterThan(4 * MiB);
    expect(most).toBeLessThan(8 * MiB + fetches.length * (smallBytesMax + readBytesMax));
    expect(budget.bytes).toBe(0);
    expect(harness.fetcher.connections.leased).toBe(0);
  });

  it("counts nothing more of a body whose caller gives up while it is decoded", async () => {
    const way = "a body that is long when it is decoded";
    const site = await harness.http(ways[way] ?? notFound);
    const budget = new BodyBudget({ bytesMax: 2 * MiB, smallBytesMax }, bodyBytesMax, () => 0);
    const account = budget.open();
    const giveUp = new AbortController();
    const take = (bytes: number): boolean => {
      const mayGoOn = account.take(bytes);
      if (budget.bytes > 0) giveUp.abort();
      return mayGoOn;
    };
    const watched = { take, giveBack: () => undefined, whenRoom: () => undefined };
    const fetched = harness.fetch(requestTo(site, "/", { account: watched }), giveUp.signal);
    expect(failureOfOutcome(await fetched)).toBe("aborted");
    account.close();
    // As much again is decoded behind it.
    expect(responseOf(await harness.fetch(requestTo(site, "/"))).body.length).toBe(text.length);
    expect(budget.bytes).toBe(0);
  });

  describe("that is used up", () => {
    let budget: BodyBudget;
    let others: ReturnType<BodyBudget["open"]>;
    let account: ReturnType<BodyBudget["open"]>;
    let waits: PromiseWithResolvers<undefined>;
    beforeEach(() => {
      waits = Promise.withResolvers();
      budget = new BodyBudget({ bytesMax: 2 * MiB, smallBytesMax }, bodyBytesMax, () =>
        waits.resolve(undefined),
      );
      others = budget.open();
      others.take(2 * MiB);
      account = budget.open();
    });

    const hour = 3_600_000;
    const request = (site: ServedOrigin, changes: Partial<FetchRequest> = {}): FetchRequest =>
      requestTo(site, "/", { account, ...changes }, { roomTimeoutMs: 2 * hour });

    /** Moves the time on, and resolves when all deadlines have been looked at. */
    async function passHour(): Promise<void> {
      const silent = await harness.raw(() => undefined);
      const outcome = harness.fetch(requestTo(silent, "/"));
      nowMs += hour;
      expect(failureOfOutcome(await outcome)).toMatch(/timeout$/);
    }

    it.each(Object.keys(ways))("keeps %s waiting at no cost to its server", async (way) => {
      const site = await harness.http(ways[way] ?? notFound);
      const fetched = harness.fetch(request(site));
      await waits.promise;
      expect(budget.bytes).toBeLessThanOrEqual(2 * MiB + smallBytesMax + readBytesMax);
      await passHour();
      others.close();
      const { body, truncation } = responseOf(await fetched);
      expect(truncation).toBeUndefined();
      expect(sentBy(way).equals(body)).toBe(true);
    });

    it.each(Object.keys(ways))("cuts %s that has waited for too long", async (way) => {
      const site = await harness.http(ways[way] ?? notFound);
      const fetched = harness.fetch(request(site));
      await waits.promise;
      await passHour();
      await passHour();
      const { body, encodedBody, truncation } = responseOf(await fetched);
      expect(truncation).toBe("time");
      const sent = sentBy(way);
      expect(sent.subarray(0, body.length).equals(body)).toBe(true);
      expect(body.length).toBeLessThan(sent.length);
      expect(encodedBody.length + body.length).toBeGreaterThan(0);
      account.close();
      expect(budget.bytes).toBe(2 * MiB);
      expect(harness.fetcher.connections.leased).toBe(0);
    });

    it("lets a small body come, and the next one on its connection", async () => {
      const site = await harness.http((_, response) => response.end("small"));
      await harness.fetch(request(site));
      const { body } = responseOf(await harness.fetch(request(site)));
      expect(new TextDecoder().decode(body)).toBe("small");
      expect(harness.openSockets).toBe(1);
    });

    it("uses the connection of a body that has waited again", async () => {
      const site = await harness.http((_, response) => inChunks(response));
      const fetched = harness.fetch(request(site));
      await waits.promise;
      others.close();
      await fetched;
      account.close();
      account = budget.open();
      expect(noise.equals(responseOf(await harness.fetch(request(site))).body)).toBe(true);
      expect(harness.openSockets).toBe(1);
    });

    it("forgets a body that waits when its caller gives up", async () => {
      const site = await harness.http((_, response) => inChunks(response));
      const giveUp = new AbortController();
      const fetched = harness.fetch(request(site), giveUp.signal);
      await waits.promise;
      giveUp.abort();
      expect(failureOfOutcome(await fetched)).toBe("aborted");
      account.close();
      expect(budget.bytes).toBe(2 * MiB);
      others.close();
      expect(harness.fetcher.connections).toEqual({ leased: 0, idle: 0 });
    });

    it("tells of a body that broke off while it waited, once it goes on", async () => {
      let socket: Socket | undefined;
      const site = await harness.http((incoming, response) => {
        socket = incoming.socket;
        response.write(noise);
      });
      const fetched = harness.fetch(request(site));
      await waits.promise;
      socket?.resetAndDestroy();
      others.close();
      expect(failureOfOutcome(await fetched)).toBe("connection-reset");
      account.close();
      expect(budget.bytes).toBe(0);
    });
  });
});
