import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { LoopbackPlace } from "./loopback-place.ts";
import { newPlainNode } from "./plain-node.ts";
import { RawNode } from "./raw-node.ts";

describe("a list of bytes, once there is a node of libp2p", () => {
  it.each([
    ["of a byte each", 100_000, () => 1],
    ["each a little shorter than the one before", 1_000, (at: number) => 1_000 - at],
    ["each a little longer than the one before", 1_000, (at: number) => 1 + at],
  ])("keeps pieces %s in few, as they came", async (_, count, lengthOf) => {
    await newPlainNode([]);
    const pieces = Array.from({ length: count }, (_one, at) => Buffer.alloc(lengthOf(at), at));
    const list = new Uint8ArrayList();
    for (const piece of pieces) list.append(piece);
    expect([...list].length).toBeLessThan(100);
    expect(Buffer.concat(pieces).equals(list.subarray())).toBe(true);
    list.consume(list.byteLength - 2);
    expect(list.byteLength).toBe(2);
  });

  it("keeps lists of pieces that are added in few, too", async () => {
    await newPlainNode([]);
    const list = new Uint8ArrayList();
    const bytes = Buffer.from(Array.from({ length: 30_000 }, (_one, at) => at % 251));
    for (let at = 0; at < bytes.length; at += 3) {
      const [first, second] = [bytes.subarray(at, at + 2), bytes.subarray(at + 2, at + 3)];
      list.append(new Uint8ArrayList(first, second));
    }
    expect([...list].length).toBeLessThan(100);
    expect(bytes.equals(list.subarray())).toBe(true);
  });

  it("keeps long pieces as they are", async () => {
    await newPlainNode([]);
    const pieces = Array.from({ length: 100 }, (_one, at) => Buffer.alloc(20_000, at));
    const list = new Uint8ArrayList();
    for (const piece of pieces) list.append(piece);
    expect([...list].every((piece, at) => piece === pieces[at])).toBe(true);
  });

  it("is what libp2p's streams keep what comes in", async () => {
    const place = new LoopbackPlace();
    const member = await place.member();
    await member.overlay.start();
    const raw = await RawNode.start();
    const connection = await raw.greet(member.overlay.addresses[0] ?? "");
    const stream = await raw.open(connection, "control");
    expect(stream).toHaveProperty("readBuffer", expect.any(Uint8ArrayList));
    await raw.stop();
    await place.run(() => Promise.resolve());
  });
});
