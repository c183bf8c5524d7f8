import { expect, it } from "vitest";
import { UnsettledOffers } from "../../../src/peer/admission/unsettled-offers.ts";

it("counts from the oldest offers on that are not durable yet", async () => {
  const offers = new UnsettledOffers(100);
  const first = Promise.withResolvers<undefined>();
  const second = Promise.withResolvers<undefined>();
  expect(offers.isTooMany(1_000)).toBe(false);
  offers.offer(40)(first.promise);
  offers.offer(50)(second.promise);
  offers.offer(5);
  expect(offers.isTooMany(5)).toBe(false);
  expect(offers.isTooMany(6)).toBe(true);
  first.resolve(undefined);
  await first.promise;
  expect(offers.isTooMany(45)).toBe(false);
  expect(offers.isTooMany(46)).toBe(true);
  second.resolve(undefined);
  await second.promise;
  expect(offers.isTooMany(1_000)).toBe(false);
});
