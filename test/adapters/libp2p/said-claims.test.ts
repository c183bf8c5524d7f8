import { beforeEach, describe, expect, it } from "vitest";
import {
  saidMax,
  SaidClaims,
  settlingMs,
  unheardMs,
  type SaidClaim,
} from "../../../src/adapters/libp2p/said-claims.ts";

const second = 1_000;

describe("claims that a new neighbour may have missed", () => {
  let claims: SaidClaims;

  beforeEach(() => (claims = new SaidClaims()));

  const say = (nowMs: number, n = 0): SaidClaim => claims.add(Uint8Array.of(n), nowMs);
  /** When what has been said is said again, from now on. */
  const times = (): number[] => {
    const atMs = claims.nextMs;
    if (atMs === undefined) return [];
    return [...claims.takeDue(atMs).map(() => atMs), ...times()];
  };

  it("are said once where no neighbour comes", () => {
    say(0);
    expect(times()).toEqual([]);
  });

  it("are said again when a neighbour that has come since has settled", () => {
    say(0);
    claims.newcomer(second);
    expect(claims.takeDue(second + settlingMs - 1)).toEqual([]);
    expect(times()).toEqual([second + settlingMs]);
  });

  it("are said again where a neighbour has come shortly before", () => {
    claims.newcomer(0);
    say(second);
    expect(times()).toEqual([settlingMs]);
    say(2 * settlingMs);
    expect(times()).toEqual([]);
  });

  it("are said again for each neighbour, though more come meanwhile", () => {
    const said = say(0);
    said.isHeard = true;
    claims.newcomer(500);
    claims.newcomer(1_400);
    // Too late to have missed it.
    claims.newcomer(1_600);
    expect(times()).toEqual([500 + settlingMs, 1_400 + settlingMs]);
  });

  it("are said once for neighbours that have all settled", () => {
    say(0);
    claims.newcomer(500);
    claims.newcomer(501);
    expect(claims.takeDue(501 + settlingMs)).toHaveLength(1);
    expect(times()).toEqual([]);
  });

  it("wait longer for a neighbour where there was none to hear them", () => {
    const [heard, unheard, old] = [say(0, 1), say(0, 2), say(-second, 3)];
    heard.isHeard = true;
    claims.newcomer(unheardMs - 1);
    expect(claims.takeDue(unheardMs + settlingMs)).toEqual([unheard]);
    expect(old.againMs).toBeUndefined();
  });

  it("are said again in their order, and the newest ones where there are many", () => {
    for (let n = 0; n <= saidMax; n += 1) say(0, n);
    claims.newcomer(1);
    const again = claims.takeDue(second + settlingMs).map(({ claim }) => claim[0]);
    expect(again).toEqual(Array.from({ length: saidMax }, (_, n) => n + 1));
  });
});
