import type { Stream } from "@libp2p/interface";
import type { Libp2p } from "libp2p";
import { expect, it } from "vitest";
import type { AddressBook } from "../../../src/adapters/libp2p/address-book.ts";
import { Dialer } from "../../../src/adapters/libp2p/dialer.ts";
import { limitReplies } from "../../../src/adapters/libp2p/heard-limits.ts";
import { memberIdOf, newPeerKey } from "../../../src/adapters/libp2p/peer-key.ts";
import type { Links } from "../../../src/adapters/libp2p/links.ts";

/** A stream on which a lookup is answered, and what its reader has got of that. */
async function answered(parts: readonly number[]) {
  const stream = new EventTarget();
  let aborted = false;
  Object.assign(stream, { abort: () => (aborted = true) });
  const connectionManager = { openStream: () => Promise.resolve(stream as unknown as Stream) };
  const service = limitReplies(
    (components: { connectionManager: typeof connectionManager }) => components,
  );
  await service({ connectionManager }).connectionManager.openStream();
  let read = 0;
  stream.addEventListener("message", () => (read += 1));
  for (const byteLength of parts) {
    stream.dispatchEvent(Object.assign(new Event("message"), { data: { byteLength } }));
  }
  return { read, aborted };
}

it.each([
  ["reads an answer of twenty members with many addresses", [20_000, 12_768], 2, false],
  ["reads no more of a longer one", [20_000, 12_769, 1], 1, true],
])("a lookup %s", async (_, parts, read, aborted) => {
  expect(await answered(parts)).toEqual({ read, aborted });
});

it("looks for eight members at once, and for others later", async () => {
  const lookups: PromiseWithResolvers<never>[] = [];
  const findPeer = () => {
    const lookup = Promise.withResolvers<never>();
    lookups.push(lookup);
    return lookup.promise;
  };
  const dialer = new Dialer(
    { peerRouting: { findPeer } } as unknown as Libp2p,
    { size: 1, connectionTo: () => undefined } as unknown as Links,
    { addressesOf: () => [] } as unknown as AddressBook,
    () => 0,
  );
  const members = (await Promise.all(Array.from({ length: 10 }, newPeerKey))).map(memberIdOf);
  const [ninth, ...first] = members;
  if (ninth === undefined) throw new Error("no member");
  const dials = first.slice(0, 8).map((member) => dialer.connect(member));
  const unknown = { kind: "unreachable", detail: "no address is known" };
  expect(await dialer.connect(ninth)).toEqual(unknown);
  expect(lookups).toHaveLength(8);
  for (const { reject } of lookups) reject(new Error("not found"));
  expect(await Promise.all(dials)).toEqual(dials.map(() => unknown));
  void dialer.connect(ninth);
  expect(lookups).toHaveLength(9);
});
