import { describe, expect, it } from "vitest";
import { MemberLog } from "../../../../src/peer/swarm/members/member-log.ts";
import type { MemberId } from "../../../../src/core/units.ts";

const minuteMs = 60_000;

describe("the log of what becomes of members", () => {
  function bench() {
    const lines: string[] = [];
    const write = (event: string): unknown => lines.push(event);
    const time = { nowMs: 0 };
    const clock = { nowMs: () => time.nowMs };
    return { lines, time, log: new MemberLog({ clock, logger: { info: write, warn: write } }) };
  }

  it("tells of a bounded number of changes in a minute, and that it leaves some out", () => {
    const { lines, time, log } = bench();
    for (let minute = 0; minute < 3; minute += 1) {
      time.nowMs = minute * minuteMs;
      lines.length = 0;
      for (let change = 0; change < 10_000; change += 1) {
        log.changed(`member-${change % 7}` as MemberId, "joining");
      }
      expect(lines.filter((event) => event === "member-changed")).toHaveLength(2_000);
      expect(lines.slice(2_000)).toEqual(["members-change-too-often"]);
    }
  });

  it("tells of all when hundreds part and come together again within a minute", () => {
    const { lines, log } = bench();
    for (const state of ["suspect", "dead", "active"]) {
      for (let at = 0; at < 500; at += 1) log.changed(`member-${at}` as MemberId, state);
    }
    expect(lines).toHaveLength(1_500);
  });

  it("tells of made-up runs once in ten seconds", () => {
    const { lines, time, log } = bench();
    for (; time.nowMs < 30_000; time.nowMs += 1) log.outbid(time.nowMs, []);
    expect(lines).toEqual(Array.from({ length: 3 }, () => "later-run-outbid"));
  });
});
