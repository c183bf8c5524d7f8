import type { Connection, MultiaddrConnection, PeerId } from "@libp2p/interface";
import { beforeEach, describe, expect, it } from "vitest";
import { Gatekeeper, newcomersMax } from "../../../src/adapters/libp2p/gatekeeper.ts";
import type { Violation } from "../../../src/adapters/libp2p/incoming-stream.ts";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.ts";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
import type { MemberId, Millis } from "../../../src/core/units.ts";
import type { LogFields, Logger } from "../../../src/ports/logger.ts";
import { silentLogger } from "../../support/silent-logger.ts";

const [a, b] = ["peer-a" as MemberId, "peer-b" as MemberId];
const remoteAddr = { toString: () => "/ip4/192.0.2.1/tcp/1" };
const idOf = (peer: MemberId): PeerId => ({ toString: () => peer }) as unknown as PeerId;

let nowMs: Millis;
let lines: { readonly event: string; readonly fields: LogFields | undefined }[];
let metrics: PrometheusMetrics;
let gatekeeper: Gatekeeper;

beforeEach(() => {
  nowMs = 0;
  lines = [];
  metrics = new PrometheusMetrics();
  const say = (event: string, fields?: LogFields): void => void lines.push({ event, fields });
  const logger: Logger = { ...silentLogger, info: say, warn: say };
  const clock = Object.assign(new SystemClock(), { nowMs: () => nowMs });
  gatekeeper = new Gatekeeper({ logger, metrics, clock });
});

/** A connection to a peer that is refused. */
function refuse(peer: MemberId, detail: string, isKeptOut: boolean): void {
  const connection = { remotePeer: idOf(peer), remoteAddr, direction: "inbound" };
  gatekeeper.refused(connection as unknown as Connection, detail, isKeptOut);
}

/** A connection that somebody has opened. */
function newcomer(onEnd: () => void = () => undefined) {
  const end = (): boolean => connection.dispatchEvent(new Event("close"));
  const connection = Object.assign(new EventTarget(), { remoteAddr, send: () => true, abort: end });
  connection.addEventListener("close", onEnd);
  const opened = connection as unknown as MultiaddrConnection;
  gatekeeper.accepted(opened);
  return {
    answer: () => opened.send(new Uint8Array()),
    end,
    prove: (peer: MemberId): boolean => gatekeeper.isDenied(idOf(peer), opened),
  };
}

it("counts each kind of offence in the metrics of a running peer", async () => {
  const violations: Violation[] = ["malformed", "oversized", "unexpected", "flood"];
  for (const violation of violations) gatekeeper.violated(a, violation);
  const text = await metrics.text();
  for (const violation of violations) {
    expect(text).toContain(`orbweaver_overlay_violations_total{reason="${violation}"} 1\n`);
  }
});

describe("a peer that is refused", () => {
  it("is kept out for ten seconds, and told of once in that time", async () => {
    for (nowMs = 0; nowMs < 10_000; nowMs += 3_333) refuse(a, "another swarm", true);
    const [address, direction, detail] = ["192.0.2.1:1", "inbound", "another swarm"];
    const fields = { peer: a, address, direction, detail };
    expect(lines).toEqual([{ event: "peer-refused", fields }]);
    expect(await metrics.text()).toContain("orbweaver_overlay_refused_total 4\n");
    nowMs = 19_998;
    expect([gatekeeper.denialOf(a), gatekeeper.denialOf(b)]).toEqual(["another swarm", undefined]);
    nowMs = 19_999;
    expect(gatekeeper.denialOf(a)).toBeUndefined();
    refuse(a, "another swarm", true);
    refuse(b, "another swarm", true);
    expect(lines).toHaveLength(3);
  });

  it("may come back at once where it is not kept out, and one of all such is told of in ten seconds", () => {
    const told = [0, 1, 9_999, 10_000, 19_999].map((atMs) => {
      nowMs = atMs;
      refuse(atMs % 2 === 0 ? a : b, "it did not greet", false);
      return lines.length;
    });
    expect(told).toEqual([1, 1, 1, 2, 2]);
    expect(gatekeeper.denialOf(a)).toBeUndefined();
  });
});

it("drops a peer with its third offence, and keeps that one out for five minutes", () => {
  nowMs = 1_000;
  const offend = (peer: MemberId): boolean => gatekeeper.violated(peer, "oversized");
  expect([offend(a), offend(a), offend(b), offend(a)]).toEqual([false, false, false, true]);
  const detail = "oversized frames";
  expect(lines).toEqual([{ event: "peer-dropped", fields: { peer: a, detail } }]);
  const isKeptOut = (): boolean[] => [a, b].map((peer) => gatekeeper.isDenied(idOf(peer)));
  nowMs = 300_999;
  expect([isKeptOut(), gatekeeper.denialOf(a)]).toEqual([[true, false], "it broke the protocol"]);
  nowMs = 301_000;
  expect(isKeptOut()).toEqual([false, false]);
});

describe("a connection that ends", () => {
  it("before both ends know each other is told of, one in ten seconds", () => {
    for (nowMs = 0; nowMs <= 10_000; nowMs += 5_000) newcomer().end();
    const detail = expect.stringContaining("another swarm key") as string;
    const failed = { event: "handshake-failed", fields: { address: "192.0.2.1:1", detail } };
    expect(lines).toMatchObject([failed, failed]);
  });

  it("is not told of where its peer has proved its key", () => {
    const connection = newcomer();
    expect(connection.prove(a)).toBe(false);
    connection.end();
    expect(lines).toEqual([]);
  });

  it("is not told of where it came from a process with this member's key, which has a line of its own", async () => {
    const connection = newcomer();
    const detail = expect.stringContaining("another process runs with") as string;
    for (const calls of [1, 2]) {
      gatekeeper.calledByOwnKey();
      connection.end();
      expect(gatekeeper.ownCalls).toBe(calls);
      expect(lines).toEqual([{ event: "same-key", fields: { address: undefined, detail } }]);
    }
    expect(await metrics.text()).toContain("orbweaver_overlay_refused_total 1\n");
  });

  it("so that others have room is the oldest of those on which nobody has greeted, and is counted", async () => {
    const ended: number[] = [];
    const open = (number: number): void => {
      newcomer(() => ended.push(number)).prove(number === 0 ? a : b);
      gatekeeper.greeted(a);
    };
    const full = 'orbweaver_queue_full_total{queue="newcomers"}';
    for (let number = 0; number <= newcomersMax; number += 1) open(number);
    expect(ended).toEqual([]);
    expect(await metrics.text()).not.toContain(full);
    open(newcomersMax + 1);
    expect(ended).toEqual([1]);
    expect(await metrics.text()).toContain(`${full} 1\n`);
  });
});

it("bounds what is answered to somebody until it has proved its key", () => {
  const [nobody, known] = [newcomer(), newcomer()];
  known.prove(a);
  const answerOften = (to: typeof nobody): void => {
    for (let count = 0; count < 100; count += 1) to.answer();
  };
  expect(() => answerOften(nobody)).toThrow("too many protocols");
  expect(() => answerOften(known)).not.toThrow();
});
