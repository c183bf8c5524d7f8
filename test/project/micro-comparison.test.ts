import { describe, expect, it } from "vitest";
import type { Calibration } from "../bench/micro/calibration.ts";
import { compare, slowdown, summarise, type Sample } from "../bench/micro/comparison.ts";
import { formatResults, parseResults, type StoredResult } from "../bench/micro/stored-results.ts";

const usual: Calibration = { computeNs: 2, memoryNs: 40 };
const halfAsFast: Calibration = { computeNs: 4, memoryNs: 80 };

/** Samples of these times, all taken while the machine was as `calibration` says. */
function samplesOf(times: readonly number[], calibration = usual): Sample[] {
  return times.map((ns) => ({ ns, calibration }));
}

const even = [100, 98, 102, 99, 101, 97, 103];

describe("the summary of a micro-benchmark", () => {
  it("is the median and the middle half of its samples", () => {
    expect(summarise(samplesOf(even))).toEqual({
      ns: 100,
      lowNs: 98,
      highNs: 102,
      calibration: usual,
    });
  });

  it("is not moved by a few samples that something disturbed", () => {
    const { ns, highNs } = summarise(samplesOf([100, 100, 100, 100, 100, 100, 900]));
    expect([ns, highNs]).toEqual([100, 100]);
  });

  it("takes a sample of a slow moment for what it would have been in a usual one", () => {
    const slow = [100, 100].map((ns) => ({ ns: ns * 2, calibration: halfAsFast }));
    const { ns, lowNs, highNs, calibration } = summarise([...samplesOf([100, 100, 100]), ...slow]);
    expect([ns, lowNs, highNs]).toEqual([100, 100, 100]);
    expect(calibration).toEqual(usual);
  });
});

describe("the slowdown of a machine", () => {
  it("is the geometric mean of how much slower it computes and reads", () => {
    expect(slowdown({ computeNs: 2, memoryNs: 160 }, usual)).toBe(2);
    expect(slowdown({ computeNs: 8, memoryNs: 40 }, usual)).toBe(2);
    expect(slowdown(usual, halfAsFast)).toBe(0.5);
  });
});

describe("the comparison of two summaries", () => {
  const stored = summarise(samplesOf(even));
  const timesBy = (factor: number, calibration = usual) =>
    summarise(
      samplesOf(
        even.map((ns) => ns * factor),
        calibration,
      ),
    );

  it("calls slower what costs more than a tenth more", () => {
    expect(compare(timesBy(1.2), stored)).toEqual({ ratio: 1.2, verdict: "slower" });
    expect(compare(timesBy(1.09), stored).verdict).toBe("same");
  });

  it("calls faster what costs more than a tenth less", () => {
    expect(compare(timesBy(0.8), stored)).toEqual({ ratio: 0.8, verdict: "faster" });
    expect(compare(timesBy(0.91), stored).verdict).toBe("same");
  });

  it("scales by the machine: twice the time on half the speed is no difference", () => {
    expect(compare(timesBy(2, halfAsFast), stored)).toEqual({ ratio: 1, verdict: "same" });
    expect(compare(timesBy(2.4, halfAsFast), stored).verdict).toBe("slower");
    expect(compare(timesBy(1, halfAsFast), stored)).toEqual({ ratio: 0.5, verdict: "faster" });
  });

  it("calls nothing slower or faster whose middle half of samples reaches into the stored one", () => {
    const scattered = [80, 90, 100, 115, 125, 130, 135];
    const now = summarise(samplesOf(scattered));
    expect(compare(now, stored)).toEqual({ ratio: 1.15, verdict: "same" });
    expect(compare(stored, now).verdict).toBe("same");
  });
});

describe("stored results", () => {
  const one: StoredResult = {
    ns: 1234.567,
    lowNs: 1200,
    highNs: 1300,
    calibration: { computeNs: 2.34567, memoryNs: 40 },
    node: "v24.0.0",
    cpu: "some",
    date: "2026-03-01",
  };

  it("are read back as they were written, to four figures, without benchmarks that are gone", () => {
    const text = formatResults({ "a/gone": one, "b/kept": one }, ["b/kept", "c/never-run"]);
    expect(parseResults(text)).toEqual({
      "b/kept": { ...one, ns: 1235, calibration: { computeNs: 2.346, memoryNs: 40 } },
    });
  });

  it.each(["", "[]", "null", '{"a/b":{"ns":1}}', "not JSON"])("are none in %j", (text) => {
    expect(parseResults(text)).toEqual({});
  });

  it("leave out those with a time that is none", () => {
    const broken = { ...one, lowNs: 0 };
    const text = JSON.stringify({ "a/good": one, "b/broken": broken });
    expect(Object.keys(parseResults(text))).toEqual(["a/good"]);
  });
});
