import { describe, expect, it } from "vitest";
import type { VirtualLogLine } from "../../../../sim/world/virtual-machine.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { FarClocks } from "../../../../src/peer/swarm/members/far-clocks.ts";
import { SwarmBench } from "../swarm-bench.ts";

const hourMs = 3_600_000;

describe("a peer whose clock is more than a day off", () => {
  it.each([
    [30, "30 hours behind", "30 hours ahead of"],
    [-49.4, "49 hours ahead of", "49 hours behind"],
  ])(
    "is told so by its log, and the others by theirs, once (%d hours)",
    async (hours, own, theirs) => {
      const lines: VirtualLogLine[] = [];
      const bench = new SwarmBench(2, { machine: { onLog: (line) => lines.push(line) } });
      await bench.run(async () => {
        await bench.begin();
        const skew = { offsetMs: hours * hourMs, driftPpm: 0 };
        await bench.world.addMachine({ skew }).start();
        await bench.pass(120_000);
      });
      const told = lines.filter(({ event }) => event === "clocks-differ");
      const saidBy = (index: number) => told.filter(({ peer }) => peer === `peer-${index}`);
      expect(saidBy(2)).not.toEqual([]);
      for (const { level, fields } of saidBy(2)) {
        expect(level).toBe("warn");
        expect(fields?.["apart"]).toBe(`its clock is ${own} this one`);
      }
      const byOthers = [...saidBy(0), ...saidBy(1)];
      expect(byOthers).not.toEqual([]);
      for (const { fields } of byOthers) {
        expect(fields).toMatchObject({
          member: "peer-2",
          apart: `its clock is ${theirs} this one`,
        });
      }
      for (const index of [0, 1, 2]) {
        const members = saidBy(index).map(({ fields }) => fields?.["member"]);
        expect(new Set(members).size).toBe(members.length);
      }
    },
  );

  it("is not told of the clocks of a whole swarm", () => {
    const warned: string[] = [];
    const clocks = new FarClocks({ warn: (event) => void warned.push(event) });
    for (let n = 0; n < 1_000; n += 1) clocks.heard(`peer-${n}` as MemberId, 0, 25 * hourMs);
    expect(warned).toHaveLength(8);
  });

  it("is one whose clock is so far off, and says what time it is", () => {
    const warned: unknown[] = [];
    const clocks = new FarClocks({ warn: (_, fields) => void warned.push(fields) });
    clocks.heard("a" as MemberId, 24 * hourMs, 0);
    clocks.heard("a" as MemberId, undefined, 50 * hourMs);
    expect(warned).toEqual([]);
    clocks.heard("a" as MemberId, Number.MAX_SAFE_INTEGER, 0);
    expect(warned).toMatchObject([{ there: "9007199254740991", here: "1970-01-01T00:00:00.000Z" }]);
  });
});
