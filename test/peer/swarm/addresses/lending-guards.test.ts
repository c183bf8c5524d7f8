import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import {
  decodeCallAddressesReply,
  encodeCallAddresses,
  encodeHandOverAddresses,
  encodeLendAddresses,
} from "../../../../src/core/messages/address-lending.ts";
import { messageKinds } from "../../../../src/core/messages/message-kinds.ts";
import { defaultLendingOptions } from "../../../../src/core/politeness/address-loan.ts";
import { positionOfAddress } from "../../../../src/core/politeness/address-stewards.ts";
import type { IpAddress, MemberId } from "../../../../src/core/units.ts";
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

/** What the other member is answered by one that has no address in use. */
async function answerTo(kind: number, payload: Uint8Array): ReturnType<OverlayHandler> {
  const handlers = new Map<number, OverlayHandler>();
  const overlay: Partial<Overlay> = {
    serve: (served, handler) => void handlers.set(served, handler),
    request: () => Promise.resolve({ kind: "timeout" }),
  };
  const bench = {
    borrowAddresses: () => [],
    lendAddress: () => undefined,
    addressUse: () => undefined,
  };
  const ports = { clock: new VirtualClock(), overlay: overlay as Overlay };
  const lending = new AddressLending(ports, { view, bench }, defaultLendingOptions);
  lending.serve(ports.overlay);
  lending.membersChanged();
  const answer = await handlers.get(kind)?.(other, payload);
  lending.abandon();
  if (!answer) throw new Error("nobody serves this kind of request");
  return answer;
}

function asked(address: IpAddress, generation = 1): ReturnType<OverlayHandler> {
  const ask = { kind: "ask" as const, address, heldMs: 0, busy: false, restMs: 0 };
  const payload = encodeLendAddresses({ generation, sequence: 1, items: [ask] });
  return answerTo(messageKinds.lendAddresses, payload);
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

describe("a borrower of addresses", () => {
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
