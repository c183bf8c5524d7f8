import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeFrame } from "../../../src/adapters/libp2p/frame-codec.ts";
import { windowRequests } from "../../../src/adapters/libp2p/incoming-stream.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { LoopbackPlace, type LoopbackMember } from "./loopback-place.ts";
import { closed, flood, RawNode } from "./raw-node.ts";

const { signal } = new AbortController();
const mebibyte = 1_048_576;

const request = (id: number, bytes = 1): Uint8Array =>
  encodeFrame({ type: "request", id, kind: 1, payload: new Uint8Array(bytes) });

/** A frame of Yamux without content, with the flag that asks for an answer, or another one. */
function muxerFrame(type: number, stream: number, value: number, flag = 1): Uint8Array {
  const frame = Buffer.from([0, type, 0, flag, 0, 0, 0, 0, 0, 0, 0, 0]);
  frame.writeUInt32BE(stream, 4);
  frame.writeUInt32BE(value, 8);
  return frame;
}

const swarmPrefix = "/orbweaver/1/test/0123abcd";

/** A stream that is opened and reset. */
function brokenStream(id: number): Uint8Array {
  return Buffer.concat([muxerFrame(1, id, 0), muxerFrame(1, id, 0, 8)]);
}

/** Protocols that nobody knows, asked for one after the other where one is to be agreed on. */
const unknownProtocols = Buffer.from(`\x13/multistream/1.0.0\n${"\x02a\n".repeat(10_000)}`);

/** A stream on which all of them are asked for. */
function askingStream(id: number): Uint8Array {
  const opened = muxerFrame(0, id, unknownProtocols.length);
  return Buffer.concat([opened, unknownProtocols]);
}

/** Messages of gossip with a claim each, which nobody has signed. */
function forgedClaims(count: number): Uint8Array {
  const topic = Buffer.from(`${swarmPrefix}/claims`);
  const claim = lengthPrefixed(Buffer.concat([Uint8Array.of(0x22, topic.length), topic]));
  const message = lengthPrefixed(Buffer.concat([Uint8Array.of(0x12), claim]));
  return Buffer.alloc(count * message.length, message);
}

/** Questions for whoever is nearest to a key. */
function lookups(count: number, keyBytes = 32): Uint8Array {
  const question = Buffer.concat([Uint8Array.of(0x08, 4, 0x12, keyBytes), Buffer.alloc(keyBytes)]);
  return Buffer.alloc(count * (question.length + 1), lengthPrefixed(question));
}

function lengthPrefixed(message: Uint8Array): Uint8Array {
  const { length } = message;
  const prefix = length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
  return Buffer.concat([Uint8Array.from(prefix), message]);
}

describe("a member that a hostile peer talks to", () => {
  let place: LoopbackPlace;
  let member: LoopbackMember;
  let address: string;
  let raw: RawNode;
  let served = 0;
  let gate: PromiseWithResolvers<undefined>;
  const count = (name: string): number => member.counts.get(name) ?? 0;

  beforeEach(async () => {
    place = new LoopbackPlace();
    member = await place.member();
    served = 0;
    gate = Promise.withResolvers<undefined>();
    gate.resolve(undefined);
    member.overlay.serve(1, async () => {
      served += 1;
      await gate.promise;
      return { kind: "reply", payload: new Uint8Array(mebibyte) };
    });
    await member.overlay.start();
    address = member.overlay.addresses[0] ?? "";
    raw = await RawNode.start();
  });
  afterEach(async () => {
    await raw.stop();
    await place.run(() => Promise.resolve());
  });

  /** The member still serves others. */
  async function expectService(): Promise<void> {
    const other = await place.member();
    await other.overlay.start();
    expect(await other.overlay.join(address, signal)).toMatchObject({ kind: "joined" });
    const outcome = await other.overlay.request(
      {
        to: member.overlay.self,
        class: "control",
        kind: 1,
        payload: Uint8Array.of(1),
        timeoutMs: 9_000,
      },
      signal,
    );
    expect(outcome.kind).toBe("reply");
  }

  it.each([
    ["another protocol", Buffer.from("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".repeat(9))],
    ["a frame of over 4 MiB", Uint8Array.of(0xff, 0xff, 0xff, 0x7f)],
    ["an unknown type", Uint8Array.of(1, 77)],
    [
      "a reply where requests belong",
      encodeFrame({ type: "reply", id: 0, payload: randomBytes(9) }),
    ],
    ["a request twice", Buffer.concat([request(0), request(0)])],
    ["requests out of order", request(1)],
  ])("closes a stream on which it gets %s", async (_, bytes) => {
    const stream = await raw.open(await raw.greet(address), "forwarding");
    stream.send(bytes);
    await closed(stream);
    await place.until("the count", () => count("overlay_violations_total") === 1);
    await expectService();
  });

  it("drops a peer that does so again and again, and keeps it out", async () => {
    const connection = await raw.greet(address);
    for (let time = 0; time < 3; time += 1) {
      const stream = await raw.open(connection, "control");
      stream.send(Uint8Array.of(0));
      await closed(stream);
    }
    await closed(connection);
    expect(member.lines).toContainEqual(
      expect.objectContaining({ event: "peer-dropped", peer: raw.id }),
    );
    await expect(raw.greet(address)).rejects.toThrow();
    const to = raw.id as MemberId;
    member.overlay.learn(to, [raw.address]);
    expect(
      await member.overlay.request(
        { to, class: "control", kind: 1, payload: Uint8Array.of(1), timeoutMs: 9_000 },
        signal,
      ),
    ).toEqual({ kind: "refused", detail: "it broke the protocol" });
    await expectService();
  });

  it("closes a stream with more requests than it has granted, unserved", async () => {
    gate = Promise.withResolvers<undefined>();
    const stream = await raw.open(await raw.greet(address), "forwarding");
    const requests = Array.from({ length: windowRequests + 1 }, (_, id) => request(id));
    stream.send(Buffer.concat(requests));
    await closed(stream);
    expect(served).toBe(windowRequests);
    gate.resolve(undefined);
    await expectService();
  });

  it("closes a stream with more bytes than it has granted, unserved", async () => {
    gate = Promise.withResolvers<undefined>();
    const stream = await raw.open(await raw.greet(address), "transfer");
    stream.send(request(0, mebibyte));
    stream.send(request(1, 1));
    await closed(stream);
    expect(served).toBe(1);
    gate.resolve(undefined);
    await expectService();
  });

  it.each<[string, Parameters<RawNode["breakOff"]>[1]]>([
    ["what cannot be decrypted", (_, below) => below.send(Uint8Array.of(0, 2, 9, 9))],
    ["what is no frame", (encrypted) => encrypted.send(muxerFrame(9, 0, 0))],
  ])("keeps no connection that breaks by %s right behind the handshake", async (_, say) => {
    for (let at = 0; at < 9; at += 1) await raw.breakOff(address, say);
    expect((await raw.greet(address)).status).toBe("open");
    await expectService();
  });

  it("makes no more replies than one window for a peer that does not read them", async () => {
    const stream = await raw.open(await raw.greet(address), "forwarding");
    stream.pause();
    for (let id = 0; id < windowRequests; id += 1) stream.send(request(id));
    await place.until("a full window", () => served === windowRequests);
    await expectService();
    const before = served;
    for (let id = 0; id < windowRequests; id += 1) stream.send(request(windowRequests + id));
    await closed(stream);
    expect(served - before).toBeLessThan(windowRequests / 4);
  });

  it("holds little of frames that are begun and never ended", async () => {
    const connection = await raw.greet(address);
    for (const traffic of ["control", "forwarding", "transfer", "notice"]) {
      const stream = await raw.open(connection, traffic);
      stream.send(request(0, 60_000).subarray(0, 50_000));
    }
    await expectService();
    expect(connection.status).toBe("open");
  });

  it("hears no more notices of a peer than it can use", async () => {
    let heard = 0;
    member.overlay.onNotice(() => (heard += 1));
    const stream = await raw.open(await raw.greet(address), "notice");
    const notice = encodeFrame({ type: "notice", payload: new Uint8Array(65_536) });
    const flooding = flood(stream, notice);
    await place.until("dropped ones", () => count("overlay_dropped_notices_total") > 50);
    stream.abort(new Error("enough"));
    await flooding;
    expect(heard).toBeGreaterThan(0);
    await expectService();
  });

  it("drops notices to a peer that does not read them", async () => {
    await raw.readNothingOf("notice");
    expect(await member.overlay.join(raw.address, signal)).toMatchObject({ kind: "joined" });
    await place.until("dropped ones", () => {
      for (let at = 0; at < 9; at += 1) {
        member.overlay.notify(raw.id as MemberId, new Uint8Array(65_536));
      }
      return count("overlay_dropped_notices_total") > 100;
    });
    await expectService();
  });

  it.each([
    ["pings", (index: number): Uint8Array => muxerFrame(2, 0, index)],
    ["streams without end", (index: number): Uint8Array => muxerFrame(1, 100_001 + 2 * index, 0)],
    ["streams that it resets", (index: number): Uint8Array => brokenStream(100_001 + 2 * index)],
  ])("closes the connection of one that floods it with %s of the muxer", async (_, frame) => {
    const connection = await raw.greet(address);
    raw.sendFrames(900, frame);
    raw.sendFrames(900, frame);
    await closed(connection);
    await place.until("the count", () => count("overlay_violations_total") === 1);
    await expectService();
  });

  it.each([
    ["a new stream", 1, 256 * 1_024 + 1],
    ["a stream that is not open", 0, 16 * mebibyte + 1],
    ["a stream that is not open, without end", 0, 0xff_ff_ff_ff],
  ])("closes the connection of one that begins too long a frame for %s", async (_, flag, bytes) => {
    const connection = await raw.greet(address);
    raw.sendFrames(1, () => Buffer.concat([muxerFrame(0, 100_001, bytes, flag), Buffer.alloc(9)]));
    await closed(connection);
    await place.until("the count", () => count("overlay_violations_total") === 1);
    await expectService();
  });

  it.each([
    ["claims that nobody signed", "/meshsub/1.2.0", forgedClaims(100)],
    ["what is no gossip", "/meshsub/1.2.0", Buffer.alloc(200, Uint8Array.of(1, 0xff))],
    ["lookups", `${swarmPrefix}/lookup`, lookups(10_000)],
    ["short lookups", `${swarmPrefix}/lookup`, lookups(600, 0)],
    ["pings", "/ipfs/ping/1.0.0", Buffer.alloc(40_000)],
  ])("closes the connection of one that floods it with %s", async (_, protocol, bytes) => {
    const connection = await raw.greet(address);
    const stream = await connection.newStream(protocol);
    stream.send(bytes);
    await closed(connection);
    await place.until("the count", () => count("overlay_violations_total") === 1);
    await expectService();
  });

  it.each([
    ["asks for a value", 1],
    ["asks for providers", 3],
  ])("resets the stream of a lookup that %s, as no member does", async (_, kind) => {
    const stream = await raw.open(await raw.greet(address), "lookup");
    let bytes = 0;
    stream.addEventListener("message", ({ data }) => (bytes += data.byteLength));
    const cid = Buffer.concat([Uint8Array.of(1, 0x55, 0x12, 32), Buffer.alloc(32)]);
    stream.send(lengthPrefixed(Buffer.concat([Uint8Array.of(0x08, kind, 0x12, 36), cid])));
    await closed(stream);
    expect({ bytes, status: stream.status }).toEqual({ bytes: 0, status: "reset" });
  });

  it("closes the connection of one that asks for protocols without end", async () => {
    const connection = await raw.greet(address);
    raw.sendFrames(1, () => askingStream(100_001));
    await closed(connection);
    await place.until("the count", () => count("overlay_violations_total") === 1);
    await expectService();
  });

  it("answers few questions of one that has proved who it is, and nothing else", async () => {
    expect(await raw.answersTo(address, unknownProtocols)).toBeLessThan(200);
    await expectService();
  });

  it("answers few questions of one that has not proved who it is", async () => {
    const port = Number(/tcp\/(\d+)/.exec(address)?.[1]);
    const socket = connect({ port, host: "127.0.0.1" });
    let bytes = 0;
    socket.on("data", (data: Buffer) => (bytes += data.length));
    socket.on("error", () => undefined);
    socket.write(unknownProtocols);
    await new Promise((resolve) => socket.once("close", resolve));
    expect(bytes).toBeLessThan(200);
    await expectService();
  });

  it("closes the connection of one that opens many streams before it greets", async () => {
    const connection = await raw.connect(address);
    await connection.newStream("/ipfs/ping/1.0.0");
    raw.sendFrames(96, (index) => brokenStream(100_001 + 2 * index));
    await closed(connection);
    expect(count("overlay_violations_total")).toBe(1);
    await expectService();
  });

  it("closes the connection of one that does not greet, before it serves it anything", async () => {
    const connection = await raw.connect(address);
    const stream = await raw.open(connection, "control");
    stream.send(request(0));
    await closed(connection);
    expect(served).toBe(0);
    expect(member.lines).toMatchObject([{ event: "peer-refused", detail: "it did not greet" }]);
  });

  it("lets others in while many connections are open on which nobody says anything", async () => {
    const port = Number(/tcp\/(\d+)/.exec(address)?.[1]);
    // Of many hosts: one alone may not open as many in a second.
    const silent = Array.from({ length: 576 }, (_, n) =>
      connect({ port, host: "127.0.0.1", localAddress: `127.0.0.${2 + (n % 16)}` }),
    );
    for (const socket of silent) socket.on("error", () => undefined);
    await Promise.all(silent.map((socket) => once(socket, "connect")));
    await expectService().finally(() => {
      for (const socket of silent) socket.destroy();
    });
  });

  it("closes the connection of one whose greeting is none", async () => {
    const connection = await raw.connect(address);
    const stream = await connection.newStream("/orbweaver/hello");
    stream.send(encodeFrame({ type: "notice", payload: Buffer.from("{}") }));
    await closed(connection);
    expect(member.lines).toMatchObject([{ detail: "its greeting was none" }]);
  });

  it("lets one in at once whose connection broke before its greeting had come", async () => {
    const connection = await raw.connect(address);
    await connection.newStream("/orbweaver/hello");
    connection.abort(new Error("it broke"));
    await place.until("the line", () => member.lines.length > 0);
    expect(member.lines).toMatchObject([{ event: "peer-refused", detail: "it did not greet" }]);
    expect((await raw.greet(address)).status).toBe("open");
    await expectService();
  });

  it("refuses one that does not know the greeting", async () => {
    expect(await member.overlay.join(raw.address, signal)).toEqual({
      kind: "refused",
      detail: "it does not speak this protocol",
    });
  });

  it.each([
    ["another protocol", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n".repeat(9))],
    ["a reply to nothing", encodeFrame({ type: "reply", id: 7, payload: Uint8Array.of(1) })],
    ["a request", request(0)],
    ["an endless window, and nothing", encodeFrame({ type: "grant", requests: 2 ** 40, bytes: 1 })],
  ])("ends a request that is answered with %s", async (what, bytes) => {
    await raw.answerWith("control", [bytes]);
    expect(await member.overlay.join(raw.address, signal)).toMatchObject({ kind: "joined" });
    const outcome = await member.overlay.request(
      {
        to: raw.id as MemberId,
        class: "control",
        kind: 1,
        payload: Uint8Array.of(1),
        timeoutMs: 500,
      },
      signal,
    );
    expect(outcome.kind).toBe(what.startsWith("an endless") ? "timeout" : "unreachable");
    await expectService();
  });
});
