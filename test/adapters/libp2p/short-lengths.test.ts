import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { LoopbackPlace } from "./loopback-place.ts";
import { newPlainNode } from "./plain-node.ts";
import { RawNode } from "./raw-node.ts";

describe("a length that does not end, once there is a node of libp2p", () => {
  it("is an error of its own as soon as it is too long", async () => {
    await newPlainNode([]);
    const list = new Uint8ArrayList(Buffer.alloc(7, 0x80), Buffer.from([0x7f, 0x80]));
    expect([6, 7, 8].map((index) => list.get(index))).toEqual([0x80, 0x7f, 0x80]);
    const endless = new Uint8ArrayList(Buffer.alloc(8, 0x80));
    expect(() => endless.get(7)).toThrow("a length that does not end");
  });

  it("breaks the stream that it comes on before anything behind it is read", async () => {
    const place = new LoopbackPlace();
    const member = await place.member();
    await member.overlay.start();
    const raw = await RawNode.start();
    const connection = await raw.greet(member.overlay.addresses[0] ?? "");
    const stream = await raw.open(connection, "lookup");
    stream.send(Buffer.concat([Buffer.alloc(8, 0x80), Buffer.alloc(1_000)]));
    await raw.open(connection, "lookup");
    expect(stream.status).toBe("reset");
    await raw.stop();
    await place.run(() => Promise.resolve());
  });
});
