import { expect, it } from "vitest";
import { defaultSieveOptions } from "../../../src/core/sieve/sieve.ts";
import { UnsettledOffers } from "../../../src/peer/admission/unsettled-offers.ts";

it("counts from the oldest offers on that are not durable yet", async () => {
  const sieve = { offers: 7, options: { ...defaultSieveOptions, unsettledOffersMax: 100 } };
  const offers = new UnsettledOffers({ sieve });
  const first = Promise.withResolvers<undefined>();
  const second = Promise.withResolvers<undefined>();
  expect(offers.isTooMany(1_000)).toBe(false);
  const keepFirst = offers.begin();
  sieve.offers += 40;
  keepFirst(first.promise);
  const keepSecond = offers.begin();
  sieve.offers += 50;
  keepSecond(second.promise);
  sieve.offers += 5;
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
