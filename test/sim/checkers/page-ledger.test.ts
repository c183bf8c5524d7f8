import { describe, expect, it } from "vitest";
import type { SeenHit } from "../../../sim/checkers/checker.ts";
import { PageLedger } from "../../../sim/checkers/page-ledger.ts";

const hit: SeenHit = {
  sentAtMs: 0,
  atMs: 10,
  endMs: 20,
  peer: "peer-1",
  generation: 1,
  machine: 1,
  host: "site-0.example",
  address: "10.0.0.1",
  url: "http://site-0.example/",
  status: 200,
  isRobots: false,
  page: 3,
  bytes: 100,
};

describe("PageLedger", () => {
  it("keeps of each page who asked first, and what came of the last request", () => {
    const ledger = new PageLedger(5);
    ledger.add({ ...hit, status: 503 });
    ledger.add({ ...hit, atMs: 30.5, machine: 2 });
    expect(ledger.of(3)).toEqual({
      count: 2,
      first: { atMs: 10, machine: 1 },
      last: { atMs: 30.5, status: 200 },
    });
  });

  it("tells the pages that were asked for from the others", () => {
    const ledger = new PageLedger(5);
    for (const page of [4, 0, 4]) ledger.add({ ...hit, page });
    expect([0, 1, 2, 3, 4].map((page) => ledger.of(page)?.count)).toEqual([
      1,
      undefined,
      undefined,
      undefined,
      2,
    ]);
  });

  it("counts nothing for what is no page", () => {
    const ledger = new PageLedger(1);
    ledger.add({ ...hit, page: -1 });
    expect([-1, 0].map((page) => ledger.of(page))).toEqual([undefined, undefined]);
  });

  it("counts however many there are", () => {
    const ledger = new PageLedger(5);
    for (let at = 0; at < 65_537; at += 1) ledger.add(hit);
    expect(ledger.of(3)?.count).toBe(65_537);
  });
});
