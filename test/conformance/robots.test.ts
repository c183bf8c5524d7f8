import { describe, expect, it } from "vitest";
import { parseRobots } from "../../src/core/robots/parse-robots.ts";
import { conformanceCases } from "./conformance-data.ts";

interface RobotsCase {
  readonly robotstxt: string;
  readonly robotstxtBase64?: string;
  readonly userAgent: string;
  readonly url: string;
  readonly allowed: boolean;
  readonly tier: string;
  readonly source: string;
}

const cases = conformanceCases("robots.json", (value) => value as RobotsCase);

function textOf({ robotstxt, robotstxtBase64 }: RobotsCase): string {
  if (robotstxtBase64 === undefined) return robotstxt;
  return new TextDecoder().decode(Buffer.from(robotstxtBase64, "base64"));
}

describe("robots.txt conformance", () => {
  if (cases === undefined) {
    it("is not tested here: ../shared/conformance/robots.json is absent", () => {
      expect(cases).toBeUndefined();
    });
    return;
  }

  it("has all the cases of the suites", () => {
    expect(cases.length).toBeGreaterThanOrEqual(541);
  });

  it.each(cases.map((one, index) => [index, one] as const))("agrees with case %i", (_, one) => {
    const allowed = parseRobots(textOf(one)).isAllowed(one.url, one.userAgent);
    expect(allowed, `${one.source}: ${one.userAgent} at ${one.url} by\n${one.robotstxt}`).toBe(
      one.allowed,
    );
  });
});
