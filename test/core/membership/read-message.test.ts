import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMember } from "../../../src/core/membership/read-member.ts";
import { readClaims, readMessage } from "../../../src/core/membership/read-message.ts";
import { sampleMember } from "./sample-member.ts";

const nowMs = 1_800_000_000_000.5;
const dayMs = 86_400_000;
const generation = Math.floor(nowMs);
const valid = sampleMember({ generation });
const read = (claim: unknown) => readMember(claim, nowMs);

describe("readMember", () => {
  it("returns a valid row, without what else came with it", () => {
    expect(readMember({ ...valid, extra: 1 }, nowMs)).toEqual(valid);
  });

  it.each<[string, object]>([
    ["no id", { id: "" }],
    ["a long id", { id: "x".repeat(129) }],
    ["an id with a control character", { id: "a\u001b[2J" }],
    ["nine addresses", { addresses: Array(9).fill("/ip4/10.0.0.1") }],
    ["a long address", { addresses: ["x".repeat(129)] }],
    ["an address that is no text", { addresses: ["/ip4/10.0.0.1", 5] }],
    ["addresses that are no list", { addresses: "/ip4/10.0.0.1" }],
    ["no weight", { weight: 0 }],
    ["a weight that is no number", { weight: Number.NaN }],
    ["a weight that no ring takes", { weight: 16.01 }],
    ["a weight too low for any ring", { weight: 0.0624 }],
    ["a long version", { version: "1".repeat(65) }],
    ["a generation of the day after tomorrow", { generation: generation + dayMs + 1 }],
    ["a fraction of a generation", { generation: 1.5 }],
    ["a negative incarnation", { incarnation: -1 }],
    ["an incarnation beyond 32 bits", { incarnation: 2 ** 32 }],
    ["an unknown role", { role: "king" }],
    ["an unknown health", { health: "fine" }],
  ])("refuses %s", (_, change) => {
    expect(readMember({ ...valid, ...change }, nowMs)).toBeUndefined();
  });

  it("accepts what is just within the bounds", () => {
    const change = {
      id: "x".repeat(128),
      addresses: Array<string>(8).fill("x".repeat(128)),
      weight: 16,
      version: "1".repeat(64),
      generation: generation + dayMs,
      incarnation: 2 ** 32 - 1,
    };
    expect(readMember({ ...valid, ...change }, nowMs)).toEqual({
      ...valid,
      ...change,
    });
  });

  it("never throws, and reads its own output", () => {
    fc.assert(
      fc.property(fc.anything(), (data) => {
        const member = readMember(data, nowMs);
        if (member !== undefined) expect(readMember(member, nowMs)).toEqual(member);
      }),
    );
  });
});

describe("readMessage", () => {
  it.each([
    { kind: "ping", sequence: 1, tableHash: 2n ** 64n - 1n, claims: [valid] },
    { kind: "ack", sequence: 0, tableHash: 0n, claims: [] },
    { kind: "ping-request", sequence: 1, target: "peer-2", claims: [] },
    { kind: "nack", sequence: 2 ** 32 - 1 },
    { kind: "push-pull", members: [valid], reply: false },
  ])("returns a valid message of kind $kind", (message) => {
    expect(readMessage({ ...message, extra: 1 }, read)).toEqual(message);
  });

  it.each([
    undefined,
    null,
    { kind: "pong" },
    { kind: "ping", sequence: -1, tableHash: 0n, claims: [] },
    { kind: "ping", sequence: 1, tableHash: 2n ** 64n, claims: [] },
    { kind: "ping", sequence: 1, tableHash: -1n, claims: [] },
    { kind: "ping", sequence: 1, tableHash: 0, claims: [] },
    { kind: "ack", sequence: 1, tableHash: 0n, claims: [valid, valid, valid] },
    { kind: "ack", sequence: 1, tableHash: 0n },
    { kind: "ping-request", sequence: 1, target: 5, claims: [] },
    { kind: "ping-request", sequence: -1, target: "peer-2", claims: [] },
    { kind: "ping-request", sequence: 1, target: "peer-2", claims: [valid, valid, valid] },
    { kind: "nack", sequence: 2 ** 32 },
    { kind: "push-pull", members: Array(41).fill(valid), reply: false },
    { kind: "push-pull", members: [], reply: 1 },
  ])("refuses %o", (message) => {
    expect(readMessage(message, read)).toBeUndefined();
  });

  it("leaves out a time that is none: it is for a log alone", () => {
    const message = { kind: "push-pull", members: [valid], reply: true };
    expect(readMessage({ ...message, sentAtMs: 5 }, read)).toEqual({ ...message, sentAtMs: 5 });
    for (const sentAtMs of [-1, 0.5, "5"]) {
      expect(readMessage({ ...message, sentAtMs }, read)).toEqual(message);
    }
  });

  it("leaves out a claim that cannot be read, and keeps the others", () => {
    expect(readClaims([valid, { ...valid, weight: -1 }, 7], read)).toEqual([valid]);
  });
});
