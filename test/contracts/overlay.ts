import { describe, expect, it } from "vitest";
import type { MemberId } from "../../src/core/units.ts";
import type { Overlay, OverlayClass, OverlayOutcome } from "../../src/ports/overlay.ts";

/** A network in which members of a swarm can be made. */
export interface OverlayPlace {
  /** Most requests of one stream that are in service at once. */
  readonly windowRequests: number;
  /** Most bytes of these requests. */
  readonly windowBytes: number;
  /** A member that has not been started. */
  overlay(swarm?: string): Promise<Overlay>;
  /** Resolves as soon as `condition` holds; fails with `what` when it does not in time. */
  until(what: string, condition: () => boolean): Promise<void>;
  /** Runs a test and stops every member then. */
  run(work: () => Promise<void>): Promise<void>;
}

const classes: readonly OverlayClass[] = ["control", "forwarding", "transfer"];
const kinds = { echo: 1, gated: 2, rejecting: 3, busy: 4, endless: 5, unknown: 99 } as const;
const mebibyte = 1_048_576;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const numbered = (n: number): Uint8Array => Uint8Array.of(n & 0xff, (n >>> 8) & 0xff, n >>> 16);
const numberIn = (data: Uint8Array): number =>
  (data[0] ?? 0) + (data[1] ?? 0) * 0x100 + (data[2] ?? 0) * 0x1_0000;

/** A member that serves, and records what comes. */
class Peer {
  readonly overlay: Overlay;
  /** Numbers of the requests in the order in which they came. */
  readonly served: number[] = [];
  readonly senders = new Set<MemberId>();
  readonly notices: { readonly from: MemberId; readonly data: Uint8Array }[] = [];
  readonly claims: { readonly from: MemberId; readonly data: Uint8Array }[] = [];
  readonly broken: MemberId[] = [];
  inServiceMax = 0;
  inService = 0;
  readonly #gate = Promise.withResolvers<undefined>();

  constructor(overlay: Overlay) {
    this.overlay = overlay;
    overlay.serve(kinds.echo, (from, payload) => {
      this.served.push(numberIn(payload));
      this.senders.add(from);
      return Promise.resolve({ kind: "reply", payload });
    });
    overlay.serve(kinds.gated, async (_, payload) => {
      this.served.push(numberIn(payload));
      this.inService += 1;
      this.inServiceMax = Math.max(this.inServiceMax, this.inService);
      await this.#gate.promise;
      this.inService -= 1;
      return { kind: "reply", payload };
    });
    overlay.serve(kinds.rejecting, () => Promise.reject(new RangeError("bad input")));
    overlay.serve(kinds.busy, () => Promise.resolve({ kind: "busy", retryAfterMs: 1_234 }));
    overlay.serve(kinds.endless, () =>
      Promise.resolve({ kind: "reply", payload: new Uint8Array(4 * mebibyte + 1) }),
    );
    overlay.onNotice((from, data) => this.notices.push({ from, data }));
    overlay.onClaim((from, data) => this.claims.push({ from, data }));
    overlay.onBroken((member) => this.broken.push(member));
  }

  /** Lets the gated requests go. */
  open(): void {
    this.#gate.resolve(undefined);
  }

  get address(): string {
    return this.overlay.addresses[0] ?? "";
  }

  join(other: Peer): ReturnType<Overlay["join"]> {
    return this.overlay.join(other.address, new AbortController().signal);
  }

  ask(
    other: Peer,
    payload: Uint8Array,
    { kind = 1, of = classes[1] ?? "control", timeoutMs = 20_000 } = {},
    signal = new AbortController().signal,
  ): Promise<OverlayOutcome> {
    const to = other.overlay.self;
    return this.overlay.request({ to, class: of, kind, payload, timeoutMs }, signal);
  }
}

/** What every overlay must do, whatever network it is on. */
export function overlayContract(name: string, makePlace: () => OverlayPlace): void {
  const test = (
    sentence: string,
    count: number,
    work: (peers: readonly [Peer, Peer, ...Peer[]], place: OverlayPlace) => Promise<void>,
  ): void => {
    it(sentence, async () => {
      const place = makePlace();
      await place.run(async () => {
        const [first, second, ...more] = await startChain(place, count);
        if (first === undefined || second === undefined) throw new Error("two peers, at least");
        await work([first, second, ...more], place);
      });
    });
  };

  describe(`${name} keeps the overlay's contract: requests`, () => {
    test("arrive in the order of one class, once each, and are answered", 2, async ([a, b]) => {
      const outcomes = await Promise.all(numbers(500).map((n) => a.ask(b, numbered(n))));
      expect(b.served).toEqual(numbers(500));
      expect(outcomes.map(replied)).toEqual(numbers(500));
      expect([...b.senders]).toEqual([a.overlay.self]);
    });

    test("go both ways at once over one connection", 2, async ([a, b]) => {
      const there = numbers(200).map((n) => a.ask(b, numbered(n)));
      const back = numbers(200).map((n) => b.ask(a, numbered(n + 1_000)));
      expect((await Promise.all(there)).map(replied)).toEqual(numbers(200));
      expect((await Promise.all(back)).map(replied)).toEqual(numbers(200).map((n) => n + 1_000));
      expect(a.broken).toEqual([]);
    });

    test("arrive ten thousand strong, each class in its order", 2, async ([a, b]) => {
      const all = numbers(10_000);
      const of = (n: number): OverlayClass => classes[n % 3] ?? "control";
      const outcomes = await Promise.all(
        all.map((n) => a.ask(b, numbered(n), { of: of(n), timeoutMs: 600_000 })),
      );
      expect(outcomes.map(replied)).toEqual(all);
      expect(b.served).toHaveLength(all.length);
      for (const rest of [0, 1, 2]) {
        const own = b.served.filter((n) => n % 3 === rest);
        expect(own).toEqual(all.filter((n) => n % 3 === rest));
      }
    });

    test("of up to 4 MiB get through, and so do such replies", 2, async ([a, b]) => {
      const payload = new Uint8Array(4 * mebibyte).map((_, at) => at ^ (at >>> 8));
      const outcome = await a.ask(b, payload);
      expect(outcome.kind).toBe("reply");
      const same = outcome.kind === "reply" && Buffer.compare(outcome.payload, payload) === 0;
      expect(same).toBe(true);
      expect(() => a.ask(b, new Uint8Array(4 * mebibyte + 1))).toThrow("over 4 MiB");
    });

    test("without a byte get through, and so do such replies", 2, async ([a, b]) => {
      expect(replied(await a.ask(b, new Uint8Array(0)))).toBe(0);
    });

    test("are held back while the receiver's window is full", 2, async ([a, b], place) => {
      const count = place.windowRequests * 3;
      const asked = numbers(count).map((n) => a.ask(b, numbered(n), { kind: kinds.gated }));
      await place.until("a full window", () => b.inService === place.windowRequests);
      await a.ask(b, numbered(0), { of: "control" });
      await a.ask(b, numbered(0), { of: "control" });
      expect(b.inService).toBe(place.windowRequests);
      b.open();
      expect((await Promise.all(asked)).map(replied)).toEqual(numbers(count));
      expect(b.inServiceMax).toBe(place.windowRequests);
    });

    test("are held back by their bytes, too", 2, async ([a, b], place) => {
      const payload = new Uint8Array(Math.floor(place.windowBytes / 2.5));
      const asked = numbers(6).map(() => a.ask(b, payload, { kind: kinds.gated }));
      await place.until("a full window", () => b.inService === 2);
      await a.ask(b, numbered(0), { of: "control" });
      expect(b.inService).toBe(2);
      b.open();
      expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(
        numbers(6).map(() => "reply"),
      );
      expect(b.inServiceMax).toBe(2);
    });

    test("that wait too long are not sent later", 2, async ([a, b], place) => {
      const first = numbers(place.windowRequests).map((n) =>
        a.ask(b, numbered(n), { kind: kinds.gated }),
      );
      await place.until("a full window", () => b.inService === place.windowRequests);
      expect(await a.ask(b, numbered(77_777), { timeoutMs: 30 })).toEqual({ kind: "timeout" });
      b.open();
      await Promise.all(first);
      await a.ask(b, numbered(0));
      expect(b.served).not.toContain(77_777);
    });

    test("time out while they are served, and keep nobody else waiting", 2, async ([a, b]) => {
      const late = a.ask(b, numbered(1), { kind: kinds.gated, timeoutMs: 300 });
      expect(replied(await a.ask(b, numbered(2)))).toBe(2);
      expect(await late).toEqual({ kind: "timeout" });
    });

    test("end when their sender aborts them", 2, async ([a, b], place) => {
      const stop = new AbortController();
      const asked = a.ask(b, numbered(1), { kind: kinds.gated }, stop.signal);
      await place.until("the request's arrival", () => b.inService === 1);
      stop.abort();
      expect(await asked).toEqual({ kind: "unreachable", detail: "aborted" });
      expect(await a.ask(b, numbered(1), {}, stop.signal)).toMatchObject({ kind: "unreachable" });
    });

    test("can be answered with the wish to be left alone", 2, async ([a, b]) => {
      const outcome = await a.ask(b, numbered(1), { kind: kinds.busy });
      expect(outcome).toEqual({ kind: "busy", retryAfterMs: 1_234 });
    });

    test("whose reply would be over 4 MiB are refused, and nothing else", 2, async ([a, b]) => {
      const outcome = await a.ask(b, numbered(1), { kind: kinds.endless });
      expect(outcome).toEqual({ kind: "refused", detail: "the reply is over 4 MiB" });
      expect(replied(await a.ask(b, numbered(2)))).toBe(2);
      expect([a.broken, b.broken]).toEqual([[], []]);
    });

    test("of a kind that nobody serves are refused", 2, async ([a, b]) => {
      expect(await a.ask(b, numbered(1), { kind: kinds.unknown })).toMatchObject({
        kind: "refused",
      });
    });

    test(
      "that their handler rejects close the stream, and nothing else",
      2,
      async ([a, b], place) => {
        const other = a.ask(b, numbered(5), { kind: kinds.gated, of: "transfer" });
        await place.until("the other class's arrival", () => b.inService === 1);
        expect(await a.ask(b, numbered(1), { kind: kinds.rejecting })).toMatchObject({
          kind: "unreachable",
        });
        expect(replied(await a.ask(b, numbered(2)))).toBe(2);
        b.open();
        expect(replied(await other)).toBe(5);
        expect([a.broken, b.broken]).toEqual([[], []]);
      },
    );

    test("end when the receiver stops, and then there is no way", 2, async ([a, b], place) => {
      const asked = a.ask(b, numbered(1), { kind: kinds.gated });
      await place.until("the request's arrival", () => b.inService === 1);
      await b.overlay.stop();
      expect(await asked).toMatchObject({ kind: "unreachable" });
      await place.until("the broken connection", () => a.broken.length > 0);
      expect(a.broken).toEqual([b.overlay.self]);
      expect(await a.ask(b, numbered(2))).toMatchObject({ kind: "unreachable" });
    });

    test("end when their sender stops, which it may do twice", 2, async ([a, b], place) => {
      const asked = a.ask(b, numbered(1), { kind: kinds.gated });
      await place.until("the request's arrival", () => b.inService === 1);
      await Promise.all([a.overlay.stop(), a.overlay.stop()]);
      expect(await asked).toMatchObject({ kind: "unreachable" });
      expect(await a.ask(b, numbered(2))).toMatchObject({ kind: "unreachable" });
      expect(await a.join(b)).toMatchObject({ kind: "unreachable" });
      await a.overlay.stop();
    });

    test("to a member that nobody has told of go nowhere", 2, async ([a]) => {
      const to = "12D3KooWEyopopk8eZr1nXMGgYsF5P4cPoRLn2GCxP8rXnJEDzH1" as MemberId;
      const request = { to, class: "control", kind: 1, payload: numbered(1) } as const;
      const signal = new AbortController().signal;
      expect(await a.overlay.request({ ...request, timeoutMs: 9_000 }, signal)).toMatchObject({
        kind: "unreachable",
      });
    });
  });

  describe(`${name} keeps the overlay's contract: members`, () => {
    test("learn by joining who answers", 2, async ([a, b]) => {
      expect(await a.join(b)).toEqual({ kind: "joined", member: b.overlay.self });
    });

    test("cannot join at what is no address, or at themselves", 2, async ([a]) => {
      const { signal } = new AbortController();
      expect(await a.overlay.join("nowhere at all", signal)).toMatchObject({ kind: "unreachable" });
      expect(await a.join(a)).toMatchObject({ kind: "unreachable" });
    });

    it("reach those that they have been told of, without joining", async () => {
      const place = makePlace();
      await place.run(async () => {
        const [a, b] = [await start(place), await start(place)];
        a.overlay.learn(b.overlay.self, b.overlay.addresses);
        expect(replied(await a.ask(b, numbered(3)))).toBe(3);
        expect(replied(await b.ask(a, numbered(4)))).toBe(4);
      });
    });

    it("of another swarm refuse each other, and say why", async () => {
      const place = makePlace();
      await place.run(async () => {
        const [a, b] = [await start(place), await start(place, "other")];
        const joined = await a.join(b);
        expect(joined).toMatchObject({ kind: "refused" });
        expect(joined.kind === "refused" && joined.detail).toContain("other");
        a.overlay.learn(b.overlay.self, b.overlay.addresses);
        expect(await a.ask(b, numbered(1))).toMatchObject({ kind: "refused" });
        expect(b.served).toEqual([]);
      });
    });

    test("get notices of up to 64 KiB", 2, async ([a, b], place) => {
      const data = new Uint8Array(65_536).fill(7);
      a.overlay.notify(b.overlay.self, data);
      await place.until("the notice", () => b.notices.length > 0);
      expect(b.notices).toEqual([{ from: a.overlay.self, data }]);
      expect(() => a.overlay.notify(b.overlay.self, new Uint8Array(65_537))).toThrow("64 KiB");
      a.overlay.notify("nobody" as MemberId, data);
    });

    test("in a chain all get each other's claims, but not their own", 5, async (peers, place) => {
      const [first, second] = peers;
      const last = peers.at(-1) ?? first;
      first.overlay.publish(numbered(1));
      last.overlay.publish(numbered(2));
      const got = (peer: Peer, n: number): boolean =>
        peer.claims.some(({ data }) => numberIn(data) === n);
      await place.until("both claims everywhere", () =>
        peers.every((one) => (one === first || got(one, 1)) && (one === last || got(one, 2))),
      );
      expect(got(first, 1)).toBe(false);
      expect(second.claims.find(({ data }) => numberIn(data) === 1)?.from).toBe(first.overlay.self);
      expect(() => first.overlay.publish(new Uint8Array(65_537))).toThrow("64 KiB");
    });

    test("hear when a connection breaks, and of that one alone", 3, async ([a, b, c], place) => {
      await c?.overlay.stop();
      await place.until("the broken connection", () => b.broken.length > 0);
      expect(b.broken).toEqual([c?.overlay.self]);
      expect(a.broken).toEqual([]);
    });
  });
}

function replied(outcome: OverlayOutcome): number | OverlayOutcome {
  return outcome.kind === "reply" ? numberIn(outcome.payload) : outcome;
}

async function start(place: OverlayPlace, swarm?: string): Promise<Peer> {
  const peer = new Peer(await place.overlay(swarm));
  await peer.overlay.start();
  return peer;
}

/** Peers each of which has joined at the one before it. */
async function startChain(place: OverlayPlace, count: number): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (let at = 0; at < count; at += 1) {
    const peer = await start(place);
    const before = peers.at(-1);
    if (before) expect(await peer.join(before)).toMatchObject({ kind: "joined" });
    peers.push(peer);
  }
  return peers;
}
