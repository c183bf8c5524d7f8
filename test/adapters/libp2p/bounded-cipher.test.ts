import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LoopbackPlace, type LoopbackMember } from "./loopback-place.ts";

const { signal } = new AbortController();
const nonceBytes = 24;
const strangers = 5_200;
const strangersAtOnce = 16;
const payloadBytes = 4_000_000;

describe("members of a swarm with a key", () => {
  const swarmKey = new Uint8Array(randomBytes(32));
  let place: LoopbackPlace;
  let member: LoopbackMember;
  let address: string;

  beforeEach(async () => {
    place = new LoopbackPlace();
    member = await place.member({ swarmKey });
    member.overlay.serve(1, (_, payload) => Promise.resolve({ kind: "reply", payload }));
    await member.overlay.start();
    address = member.overlay.addresses[0] ?? "";
  });
  afterEach(async () => {
    await place.run(() => Promise.resolve());
  });

  /** One that has no key comes, from another host each time, and goes. */
  async function visit(index: number): Promise<void> {
    const localAddress = `127.9.${index >> 8}.${index & 255}`;
    const port = Number(address.split("/").at(-1));
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    socket.on("error", () => undefined);
    socket.write(randomBytes(nonceBytes));
    await once(socket, "data");
    socket.destroy();
  }

  async function expectService(): Promise<void> {
    const other = await place.member({ swarmKey });
    await other.overlay.start();
    expect(await other.overlay.join(address, signal)).toMatchObject({ kind: "joined" });
    const to = member.overlay.self;
    const payload = new Uint8Array(payloadBytes);
    const request = { to, class: "transfer", kind: 1, payload, timeoutMs: 20_000 } as const;
    for (let at = 0; at < 9; at += 1) {
      expect((await other.overlay.request(request, signal)).kind).toBe("reply");
    }
  }

  it("can be reached after thousands of connections", { timeout: 120_000 }, async () => {
    let next = 0;
    const visitSome = async (): Promise<void> => {
      while (next < strangers) await visit((next += 1));
    };
    await Promise.all(Array.from({ length: strangersAtOnce }, visitSome));
    await expectService();
  });

  it("say long things to each other", { timeout: 120_000 }, async () => {
    await Promise.all([expectService(), expectService(), expectService()]);
  });
});
