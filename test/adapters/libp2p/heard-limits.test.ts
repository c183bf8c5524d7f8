import type { Connection, PeerId, Stream, StreamHandler } from "@libp2p/interface";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limitQuestions } from "../../../src/adapters/libp2p/heard-limits.ts";

/** A stream on which a peer asks, and what has become of it. */
class AskedStream extends EventTarget {
  status = "open";
  sent = 0;

  send(): boolean {
    this.sent += 1;
    return true;
  }

  abort(): void {
    this.status = "aborted";
  }

  ask(byteLength: number): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data: { byteLength } }));
  }
}

describe("a service that answers questions", () => {
  const floods: string[] = [];
  /** Questions that it hears. */
  let heard = 0;
  let handler: StreamHandler;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    floods.length = 0;
    heard = 0;
    const registrar = {
      handle: (_protocol: string, handle: StreamHandler): void => void (handler = handle),
    };
    const service = limitQuestions(
      (components: { registrar: typeof registrar }) => components.registrar,
      (peer) => floods.push(peer.toString()),
    );
    service({ registrar }).handle("/lookup", (stream) => {
      stream.addEventListener("message", () => (heard += 1));
    });
  });
  afterEach(() => vi.useRealTimers());

  function opened(peer = "a"): AskedStream {
    const stream = new AskedStream();
    const remotePeer = { toString: () => peer } as PeerId;
    void handler(stream as unknown as Stream, { remotePeer } as Connection);
    return stream;
  }

  it("hears no more bytes of a peer in a second than any member sends, on whichever stream", () => {
    const [first, second, other] = [opened(), opened(), opened("b")];
    first.ask(32_767);
    second.ask(1);
    expect({ heard, floods }).toEqual({ heard: 2, floods: [] });
    second.ask(1);
    other.ask(1);
    expect({ heard, floods }).toEqual({ heard: 3, floods: ["a"] });
    vi.advanceTimersByTime(1_000);
    first.ask(1);
    expect({ heard, floods }).toEqual({ heard: 4, floods: ["a"] });
  });

  it("gives a peer no more answers in a second than any member asks for, and breaks the stream", () => {
    const [first, second] = [opened(), opened()];
    for (let count = 0; count < 512; count += 1) first.send();
    expect(floods).toEqual([]);
    expect(() => second.send()).toThrow("too many questions");
    expect([first, second].map(({ sent, status }) => ({ sent, status }))).toEqual([
      { sent: 512, status: "open" },
      { sent: 0, status: "aborted" },
    ]);
    expect(floods).toEqual(["a"]);
  });

  it("tells once of a flood on a stream that ends for it", () => {
    const stream = opened();
    for (let count = 0; count < 512; count += 1) stream.send();
    for (let count = 0; count < 3; count += 1) expect(() => stream.send()).toThrow();
    stream.ask(32_769);
    expect({ heard, floods }).toEqual({ heard: 0, floods: ["a"] });
  });
});
