import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { LoopbackMember, LoopbackPlace } from "./loopback-place.ts";

const { signal } = new AbortController();
const payloadBytes = 1_500_000;

export function newSwarmKey(): Uint8Array {
  return new Uint8Array(randomBytes(32));
}

/** A member that answers whatever it is asked with the question. */
export async function echo(place: LoopbackPlace, swarmKey: Uint8Array): Promise<LoopbackMember> {
  const member = await place.member({ swarmKey });
  member.overlay.serve(1, (_, payload) => Promise.resolve({ kind: "reply", payload }));
  await member.overlay.start();
  return member;
}

/** Another one joins by it, and they say long things to each other. */
export async function expectService(
  place: LoopbackPlace,
  { overlay }: LoopbackMember,
  swarmKey: Uint8Array,
): Promise<void> {
  const other = await place.member({ swarmKey });
  await other.overlay.start();
  expect(await other.overlay.join(overlay.addresses[0] ?? "", signal)).toMatchObject({
    kind: "joined",
  });
  const to = overlay.self;
  const payload = new Uint8Array(payloadBytes);
  const request = { to, class: "transfer", kind: 1, payload, timeoutMs: 20_000 } as const;
  for (let at = 0; at < 2; at += 1) {
    expect((await other.overlay.request(request, signal)).kind).toBe("reply");
  }
}
