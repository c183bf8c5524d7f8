import { describe, expect, it } from "vitest";
import type { HostName } from "../../../src/core/units.ts";
import { HopRests } from "../../../src/peer/robots/hop-rests.ts";

const [a, b, c, d] = ["a.example", "b.example", "c.example", "d.example"] as [
  HostName,
  HostName,
  HostName,
  HostName,
];

describe("what is remembered of hosts that robots.txts lead to", () => {
  it("makes room of those that may be asked again, and then of the one that was asked first", () => {
    const rests = new HopRests(2);
    rests.add(a, 9_000, 0);
    rests.add(b, 1_000, 0);
    rests.add(c, 8_000, 2_000);
    expect([a, b, c].map((name) => rests.openAtMs(name))).toEqual([9_000, 0, 8_000]);
    rests.add(a, 9_500, 3_000);
    rests.add(d, 7_000, 4_000);
    expect([a, b, c, d].map((name) => rests.openAtMs(name))).toEqual([9_500, 0, 0, 7_000]);
  });
});
