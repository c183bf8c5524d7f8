import { describe, expect, it } from "vitest";
import { TlsSessions } from "../../../src/adapters/undici/tls-sessions.ts";

describe("TlsSessions", () => {
  const [first, second, third] = [Buffer.of(1), Buffer.of(2), Buffer.of(3)];
  const origins = ["https://a.example", "https://b.example", "https://c.example"] as const;

  it("keeps those that were issued last, as many as it may", () => {
    const sessions = new TlsSessions(2);
    const [a, b, c] = origins;
    sessions.set(a, first);
    sessions.set(b, second);
    sessions.set(a, third);
    sessions.set(c, first);
    expect(origins.map((origin) => sessions.get(origin))).toEqual([third, undefined, first]);
  });

  it("drops one that could not be resumed, and none that was issued since", () => {
    const sessions = new TlsSessions(2);
    const [origin] = origins;
    sessions.set(origin, first);
    sessions.set(origin, second);
    sessions.drop(origin, first);
    expect(sessions.get(origin)).toBe(second);
    sessions.drop(origin, second);
    expect(sessions.get(origin)).toBeUndefined();
  });
});
