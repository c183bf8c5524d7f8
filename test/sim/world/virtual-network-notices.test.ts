import { describe, expect, it } from "vitest";
import { cutOneWay, deliver, drop, partition, pass } from "../../../sim/world/network-rules.ts";
import { bytes, firsts, memberId, NetworkBench, numbers } from "./network-bench.ts";

describe("datagrams and claims", () => {
  it("are lost and doubled at the rates that were asked for", async () => {
    const bench = new NetworkBench(1, { lossRate: 0.1, duplicateRate: 0.05 });
    const sent = 4_000;
    await bench.run(async () => {
      const [first] = await bench.startAll(2);
      for (let n = 0; n < sent; n += 1) first?.notify(memberId(1), bytes(n & 255));
      await bench.clock.sleep(60_000);
    });
    const { losses, duplicates } = bench.network.traffic;
    expect(losses.notice.messages / sent).toBeCloseTo(0.1, 1);
    expect(duplicates.notice.messages / sent).toBeCloseTo(0.05, 1);
    expect(bench.notices).toHaveLength(sent - losses.notice.messages + duplicates.notice.messages);
    expect(firsts(bench.notices)).not.toEqual(numbers(sent).map((n) => n & 255));
  });

  it("take their time with a long tail", async () => {
    const bench = new NetworkBench(1, {
      latencyMedianMs: 20,
      latencyTail: 0.6,
    });
    const delays: number[] = [];
    await bench.run(async () => {
      const [first, second] = await bench.startAll(2);
      const startMs = bench.clock.nowMs();
      second?.onNotice(() => delays.push(bench.clock.nowMs() - startMs));
      for (let n = 0; n < 4_000; n += 1) first?.notify(memberId(1), bytes(0));
      await bench.clock.sleep(60_000);
    });
    const sorted = delays.toSorted((a, b) => a - b);
    const median = sorted[2_000] ?? 0;
    expect(median).toBeGreaterThan(10);
    expect(median).toBeLessThan(40);
    expect((sorted[3_960] ?? 0) / median).toBeGreaterThan(3);
  });

  it("reach every connected member, and those alone", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      const [, second] = await bench.startAll(8);
      await bench.start(8);
      second?.publish(bytes(7));
      await bench.clock.sleep(10_000);
    });
    expect(bench.claims.map(({ at }) => at).toSorted()).toEqual([0, 2, 3, 4, 5, 6, 7]);
    expect(bench.claims.every(({ from }) => from === memberId(1))).toBe(true);
  });

  it("find a way around a cut between two members, and none into another partition", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      const overlays = await bench.startAll(12);
      const heal = bench.network.addRule(cutOneWay([0], [1]));
      overlays[0]?.publish(bytes(1));
      await bench.clock.sleep(10_000);
      expect(bench.claims.filter(({ at }) => at === 1)).toHaveLength(1);
      heal();
      bench.network.addRule(partition([0, 2, 3, 4, 5, 6], [1, 7, 8, 9, 10, 11]));
      overlays[0]?.publish(bytes(2));
      await bench.clock.sleep(5_000);
      const second = bench.claims.filter(({ first }) => first === 2);
      expect(second.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
    });
  });

  it("arrive whatever chance says where a rule says so", async () => {
    const bench = new NetworkBench(1, { lossRate: 1 });
    await bench.run(async () => {
      const [first] = await bench.startAll(2);
      first?.notify(memberId(1), bytes(1));
      bench.network.addRule(() => deliver);
      first?.notify(memberId(1), bytes(2));
      await bench.clock.sleep(10_000);
    });
    expect(firsts(bench.notices)).toEqual([2]);
  });

  it("are lost to a rule that says so", async () => {
    const bench = new NetworkBench(1);
    await bench.run(async () => {
      const [first] = await bench.startAll(2);
      bench.network.addRule(({ traffic }) => (traffic === "notice" ? drop : pass));
      first?.notify(memberId(1), bytes(1));
      expect(await bench.ask(0, 1, bytes(2))).toMatchObject({ kind: "reply" });
    });
    expect(bench.notices).toEqual([]);
  });
});

describe("the end of a process", () => {
  it("is noticed by its partners at once where the machine lives, and late where it is silent", async () => {
    for (const [absence, soonest, latest] of [
      ["refusing", 0, 1_000],
      ["silent", 15_000, 16_000],
    ] as const) {
      const bench = new NetworkBench(1);
      const times: number[] = [];
      await bench.run(async () => {
        const [first] = await bench.startAll(3);
        first?.onBroken(() => times.push(bench.clock.nowMs()));
        const killedAtMs = bench.clock.nowMs();
        bench.kill(2, absence);
        await bench.clock.sleep(30_000);
        expect(bench.broken).toEqual(["0 lost member-2"]);
        expect((times[0] ?? 0) - killedAtMs).toBeGreaterThanOrEqual(soonest);
        expect((times[0] ?? 0) - killedAtMs).toBeLessThan(latest);
      });
    }
  });

  it("leaves requests to it unanswered, and what it was about to say unsaid", async () => {
    const bench = new NetworkBench(1);
    bench.serviceMs = 50;
    await bench.run(async () => {
      const overlays = await bench.startAll(3);
      const asked = bench.ask(0, 2, bytes(1));
      const own = bench.ask(2, 0, bytes(2));
      let settled = false;
      void own.then(() => {
        settled = true;
      });
      while (bench.served.length < 2) await bench.clock.sleep(1);
      bench.kill(2);
      overlays[2]?.notify(memberId(0), bytes(3));
      overlays[2]?.publish(bytes(4));
      expect(await asked).toMatchObject({ kind: "unreachable" });
      await bench.clock.sleep(60_000);
      expect(settled).toBe(false);
      expect([...bench.notices, ...bench.claims]).toEqual([]);
    });
  });

  it("does not hand old requests to the next process of the member", async () => {
    const bench = new NetworkBench(1, { latencyMedianMs: 500, latencyTail: 0 });
    await bench.run(async () => {
      await bench.startAll(2);
      await bench.ask(0, 1, bytes(1));
      const asked = bench.ask(0, 1, bytes(2));
      bench.kill(1, "silent");
      await bench.start(1);
      expect(await asked).toMatchObject({ kind: "unreachable" });
      expect(firsts(bench.served)).toEqual([1]);
      expect(await bench.ask(0, 1, bytes(3))).toMatchObject({ kind: "reply" });
    });
  });
});

describe("the trace of a network", () => {
  const traceOf = async (seed: number): Promise<bigint> => {
    const bench = new NetworkBench(seed, {
      lossRate: 0.05,
      duplicateRate: 0.05,
    });
    await bench.run(async () => {
      const overlays = await bench.startAll(5);
      for (const n of numbers(200)) {
        overlays[n % 5]?.notify(memberId((n * 3) % 5), bytes(n));
        if (n % 10 === 0) overlays[n % 5]?.publish(bytes(n));
        void bench.ask(n % 5, (n + 1) % 5, bytes(n));
      }
      await bench.clock.sleep(60_000);
    });
    expect(bench.network.trace.events).toBeGreaterThan(500);
    return bench.network.trace.value;
  };

  it("is the same for the same seed, and another for another", async () => {
    const first = await traceOf(1);
    expect(await traceOf(1)).toBe(first);
    expect(await traceOf(2)).not.toBe(first);
  });
});
