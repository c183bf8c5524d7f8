import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import {
  decodeCallAddressesReply,
  decodeLendAddresses,
  encodeCallAddresses,
  encodeCallAddressesReply,
  encodeHandOverAddresses,
  encodeLendAddresses,
  encodeLendAddressesReply,
  lendingItemsMax,
  type LendAddresses,
} from "../../../../src/core/messages/address-lending.ts";
import type { AddressLoans } from "../../../../src/core/frontier/workbench.ts";
import { messageKinds } from "../../../../src/core/messages/message-kinds.ts";
import { defaultLendingOptions } from "../../../../src/core/politeness/address-loan.ts";
import { positionOfAddress } from "../../../../src/core/politeness/address-stewards.ts";
import type { LoanSpan } from "../../../../src/core/politeness/address-borrower.ts";
import type { IpAddress, MemberId, Millis } from "../../../../src/core/units.ts";
import { AddressLending } from "../../../../src/peer/swarm/addresses/address-lending.ts";
import type { Overlay, OverlayHandler } from "../../../../src/ports/overlay.ts";
import { stillView } from "../still-view.ts";

const [self, other] = ["peer-1", "peer-2"] as [MemberId, MemberId];
const view = stillView(self, other);

/** The first address that the member lends. */
function lentBy(steward: MemberId): IpAddress {
  for (let last = 1; ; last += 1) {
    const address = `192.0.2.${last}` as IpAddress;
    if (view.ring.ownerOf(positionOfAddress(address)) === steward) return address;
  }
}

const [own, theirs] = [lentBy(self), lentBy(other)];

interface LoanedSpan {
  readonly address: IpAddress;
  readonly untilMs: Millis;
}

/** A member that wants addresses, and has some in use; `reply` says what the other one answers. */
function newLending(
  reply: (kind: number, message: Uint8Array) => Uint8Array | undefined,
  used: IpAddress[] = [],
) {
  const handlers = new Map<number, OverlayHandler>();
  const clock = new VirtualClock();
  const spans: LoanedSpan[] = [];
  let loans: AddressLoans | undefined;
  const overlay: Partial<Overlay> = {
    serve: (served, handler) => void handlers.set(served, handler),
    request: ({ kind, payload }) => {
      const answer = reply(kind, payload);
      return Promise.resolve(answer ? { kind: "reply", payload: answer } : { kind: "timeout" });
    },
  };
  const bench = {
    borrowAddresses: (lent: AddressLoans) => {
      loans = lent;
      return used;
    },
    lendAddress: (address: IpAddress, { untilMs }: LoanSpan) =>
      void spans.push({ address, untilMs }),
    addressUse: () => ({ busy: false, nextAtMs: 0, clockAtMs: 0 }),
  };
  const ports = { clock, overlay: overlay as Overlay };
  const lending = new AddressLending(ports, { view, bench }, defaultLendingOptions);
  lending.serve(ports.overlay);
  lending.membersChanged();
  const want = (address: IpAddress): void => loans?.wanted(address);
  const spanOf = (address: IpAddress): LoanSpan | undefined => loans?.spanOf(address);
  const answerTo = (kind: number, payload: Uint8Array): ReturnType<OverlayHandler> => {
    const handler = handlers.get(kind);
    if (!handler) throw new Error("nobody serves this kind of request");
    return handler(other, payload);
  };
  return { answerTo, clock, lending, spanOf, spans, want };
}

/** What the other member is answered by one that has no address in use. */
async function answerTo(kind: number, payload: Uint8Array): ReturnType<OverlayHandler> {
  const { answerTo, lending } = newLending(() => undefined);
  const answer = await answerTo(kind, payload);
  lending.abandon();
  return answer;
}

function questionFor(address: IpAddress, generation = 1): Uint8Array {
  const ask = { kind: "ask" as const, address, heldMs: 0, busy: false, restMs: 0 };
  return encodeLendAddresses({ generation, sequence: 1, items: [ask] });
}

function asked(address: IpAddress, generation = 1): ReturnType<OverlayHandler> {
  return answerTo(messageKinds.lendAddresses, questionFor(address, generation));
}

/** What a member wants of the other one or gives back to him, from what it sends. */
function itemsOf(payload: Uint8Array): LendAddresses["items"] {
  return decodeLendAddresses(payload)?.items ?? [];
}

function called(recalled: readonly IpAddress[], generation = 1): ReturnType<OverlayHandler> {
  const payload = encodeCallAddresses({ generation, recalled, turns: [] });
  return answerTo(messageKinds.callAddresses, payload);
}

function askedToHandOver(address: IpAddress): ReturnType<OverlayHandler> {
  return answerTo(messageKinds.handOverAddresses, encodeHandOverAddresses([address]));
}

describe("a steward of addresses", () => {
  it("lends none of which the other one is the steward", async () => {
    expect(await asked(own)).toMatchObject({ kind: "reply" });
    expect(await asked(theirs)).toMatchObject({ kind: "busy" });
  });

  it("lends none to a run that is over", async () => {
    expect(await asked(own, 2)).toMatchObject({ kind: "busy" });
  });

  it("tells who has an address only those that lend it, or have lent it", async () => {
    expect(await askedToHandOver(theirs)).toMatchObject({ kind: "reply" });
    expect(await askedToHandOver(own)).toMatchObject({ kind: "busy" });
  });
});

describe("a steward that wants an address back", () => {
  it.each([
    [1, "has it when the borrower gives it back"],
    [2, "has it not when another run answers for the borrower"],
  ])("as run %i answers, %s", async (generation) => {
    const { answerTo, clock, lending, spans, want } = newLending((kind) =>
      kind === messageKinds.callAddresses
        ? encodeCallAddressesReply({ generation, sequence: 2, restsMs: [0] })
        : undefined,
    );
    await answerTo(messageKinds.lendAddresses, questionFor(own));
    want(own);
    await clock.run(clock.sleep(1_000));
    expect(spans.some(({ address, untilMs }) => address === own && untilMs > 0)).toBe(
      generation === 1,
    );
    lending.abandon();
  });
});

describe("a borrower of addresses", () => {
  it("lets no more wait for a steward than is told in four messages", async () => {
    let items = 0;
    const { clock, lending, want } = newLending((_, payload) => {
      items += itemsOf(payload).length;
      return undefined;
    });
    const waitingMax = 4 * lendingItemsMax;
    let wanted = 0;
    for (let at = 0; wanted < waitingMax + 100; at += 1) {
      const address = `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` as IpAddress;
      if (view.ring.ownerOf(positionOfAddress(address)) !== other) continue;
      want(address);
      wanted += 1;
    }
    await clock.run(clock.sleep(10));
    expect(items).toBe(waitingMax);
    lending.abandon();
  });

  it("gives back what it has on loan when it stops", async () => {
    const told: LendAddresses["items"][number][] = [];
    const { clock, lending, want } = newLending((_, payload) => {
      told.push(...itemsOf(payload));
      const lent = { kind: "lent" as const, sliceMs: 40_000, restMs: 0, shared: false };
      return encodeLendAddressesReply([lent]);
    });
    want(theirs);
    await clock.run(clock.sleep(100));
    expect(told).toMatchObject([{ kind: "ask", address: theirs }]);
    lending.stop();
    expect(told.slice(1)).toMatchObject([{ kind: "return", address: theirs }]);
    lending.abandon();
  });

  it("has nothing on loan any more when its process has stood still, and asks for all of it anew", async () => {
    let asked = 0;
    const { clock, lending, spans, want } = newLending((_, payload) => {
      asked += itemsOf(payload).length;
      const lent = { kind: "lent" as const, sliceMs: 40_000, restMs: 0, shared: false };
      return encodeLendAddressesReply([lent]);
    });
    want(theirs);
    await clock.run(clock.sleep(100));
    const untilMs = spans.at(-1)?.untilMs ?? 0;
    expect([asked, untilMs > clock.nowMs()]).toEqual([1, true]);
    lending.forfeit();
    expect(spans.at(-1)).toEqual({ address: theirs, untilMs: 0 });
    await clock.run(clock.sleep(100));
    expect(asked).toBe(2);
    expect(spans.at(-1)?.untilMs).toBeGreaterThan(untilMs);
    lending.abandon();
  });

  it("needs no loan for a host without an address", () => {
    const standIn = "unresolved:a.example" as IpAddress;
    const { lending, spanOf } = newLending(() => undefined, [standIn, own]);
    expect(spanOf(standIn)).toMatchObject({ fromMs: 0, untilMs: Infinity });
    expect(spanOf(theirs)).toMatchObject({ untilMs: 0 });
    expect(lending.size).toEqual({ borrowed: 1, lent: 1 });
    lending.abandon();
  });

  it("asks nobody for anything once it has stopped, though members change after that", async () => {
    let asked = 0;
    const { clock, lending, want } = newLending((_, payload) => {
      asked += itemsOf(payload).length;
      return undefined;
    });
    lending.stop();
    lending.membersChanged();
    want(theirs);
    await clock.run(clock.sleep(1_000));
    expect([asked, lending.size.lent]).toEqual([0, 0]);
    lending.abandon();
  });

  it("gives back with its answer what its latest question has got it", async () => {
    let asked = 0;
    const { answerTo, clock, lending, want } = newLending((_, payload) => {
      asked = decodeLendAddresses(payload)?.sequence ?? 0;
      const lent = { kind: "lent" as const, sliceMs: 40_000, restMs: 0, shared: false };
      return encodeLendAddressesReply([lent]);
    });
    want(theirs);
    await clock.run(clock.sleep(100));
    const recall = encodeCallAddresses({ generation: 1, recalled: [theirs], turns: [] });
    const answer = await answerTo(messageKinds.callAddresses, recall);
    lending.abandon();
    const said = answer.kind === "reply" && decodeCallAddressesReply(answer.payload, 1);
    expect(asked).toBeGreaterThan(0);
    // A steward takes back what was lent by questions before that number.
    expect(said).toMatchObject({ sequence: asked + 1, restsMs: [0] });
  });

  it("gives an address back only to its steward", async () => {
    const answer = await called([own, theirs]);
    if (answer.kind !== "reply") throw new Error("it is called as the run that it is");
    const [ownMs, theirsMs] = decodeCallAddressesReply(answer.payload, 2)?.restsMs ?? [];
    expect(ownMs).toBeUndefined();
    expect(theirsMs).toBeTypeOf("number");
  });

  it("answers for no other run of itself", async () => {
    expect(await called([theirs], 2)).toMatchObject({ kind: "busy" });
  });
});
