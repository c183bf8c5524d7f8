import { describe, expect, it } from "vitest";
import {
  clogMembers,
  cutOneWay,
  hold,
  isolate,
  partition,
  pass,
  slowMembers,
} from "../../../sim/world/network-rules.ts";
import { bytes, firsts, memberId, NetworkBench, numbers } from "./network-bench.ts";

describe("requests in the virtual network", () => {
  it("arrive in the order of each stream, once each, and are answered", async () => {
    const bench = new NetworkBench(1, {
      latencyTail: 2,
      lossRate: 0.2,
      duplicateRate: 0.5,
    });
    await bench.run(async () => {
      await bench.startAll(2);
      const outcomes = await Promise.all(numbers(100).map((n) => bench.ask(0, 1, bytes(n))));
      expect(outcomes).toEqual(numbers(100).map((n) => ({ kind: "reply", payload: bytes(n) })));
    });
    expect(firsts(bench.served)).toEqual(numbers(100));
  });

  it("of several streams overtake one another", async () => {
    const bench = new NetworkBench(1, { latencyTail: 2 });
    await bench.run(async () => {
      await bench.startAll(2);
      const traffics = ["control", "forwarding", "transfer"] as const;
      await Promise.all(
        numbers(90).map((n) => bench.ask(0, 1, bytes(n), 60_000, traffics[n % 3] ?? "control")),
      );
    });
    expect(firsts(bench.served)).not.toEqual(numbers(90));
    for (const stream of [0, 1, 2]) {
      const own = firsts(bench.served).filter((n) => n % 3 === stream);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });

  it("wait at the sender while the window is full, and time out there unserved", async () => {
    const bench = new NetworkBench(1, { windowRequests: 4 });
    bench.serviceMs = 1_000;
    await bench.run(async () => {
      await bench.startAll(2);
      const outcomes = await Promise.all(numbers(12).map((n) => bench.ask(0, 1, bytes(n), 1_500)));
      expect(bench.inServiceMax).toBe(4);
      expect(outcomes.map(({ kind }) => kind)).toEqual([
        ...numbers(4).map(() => "reply"),
        ...numbers(8).map(() => "timeout"),
      ]);
      await bench.clock.sleep(10_000);
      expect(firsts(bench.served)).toEqual(numbers(8));
    });
  });

  it("are held back by their bytes too, though one that is larger than the window gets through", async () => {
    const bench = new NetworkBench(1, { windowBytes: 1_000 });
    bench.serviceMs = 100;
    await bench.run(async () => {
      await bench.startAll(2);
      await Promise.all(numbers(9).map(() => bench.ask(0, 1, new Uint8Array(400))));
      expect(bench.inServiceMax).toBe(2);
      expect(await bench.ask(0, 1, new Uint8Array(5_000))).toMatchObject({
        kind: "reply",
      });
    });
  });

  it("need an address that somebody has told, and a member that runs", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      const first = await bench.start(0);
      await bench.start(1);
      expect(await bench.ask(0, 1, bytes(1))).toMatchObject({
        kind: "unreachable",
      });
      first.learn(memberId(1), ["tcp:elsewhere", "sim:1"]);
      expect(await bench.ask(0, 1, bytes(1))).toMatchObject({ kind: "reply" });
      // Whoever was called knows the caller.
      expect(await bench.ask(1, 0, bytes(1))).toMatchObject({ kind: "reply" });
      first.learn(memberId(2), ["sim:2"]);
      expect(await bench.ask(0, 2, bytes(1))).toMatchObject({
        kind: "unreachable",
      });
      first.learn(memberId(3), ["sim:1"]);
      expect(await bench.ask(0, 3, bytes(1))).toMatchObject({
        kind: "unreachable",
      });
    });
  });

  it("end their stream when the handler rejects, and the next one finds a new stream", async () => {
    const bench = new NetworkBench(1);
    bench.serviceMs = 60_000;
    await bench.run(async () => {
      await bench.startAll(2);
      const slow = bench.ask(0, 1, bytes(1), 120_000);
      const bad = bench.ask(0, 1, bytes(2), 120_000, "forwarding", 2);
      expect(await bad).toMatchObject({ kind: "unreachable" });
      expect(await slow).toMatchObject({ kind: "unreachable" });
      expect(await bench.ask(0, 1, bytes(3), 120_000)).toMatchObject({
        kind: "reply",
      });
      expect(await bench.ask(0, 1, bytes(4), 1_000, "control", 9)).toMatchObject({
        kind: "refused",
      });
    });
  });

  it("end when the sender aborts or stops", async () => {
    const bench = new NetworkBench(1);
    bench.serviceMs = 60_000;
    await bench.run(async () => {
      const [first] = await bench.startAll(2);
      const abort = new AbortController();
      const request = {
        to: memberId(1),
        class: "control",
        kind: 1,
        payload: bytes(1),
      } as const;
      const aborted = first?.request({ ...request, timeoutMs: 90_000 }, abort.signal);
      abort.abort();
      expect(await aborted).toMatchObject({ kind: "unreachable" });
      const stopped = bench.ask(0, 1, bytes(2), 90_000);
      await first?.stop();
      await first?.stop();
      expect(await stopped).toMatchObject({ kind: "unreachable" });
      expect(await bench.ask(0, 1, bytes(3))).toMatchObject({
        kind: "unreachable",
      });
    });
  });

  it("are refused between two swarms", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      const first = await bench.start(0, "one");
      await bench.start(1, "two");
      const { signal } = new AbortController();
      expect(await first.join("sim:1", signal)).toMatchObject({
        kind: "refused",
      });
      first.learn(memberId(1), ["sim:1"]);
      expect(await bench.ask(0, 1, bytes(1))).toMatchObject({
        kind: "refused",
      });
      expect(await first.join("sim:7", signal)).toMatchObject({
        kind: "unreachable",
      });
      expect(await first.join("nonsense", signal)).toMatchObject({
        kind: "unreachable",
      });
    });
  });
});

describe("faults of the virtual network", () => {
  it("cut both ways between the sides of a partition, until it heals", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      const overlays = await bench.startAll(4);
      const heal = bench.network.addRule(partition([0, 1], [2, 3]));
      for (const [from, overlay] of overlays.entries()) {
        for (const to of [0, 1, 2, 3]) overlay.notify(memberId(to), bytes(from));
      }
      const across = await Promise.all([
        bench.ask(0, 2, bytes(1), 900),
        bench.ask(3, 1, bytes(1), 900),
      ]);
      expect(across.map(({ kind }) => kind)).toEqual(["timeout", "timeout"]);
      expect(await bench.ask(2, 3, bytes(1))).toMatchObject({ kind: "reply" });
      const sides = bench.notices.map(({ at, first }) => at < 2 === first < 2);
      expect(sides).toHaveLength(4);
      expect(sides.every(Boolean)).toBe(true);
      heal();
      expect(await bench.ask(0, 2, bytes(1))).toMatchObject({ kind: "reply" });
    });
  });

  it("cut one way only: a request is served and its reply does not come back", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      const overlays = await bench.startAll(2);
      await bench.ask(0, 1, bytes(1));
      bench.network.addRule(cutOneWay([1], [0]));
      overlays[0]?.notify(memberId(1), bytes(5));
      overlays[1]?.notify(memberId(0), bytes(6));
      expect(await bench.ask(0, 1, bytes(2), 3_000)).toEqual({
        kind: "timeout",
      });
      expect(firsts(bench.served)).toEqual([1, 2]);
      expect(firsts(bench.notices)).toEqual([5]);
    });
  });

  it("reach nobody from a member that is isolated, nor that one from anybody", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      await bench.startAll(3);
      const end = bench.network.addRule(isolate([1]));
      const asked = [
        [1, 0],
        [0, 1],
        [0, 2],
      ].map(([from = 0, to = 0], n) => bench.ask(from, to, bytes(n), 3_000));
      expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual([
        "timeout",
        "timeout",
        "reply",
      ]);
      end();
    });
    expect(firsts(bench.served)).toEqual([2]);
  });

  it("hold what is clogged and deliver it in order when it is freed", async () => {
    const bench = new NetworkBench(1, { windowRequests: 50 });
    await bench.run(async () => {
      await bench.startAll(3);
      await bench.ask(0, 1, bytes(99));
      const free = bench.network.addRule(clogMembers([1]));
      const outcomes = Promise.all(numbers(20).map((n) => bench.ask(0, 1, bytes(n))));
      await bench.clock.sleep(8_000);
      expect(firsts(bench.served)).toEqual([99]);
      expect(bench.network.heldPackets).toBe(20);
      free();
      const late = bench.ask(0, 1, bytes(20));
      expect((await outcomes).every(({ kind }) => kind === "reply")).toBe(true);
      await late;
      expect(firsts(bench.served)).toEqual([99, ...numbers(21)]);
    });
  });

  it("keep the order of a stream of which only some packets are held", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      await bench.startAll(2);
      const free = bench.network.addRule(({ bytes: size }) => (size === 2 ? hold : pass));
      const asked = [bytes(0), bytes(1, 1), bytes(2), bytes(3)].map((one) => bench.ask(0, 1, one));
      await bench.clock.sleep(3_000);
      expect(firsts(bench.served)).toEqual([0]);
      free();
      await Promise.all(asked);
      expect(firsts(bench.served)).toEqual([0, 1, 2, 3]);
    });
  });

  it("break connections that are cut for long, and report it at both ends", async () => {
    const bench = new NetworkBench(1, { brokenAfterMs: 5_000 });
    await bench.run(async () => {
      await bench.startAll(3);
      const heal = bench.network.addRule(partition([0], [1]));
      const asked = bench.ask(0, 1, bytes(1));
      await bench.clock.sleep(4_900);
      expect(bench.broken).toEqual([]);
      await bench.clock.sleep(1_200);
      expect(bench.broken.toSorted()).toEqual(["0 lost member-1", "1 lost member-0"]);
      expect(await asked).toMatchObject({ kind: "unreachable" });
      expect(await bench.ask(1, 0, bytes(2))).toMatchObject({
        kind: "unreachable",
      });
      heal();
      expect(await bench.ask(1, 0, bytes(3))).toMatchObject({ kind: "reply" });
      expect(firsts(bench.served)).toEqual([3]);
    });
  });

  it("break connections between members that run on, and lose what is on its way over them", async () => {
    const bench = new NetworkBench(1);
    bench.serviceMs = 1_000;
    await bench.run(async () => {
      await bench.startAll(3);
      const asked = bench.ask(1, 0, bytes(1));
      await bench.clock.sleep(500);
      bench.network.breakConnections(0);
      // It is served, and nobody hears of it.
      expect(await asked).toMatchObject({ kind: "unreachable" });
      await bench.clock.sleep(2_000);
      expect(bench.broken.toSorted()).toEqual([
        "0 lost member-1",
        "0 lost member-2",
        "1 lost member-0",
        "2 lost member-0",
      ]);
      expect(await bench.ask(1, 0, bytes(2))).toMatchObject({ kind: "reply" });
      expect(firsts(bench.served)).toEqual([1, 2]);
    });
  });

  it("survive a cut that ends in time: what was sent meanwhile arrives", async () => {
    const bench = new NetworkBench(1, { brokenAfterMs: 5_000 });
    await bench.run(async () => {
      await bench.startAll(2);
      const heal = bench.network.addRule(partition([0], [1]));
      const asked = bench.ask(0, 1, bytes(1));
      await bench.clock.sleep(4_000);
      heal();
      expect(await asked).toMatchObject({ kind: "reply" });
      await bench.clock.sleep(10_000);
      expect(bench.broken).toEqual([]);
    });
  });

  it("let a swizzle-clog end with everything delivered", async () => {
    const bench = new NetworkBench(1, { brokenAfterMs: 60_000 });
    await bench.run(async () => {
      await bench.startAll(5);
      await Promise.all(numbers(25).map((n) => bench.ask(n % 5, Math.floor(n / 5), bytes(n))));
      const frees: (() => void)[] = [];
      const swizzle = async (): Promise<void> => {
        for (const n of numbers(5)) {
          frees.push(bench.network.addRule(clogMembers([n])));
          await bench.clock.sleep(500);
        }
        for (const n of [2, 0, 4, 1, 3]) {
          frees[n]?.();
          await bench.clock.sleep(500);
        }
      };
      const clogging = swizzle();
      await bench.clock.sleep(1_000);
      const pairs = numbers(25).filter((n) => n % 5 !== Math.floor(n / 5));
      const asked = pairs.map((n) => bench.ask(n % 5, Math.floor(n / 5), bytes(n)));
      await clogging;
      expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(pairs.map(() => "reply"));
      expect(bench.network.heldPackets).toBe(0);
    });
  });

  it("slow members down", async () => {
    const bench = new NetworkBench(1, { latencyMedianMs: 10, latencyTail: 0 });
    await bench.run(async () => {
      await bench.startAll(2);
      bench.network.addRule(slowMembers([1], 700));
      const startMs = bench.clock.nowMs();
      await bench.ask(0, 1, bytes(1));
      expect(bench.clock.nowMs() - startMs).toBeGreaterThan(1_400);
    });
  });
});
