import { describe, expect, it } from "vitest";
import type { PullRows } from "../../../../src/core/messages/reconciliation.ts";
import { robotsKey } from "../../../../src/core/record/host-keys.ts";
import { RobotsRecord } from "../../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId, OriginName } from "../../../../src/core/units.ts";
import { siteOf } from "../../../../src/core/url/site-of.ts";
import { originsOfOthers } from "../../../../src/peer/swarm/answers/origins-of-others.ts";

function rowOf(origin: string, record: Partial<RobotsRecord> = {}) {
  const fetched = { origin, verdict: "rules", fetchedAtMs: 1, expiresAtMs: 2, ...record };
  const key = robotsKey(siteOf("http://a.example"), "http://a.example" as OriginName);
  return { key, value: RobotsRecord.encode(fetched) };
}

/** What members answer, by their names; of others there is no answer. */
type Answers = Readonly<Record<string, readonly ReturnType<typeof rowOf>[]>>;

async function ask(answers: Answers, others: readonly string[] = Object.keys(answers)) {
  const asked: [string, PullRows][] = [];
  const pull = (member: MemberId, question: PullRows) => {
    asked.push([member, question]);
    const rows = answers[member];
    const reply = { behindMs: 0, more: true, found: new Uint8Array() };
    return Promise.resolve(rows && { ...reply, rows });
  };
  const origins = await originsOfOthers({ pull }, { others: others as MemberId[] });
  return { asked, origins };
}

describe("the origins of others", () => {
  it("are those that have answered any of them, whoever does not answer", async () => {
    const answers = {
      one: [rowOf("http://a.example"), rowOf("http://b.example", { failuresInRow: 1 })],
      two: [],
      three: [rowOf("http://c.example"), rowOf("http://a.example")],
    };
    const { origins } = await ask(answers, ["one", "silent", "two", "three"]);
    expect(origins).toEqual(["http://a.example", "http://c.example"]);
  });

  it("are none of what is no robots.txt", async () => {
    const bytes = { ...rowOf("http://a.example"), value: Uint8Array.of(255, 1) };
    const strange = [bytes, rowOf("no origin"), rowOf("http://b.example", { verdict: "what" })];
    expect((await ask({ one: strange })).origins).toEqual([]);
  });

  it("are asked of eight members, a few of each, of all the ring", async () => {
    const { asked } = await ask(
      {},
      Array.from({ length: 9 }, (_, at) => `m${at}`),
    );
    expect(asked).toHaveLength(8);
    const [, question] = asked[0] ?? [];
    expect(question).toMatchObject({ tag: "robots", limit: 20 });
    expect(question?.arcs.equals(ArcSet.whole)).toBe(true);
  });
});
