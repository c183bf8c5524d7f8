import type { MessageStream, PeerId } from "@libp2p/interface";
import { Uint8ArrayList } from "uint8arraylist";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewEncrypter } from "../../../src/adapters/libp2p/each-secured.ts";
import { limitAnswers, OpeningLimits } from "../../../src/adapters/libp2p/opening-limits.ts";

const peer = { toString: () => "a" } as PeerId;

/** A multiplexer of a connection that is encrypted, as far as it opens streams. */
interface Muxer {
  _newStream(id: number, state: unknown, direction: "inbound" | "outbound"): { protocol: string };
}

type NewMuxer = Parameters<OpeningLimits["muxer"]>[0];

async function muxerOf(limits: OpeningLimits, status = "open"): Promise<Muxer> {
  const connection = { status, send: () => true } as unknown as MessageStream;
  const secured = Promise.resolve({ connection, remotePeer: peer });
  const noise = { secureInbound: () => secured, secureOutbound: () => secured };
  const newEncrypter = limits.encrypter((() => noise) as unknown as NewEncrypter);
  const encrypter = newEncrypter({} as Parameters<NewEncrypter>[0]);
  await encrypter.secureInbound(connection);
  const inner = {
    decoder: { buffer: new Uint8ArrayList() },
    streams: [],
    onData: () => undefined,
    _newStream: () => ({ protocol: "", send: () => true }),
  };
  const factory = { protocol: "/yamux", createStreamMuxer: () => inner };
  const newMuxer = limits.muxer((() => factory) as unknown as NewMuxer);
  return newMuxer().createStreamMuxer(connection) as unknown as Muxer;
}

describe("streams that a peer opens", () => {
  const floods: string[] = [];
  let isGreeted = false;
  const newLimits = () =>
    new OpeningLimits(
      (flooding) => floods.push(flooding.toString()),
      () => isGreeted,
    );

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    floods.length = 0;
  });
  afterEach(() => vi.useRealTimers());

  it.each([
    ["has not greeted", false, 64],
    ["has greeted", true, 512],
  ])("are so many in a second where it %s, and again in the next", async (_, greeted, most) => {
    isGreeted = greeted;
    const muxer = await muxerOf(newLimits());
    for (let second = 0; second < 2; second += 1) {
      for (let id = 0; id < most; id += 1) muxer._newStream(id, 0, "inbound");
      vi.advanceTimersByTime(1_000);
    }
    for (let id = 0; id < most; id += 1) muxer._newStream(id, 0, "inbound");
    expect(() => muxer._newStream(0, 0, "outbound")).not.toThrow();
    expect(floods).toEqual([]);
    expect(() => muxer._newStream(0, 0, "inbound")).toThrow("too many streams");
    expect(floods).toEqual(["a"]);
  });

  it("are none on a connection that has ended", async () => {
    await expect(muxerOf(newLimits(), "aborted")).rejects.toThrow("has ended");
  });
});

describe("what is sent before a protocol is agreed on", () => {
  it("is sixteen answers, and one word of a flood", () => {
    let sent = 0;
    let floods = 0;
    const stream = { send: () => (sent += 1) > 0 };
    limitAnswers(
      stream,
      () => false,
      () => (floods += 1),
    );
    const send = (): boolean => stream.send();
    for (let count = 0; count < 16; count += 1) send();
    for (let count = 0; count < 3; count += 1) expect(send).toThrow("too many protocols");
    expect({ sent, floods }).toEqual({ sent: 16, floods: 1 });
  });

  it("is anything once one has been agreed on, whatever is said of it later", () => {
    let isAgreed = true;
    const stream = { send: () => true };
    limitAnswers(stream, () => isAgreed);
    stream.send();
    isAgreed = false;
    for (let count = 0; count < 100; count += 1) expect(stream.send()).toBe(true);
  });
});
