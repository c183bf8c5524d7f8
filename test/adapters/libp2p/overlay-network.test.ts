import { Socket } from "node:net";
import os from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { newPeerKey, memberIdOf } from "../../../src/adapters/libp2p/peer-key.ts";
import { newSwarmKey } from "../../../src/adapters/libp2p/swarm-key.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import type { JoinOutcome, OverlayOutcome } from "../../../src/ports/overlay.ts";
import { LoopbackPlace, type LoopbackMember } from "./loopback-place.ts";
import { SilentServer } from "./silent-server.ts";

const { signal } = new AbortController();

async function started(
  place: LoopbackPlace,
  options: Parameters<LoopbackPlace["member"]>[0] = {},
): Promise<LoopbackMember> {
  const member = await place.member(options);
  member.overlay.serve(1, (_, payload) => Promise.resolve({ kind: "reply", payload }));
  await member.overlay.start();
  return member;
}

const addressOf = ({ overlay }: LoopbackMember): string => overlay.addresses[0] ?? "";
const portOf = (member: LoopbackMember): number => Number(/\d+$/.exec(addressOf(member))?.[0]);
const join = (one: LoopbackMember, other: LoopbackMember): Promise<JoinOutcome> =>
  one.overlay.join(addressOf(other), signal);
const ask = (one: LoopbackMember, other: LoopbackMember): Promise<OverlayOutcome> =>
  one.overlay.request(
    {
      to: other.overlay.self,
      class: "control",
      kind: 1,
      payload: Uint8Array.of(1),
      timeoutMs: 10_000,
    },
    signal,
  );

function interfaceWith(address: string): ReturnType<typeof os.networkInterfaces> {
  const cidr = `${address}/24`;
  const mac = "00:00:00:00:00:00";
  const netmask = "255.255.255.0";
  return { eth0: [{ address, cidr, family: "IPv4", internal: false, mac, netmask }] };
}

function place(sentence: string, work: (place: LoopbackPlace) => Promise<void>): void {
  it(sentence, async () => {
    const loopback = new LoopbackPlace();
    await loopback.run(() => work(loopback));
  });
}

describe("libp2p's overlay on a network", () => {
  place("has its key's id before it starts, and its addresses afterwards", async (loopback) => {
    const key = await newPeerKey();
    const { overlay } = await loopback.member({ key });
    expect(overlay.self).toBe(memberIdOf(key));
    const { addresses } = overlay;
    expect(addresses).toEqual([]);
    await overlay.start();
    await overlay.start();
    expect(addresses).toEqual([expect.stringMatching(/^\/ip4\/127\.0\.0\.1\/tcp\/[1-9]\d*$/)]);
  });

  place("tells of the addresses that its machine has by now", async (loopback) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const interfaces = vi.spyOn(os, "networkInterfaces");
    onTestFinished(() => interfaces.mockRestore());
    interfaces.mockReturnValue(interfaceWith("192.0.2.7"));
    const member = await started(loopback, { listen: ["/ip4/0.0.0.0/tcp/0"] });
    const port = portOf(member);
    expect(member.overlay.addresses).toEqual([`/ip4/192.0.2.7/tcp/${port}`]);
    interfaces.mockReturnValue(interfaceWith("198.51.100.9"));
    vi.setSystemTime(Date.now() + 5_000);
    expect(member.overlay.addresses).toEqual([`/ip4/198.51.100.9/tcp/${port}`]);
  });

  place("tells of the addresses that it is given instead", async (loopback) => {
    const announce = ["peer.example.org:7700"];
    const member = await started(loopback, { announce });
    expect(member.overlay.addresses).toEqual(["/dns/peer.example.org/tcp/7700"]);
  });

  place("is joined at host and port, or at a multiaddr with its id", async (loopback) => {
    const [a, b] = [await started(loopback), await started(loopback)];
    const joined = { kind: "joined", member: b.overlay.self };
    expect(await a.overlay.join(`127.0.0.1:${portOf(b)}`, signal)).toEqual(joined);
    const c = await started(loopback);
    const full = `${addressOf(b)}/p2p/${b.overlay.self}`;
    expect(await c.overlay.join(full, signal)).toEqual(joined);
  });

  place("connects two members that reach for each other at one moment", async (loopback) => {
    const [a, b] = [await started(loopback), await started(loopback)];
    a.overlay.learn(b.overlay.self, b.overlay.addresses);
    b.overlay.learn(a.overlay.self, a.overlay.addresses);
    const broken: string[] = [];
    for (const { overlay } of [a, b]) overlay.onBroken((member) => broken.push(member));
    const outcomes = await Promise.all([ask(a, b), ask(b, a), ask(a, b), ask(b, a)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["reply", "reply", "reply", "reply"]);
    expect(broken).toEqual([]);
    expect([...a.lines, ...b.lines]).toEqual([]);
  });

  place("writes a request once, and its answer once", async (loopback) => {
    const [a, b] = [await started(loopback), await started(loopback)];
    await join(a, b);
    await ask(a, b);
    const writes = vi.spyOn(Socket.prototype, "write");
    const asked = 100;
    for (let n = 0; n < asked; n += 1) await ask(a, b);
    const written = writes.mock.calls.length;
    writes.mockRestore();
    expect(written).toBeGreaterThanOrEqual(2 * asked);
    // The members have some words of their own meanwhile.
    expect(written).toBeLessThan(2.5 * asked);
  });

  place("does not take another member for the one that was asked for", async (loopback) => {
    const [a, b, c] = [await started(loopback), await started(loopback), await started(loopback)];
    const wrong = `${addressOf(b)}/p2p/${c.overlay.self}`;
    const outcome = { kind: "unreachable", detail: "another member answers there" };
    expect(await a.overlay.join(wrong, signal)).toEqual(outcome);
    a.overlay.learn(c.overlay.self, [addressOf(b)]);
    expect(await ask(a, c)).toEqual(outcome);
  });

  place(
    "reaches a member at its second address where nobody answers at the first",
    async (loopback) => {
      const [a, b] = [await started(loopback), await started(loopback)];
      const silent = await SilentServer.start();
      a.overlay.learn(b.overlay.self, [silent.address, addressOf(b)]);
      expect(await ask(a, b)).toMatchObject({ kind: "reply" });
      await silent.stop();
    },
  );

  place(
    "asks a member that has come by itself, and waits no more for its dial",
    async (loopback) => {
      const [a, b] = [await started(loopback), await started(loopback)];
      const silent = await SilentServer.start();
      a.overlay.learn(b.overlay.self, [silent.address]);
      const asked = ask(a, b);
      await loopback.until("the dial", () => silent.calls > 0);
      await join(b, a);
      expect(await asked).toMatchObject({ kind: "reply" });
      expect(silent.ended).toBe(0);
      await silent.stop();
    },
  );

  place("reaches a member while it dials many that do not answer", async (loopback) => {
    const [a, b] = [await started(loopback), await started(loopback)];
    const silent = [await SilentServer.start(), await SilentServer.start()] as const;
    const dialled = 70;
    for (let n = 0; n < dialled; n += 1) {
      const to = memberIdOf(await newPeerKey());
      a.overlay.learn(
        to,
        silent.map(({ address }) => address),
      );
      a.overlay.notify(to, Uint8Array.of(1));
    }
    await loopback.until("the dials", () => silent[0].calls >= 64);
    a.overlay.learn(b.overlay.self, [addressOf(b)]);
    expect(await ask(a, b)).toMatchObject({ kind: "reply" });
    await a.overlay.stop();
    for (const one of silent) await one.stop();
  });

  place("finds a member that is no longer where it was", async (loopback) => {
    const [a, b, gone] = [
      await started(loopback),
      await started(loopback),
      await started(loopback),
    ];
    const former = [...gone.overlay.addresses];
    await gone.overlay.stop();
    await join(a, b);
    const c = await started(loopback);
    await join(c, b);
    a.overlay.learn(c.overlay.self, former);
    expect(await ask(a, c)).toMatchObject({ kind: "reply" });
  });

  place("finds a member that it knows by its id alone", async (loopback) => {
    const [a, b, c] = [await started(loopback), await started(loopback), await started(loopback)];
    await join(a, b);
    await join(c, b);
    await loopback.until("an answer", async () => (await ask(a, c)).kind === "reply");
  });

  place("hears the claims of many members of one machine", async (loopback) => {
    const hub = await started(loopback);
    const heard = new Set<string>();
    hub.overlay.onClaim((from) => heard.add(from));
    const others = await Promise.all(Array.from({ length: 15 }, () => started(loopback)));
    for (const other of others) await join(other, hub);
    await loopback.until("a claim of each", () => {
      // What is said before gossip has met is lost.
      const unheard = others.find(({ overlay }) => !heard.has(overlay.self));
      unheard?.overlay.publish(new TextEncoder().encode(unheard.overlay.self));
      return unheard === undefined;
    });
  });

  place("says which address is in use", async (loopback) => {
    const a = await started(loopback);
    const b = await loopback.member({ listen: [addressOf(a)] });
    const failure = await b.overlay.start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CrawlError);
    expect(failure).toMatchObject({
      code: "LISTEN_FAILED",
      message: `cannot listen for peers at 127.0.0.1:${portOf(a)}: the address is in use`,
    });
    await b.overlay.stop();
  });

  place("says that an address is not this machine's", async (loopback) => {
    const a = await loopback.member({ listen: ["/ip4/198.51.100.3/tcp/17811"] });
    await expect(a.overlay.start()).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: "cannot listen for peers at 198.51.100.3:17811: this machine has no such address",
    });
    await a.overlay.stop();
  });

  place("says that nobody listens, or that nobody answers", async (loopback) => {
    const a = await started(loopback);
    const silent = await SilentServer.start();
    const stop = new AbortController();
    const aborted = a.overlay.join(silent.address, stop.signal);
    await loopback.until("the dial", () => silent.calls > 0);
    stop.abort();
    expect(await aborted).toEqual({ kind: "unreachable", detail: "aborted" });
    await silent.stop();
    expect(await a.overlay.join(silent.address, signal)).toEqual({
      kind: "unreachable",
      detail: "the connection was refused",
    });
  });

  place("refuses other cluster options, with one line at each end", async (loopback) => {
    const [a, b] = [await started(loopback), await started(loopback, { fingerprint: "beef" })];
    const line = (theirs: string, own: string): string =>
      `its cluster options have the fingerprint ${theirs}, not ${own}: its number of replicas or its release is another`;
    const detail = line("beef", "0123abcd");
    expect(await join(a, b)).toEqual({ kind: "refused", detail });
    expect(await join(a, b)).toMatchObject({ kind: "refused" });
    await loopback.until("the other end's line", () => b.lines.length > 0);
    expect(a.lines).toMatchObject([{ event: "peer-refused", peer: b.overlay.self, detail }]);
    expect(b.lines).toMatchObject([
      {
        event: "peer-refused",
        peer: a.overlay.self,
        detail: line("0123abcd", "beef"),
      },
    ]);
    a.overlay.learn(b.overlay.self, b.overlay.addresses);
    expect(await ask(a, b)).toEqual({ kind: "refused", detail });
  });

  place(
    "with a swarm key connects to members that have it, and says of others that the keys may differ",
    async (loopback) => {
      const swarmKey = newSwarmKey();
      const [a, b] = [await started(loopback, { swarmKey }), await started(loopback, { swarmKey })];
      const other = await started(loopback, { swarmKey: newSwarmKey() });
      const open = await started(loopback);
      expect(await join(a, b)).toMatchObject({ kind: "joined" });
      expect(await ask(b, a)).toMatchObject({ kind: "reply" });
      // Each waits as long as a dial may take.
      const [joined, ...mixed] = await Promise.all([join(other, a), join(open, a), join(a, open)]);
      expect(["unreachable", "timeout"]).toContain(joined.kind);
      const outcome = {
        kind: "unreachable",
        detail: expect.stringContaining("swarm key") as string,
      };
      expect(mixed).toEqual([outcome, outcome]);
      await loopback.until("a line about it", () => a.lines.length > 0);
      expect(a.lines).toMatchObject([{ event: "handshake-failed" }]);
    },
  );
});

describe("two processes with one key", () => {
  place("refuse each other, and both say so", async (loopback) => {
    const key = await newPeerKey();
    const [a, b] = [await started(loopback, { key }), await started(loopback, { key })];
    const joined = await join(b, a);
    expect(joined).toMatchObject({ kind: "refused", hasOwnKey: true });
    expect(joined.kind === "refused" && joined.detail).toContain("same key");
    await loopback.until("both lines", () => a.lines.length > 0 && b.lines.length > 0);
    expect(a.lines).toMatchObject([{ event: "same-key" }]);
    expect(b.lines).toMatchObject([{ event: "same-key", address: `127.0.0.1:${portOf(a)}` }]);
  });

  place("are not seen where a member reaches itself by another address", async (loopback) => {
    const a = await started(loopback);
    const joined = await a.overlay.join(
      `/ip6/::ffff:127.0.0.1/tcp/${portOf(a)}`,
      AbortSignal.timeout(20_000),
    );
    expect(joined).toEqual({ kind: "unreachable", detail: "that is this member itself" });
  });

  place("are told apart by others, who keep to the first while it is there", async (loopback) => {
    const key = await newPeerKey();
    const [third, a] = [await started(loopback), await started(loopback, { key })];
    await join(a, third);
    const b = await started(loopback, { key });
    const joined = await join(b, third);
    expect(joined).toMatchObject({ kind: "refused" });
    expect(joined.kind === "refused" && joined.detail).toContain(
      "another process with the same key",
    );
    expect(await ask(a, third)).toMatchObject({ kind: "reply" });
    await a.overlay.stop();
    const c = await started(loopback, { key });
    await loopback.until("room for the next", async () => (await join(c, third)).kind === "joined");
  });
});

describe("libp2p's overlay that stops", () => {
  it("leaves nothing open", async () => {
    const open = (): string[] =>
      process.getActiveResourcesInfo().filter((kind) => kind.startsWith("TCP"));
    const loopback = new LoopbackPlace();
    await loopback.until("the end of earlier sockets", () => open().length === 0);
    await loopback.run(async () => {
      const [a, b] = [await started(loopback), await started(loopback)];
      await join(a, b);
      await ask(a, b);
      expect(open().length).toBeGreaterThan(0);
    });
    await loopback.until("closed sockets", () => open().length === 0);
  });

  place("while it starts is stopped afterwards", async (loopback) => {
    const { overlay } = await loopback.member();
    const starting = overlay.start();
    await overlay.stop();
    await starting;
    expect(await overlay.join("127.0.0.1:1", signal)).toMatchObject({ kind: "unreachable" });
  });

  place("before it has started never starts", async (loopback) => {
    const { overlay } = await loopback.member();
    await overlay.stop();
    await overlay.start();
    expect(overlay.addresses).toEqual([]);
  });
});
