import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeCallAddresses,
  decodeCallAddressesReply,
  decodeHandOverAddresses,
  decodeHandOverAddressesReply,
  decodeLendAddresses,
  decodeLendAddressesReply,
  encodeCallAddresses,
  encodeCallAddressesReply,
  encodeHandOverAddresses,
  encodeHandOverAddressesReply,
  encodeLendAddresses,
  encodeLendAddressesReply,
} from "../../../src/core/messages/address-lending.ts";
import type { LoanAnswer } from "../../../src/core/politeness/address-loan.ts";
import type { IpAddress } from "../../../src/core/units.ts";
import { generations, members } from "./arbitrary.ts";
import { expectSafe, plain } from "./hostile.ts";

const addresses = fc.oneof(fc.ipV4(), fc.ipV6()).map((text) => text.toLowerCase() as IpAddress);
const durations = fc.double({ min: 0, max: 600_000, noNaN: true });
const items = fc.record({
  kind: fc.constantFrom("ask" as const, "return" as const),
  address: addresses,
  heldMs: durations,
  busy: fc.boolean(),
  restMs: durations,
});
const lends = fc.record({
  generation: generations,
  sequence: generations,
  items: fc.array(items, { maxLength: 3 }),
});
const answers: fc.Arbitrary<LoanAnswer> = fc.oneof(
  fc.record({
    kind: fc.constant("lent" as const),
    sliceMs: durations,
    restMs: durations,
    shared: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("later" as const), afterMs: durations }),
);
const lists = fc.array(addresses, { maxLength: 3 });
const calls = fc.record({ generation: generations, recalled: lists, turns: lists });
const states = fc.record(
  {
    holder: fc.record({ member: members, generation: generations }),
    sequence: generations,
    heldMs: durations,
    restMs: durations,
    unsureMs: durations,
  },
  { requiredKeys: ["sequence", "heldMs", "restMs", "unsureMs"] },
);

describe("messages about the loan of addresses", () => {
  it("arrive as they were sent", () => {
    fc.assert(
      fc.property(lends, answers, calls, states, (lend, answer, call, state) => {
        expect(plain(decodeLendAddresses(encodeLendAddresses(lend)))).toEqual(plain(lend));
        expect(decodeLendAddressesReply(encodeLendAddressesReply([answer]), 1)).toEqual([answer]);
        expect(plain(decodeCallAddresses(encodeCallAddresses(call)))).toEqual(plain(call));
        const sent = encodeHandOverAddressesReply([state]);
        expect(plain(decodeHandOverAddressesReply(sent, 1))).toEqual(plain([state]));
      }),
    );
    const reply = { generation: 5, sequence: 7, restsMs: [12.5, undefined] };
    expect(decodeCallAddressesReply(encodeCallAddressesReply(reply), 2)).toEqual(reply);
  });

  it("are safe to receive from a stranger", () => {
    expectSafe(lends.map(encodeLendAddresses), decodeLendAddresses, encodeLendAddresses);
    expectSafe(calls.map(encodeCallAddresses), decodeCallAddresses, encodeCallAddresses);
    const two = (payload: Uint8Array) => decodeHandOverAddressesReply(payload, 2);
    const pairs = fc.tuple(states, states).map(encodeHandOverAddressesReply);
    expectSafe(pairs, two, encodeHandOverAddressesReply);
    expectSafe(
      lists.map(encodeHandOverAddresses),
      decodeHandOverAddresses,
      encodeHandOverAddresses,
    );
  });

  it("are refused with another number of answers, a strange address, or an endless slice", () => {
    const answer = { kind: "lent", sliceMs: 1, restMs: 0, shared: false } as const;
    expect(decodeLendAddressesReply(encodeLendAddressesReply([answer]), 2)).toBeUndefined();
    const endless = encodeLendAddressesReply([{ ...answer, sliceMs: Infinity }]);
    expect(decodeLendAddressesReply(endless, 1)).toBeUndefined();
    const strange = encodeHandOverAddresses(["not an address" as IpAddress]);
    expect(decodeHandOverAddresses(strange)).toBeUndefined();
  });
});
