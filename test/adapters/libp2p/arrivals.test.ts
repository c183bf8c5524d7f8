import type { Connection, Stream } from "@libp2p/interface";
import { expect, it } from "vitest";
import { Arrivals } from "../../../src/adapters/libp2p/arrivals.ts";
import { CollectingBudget } from "../../../src/adapters/libp2p/memory-budget.ts";

it("ends the streams that have waited longest where too many wait for a greeting", async () => {
  const greeting = Promise.withResolvers<boolean>();
  const nothing = (): void => undefined;
  const ports = {
    isGreeted: () => greeting.promise,
    onNotice: nothing,
    onNoticeDropped: nothing,
    onReplyTooLong: nothing,
    onViolation: nothing,
    nowMs: () => 0,
  };
  const arrivals = new Arrivals(ports, new CollectingBudget(1));
  const ended: number[] = [];
  const waiting = Array.from({ length: 258 }, (_, n) => {
    const stream = { status: "open", abort: () => ended.push(n) } as unknown as Stream;
    const connection = {} as Connection;
    return n % 2 ? arrivals.requests(stream, connection) : arrivals.notices(stream, connection);
  });
  expect(ended).toEqual([0, 1]);
  ended.length = 0;
  greeting.resolve(false);
  await Promise.all(waiting);
  expect(ended.length).toBe(258);
});
