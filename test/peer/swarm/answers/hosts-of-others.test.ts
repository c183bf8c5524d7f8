import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { HostQuestion, KnownHost } from "../../../../src/core/messages/host-message.ts";
import type { Refusal } from "../../../../src/core/messages/status-message.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { HostName, MemberId } from "../../../../src/core/units.ts";
import { HostsOfOthers } from "../../../../src/peer/swarm/answers/hosts-of-others.ts";
import { HolderSearch } from "../../../../src/peer/swarm/answers/holder-search.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { stillView } from "../still-view.ts";

const [self, holder] = ["self", "holder"] as MemberId[] as [MemberId, MemberId];
const host = "hub.example" as HostName;
const known = { owner: holder, known: true, queued: [], failuresInRow: 0, robots: [] };
const { signal } = new AbortController();

interface Asked extends HostQuestion {
  readonly atMs: number;
}

/** What is asked of the host's holder, which answers by `answer`. */
function ofHolder(answer: (asked: Asked) => KnownHost | Refusal | undefined) {
  const clock = new VirtualClock(0);
  const view = stillView(self, holder);
  const territory = new Territory();
  territory.note(ArcSet.whole, { member: holder, generation: 1, synced: true });
  const asked: Asked[] = [];
  const calls = {
    host: (_: MemberId, question: HostQuestion) => {
      asked.push({ ...question, atMs: clock.nowMs() });
      return Promise.resolve(answer({ ...question, atMs: clock.nowMs() }));
    },
  };
  const search = new HolderSearch(clock, { territory, view }, 2, signal);
  return { asked, clock, others: new HostsOfOthers({ calls, search, view }) };
}

/** It has begun to hold the arc a second later. */
const whenItHolds = ({ atMs, fromCopy }: Asked): KnownHost | Refusal =>
  atMs < 1_000 || fromCopy ? {} : { ...known, opensInMs: 8_000 };

describe("the holder of a host, whose arc is on its way", () => {
  it("is asked again until it can tell how long the host is at rest", async () => {
    const { clock, others } = ofHolder(whenItHolds);
    const word = others.word(host);
    await clock.run(word);
    expect(await word).toMatchObject({ restMs: 8_000 });
  });

  it("is told again until it has heard that the host is at rest, and no copy in its place", async () => {
    const { asked, clock, others } = ofHolder(whenItHolds);
    await clock.run(others.rests(host, 9_000));
    expect(asked.at(-1)).toMatchObject({ fromCopy: false, restMs: 9_000, atMs: 1_000 });
    expect(asked.filter(({ fromCopy }) => fromCopy)).toEqual([]);
  });
});

it("asks a copy about a host whose holder is silent", async () => {
  const copy = { ...known, replica: true as const, opensInMs: 8_000, crawlDelayMs: 30_000 };
  const { clock, others } = ofHolder(({ fromCopy }) => (fromCopy ? copy : {}));
  const word = others.word(host);
  await clock.run(word);
  expect(await word).toEqual({ restMs: 8_000, crawlDelayMs: 30_000 });
});

it("knows nothing of a host whose holder cannot be found for some seconds", async () => {
  const { clock, others } = ofHolder(() => undefined);
  const word = others.word(host);
  await clock.run(word);
  expect(await word).toEqual({ restMs: 0 });
  expect(clock.nowMs()).toBe(5_000);
});
