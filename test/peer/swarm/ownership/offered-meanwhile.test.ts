import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { Row } from "../../../../src/core/messages/rows.ts";
import { idOf } from "../../../../src/core/record/id-of.ts";
import { urlKey } from "../../../../src/core/record/url-keys.ts";
import { queuedRecord } from "../../../../src/core/record/url-state.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { Homecoming } from "../../../../src/peer/swarm/ownership/homecoming.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import type { PeerCalls } from "../../../../src/peer/swarm/peer-calls.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { timelessStore } from "../../../support/still-process.ts";
import { stillView } from "../still-view.ts";

const [self, other] = ["a", "b"].map((id) => id as MemberId) as [MemberId, MemberId];

function rowOf(site: bigint): Required<Row> {
  const key = urlKey("url", site, new Uint32Array([1, 2, 3, 4]), 0, 7);
  return { key, value: queuedRecord(0) };
}

const [early, late] = [rowOf(1n), rowOf(2n ** 63n)];

describe("what is to be brought home while a member is asked whether it holds the arcs still", () => {
  /** Ids of the rows that a member was sent that holds everything, where another row comes in while it is asked. */
  async function brought(
    onAsked: (homecoming: Homecoming) => void,
    whenDone: (homecoming: Homecoming) => void = () => undefined,
  ): Promise<Set<string>> {
    const clock = new VirtualClock();
    const store = timelessStore();
    await store.start();
    const put = ({ key, value }: Required<Row>): Promise<void> =>
      store.write([{ type: "put", key, value }], { sync: true });
    await put(early);
    const ids = new Set<string>();
    let asked = 0;
    const none = ArcSet.empty;
    const answer = { generation: 1, held: ArcSet.whole, kept: none, copied: none, former: none };
    const calls: Pick<PeerCalls, "digests" | "homeRows" | "whoHolds"> = {
      whoHolds: async () => {
        asked += 1;
        // At first it was asked what to bring to it.
        if (asked === 2) {
          await put(late);
          onAsked(homecoming);
        }
        return { ...answer, known: [] };
      },
      digests: (_, { buckets }) =>
        Promise.resolve(buckets.map((__, index) => ({ index, count: 0 }))),
      homeRows: (_, rows) => {
        for (const { key } of rows) ids.add(idOf(key));
        return Promise.resolve({ kind: "reply", payload: new Uint8Array(0) });
      },
    };
    const homecoming = new Homecoming(
      { clock, logger: silentLogger, store, calls: calls as PeerCalls },
      { view: stillView(self, other), territory: new Territory() },
    );
    const stop = new AbortController();
    const running = homecoming.run(stop.signal);
    await clock.run(clock.sleep(5_000));
    expect(homecoming.isDone).toBe(true);
    whenDone(homecoming);
    await clock.run(clock.sleep(5_000));
    expect(homecoming.isDone).toBe(true);
    stop.abort();
    await clock.run(running);
    return ids;
  }

  const both = new Set([early, late].map(({ key }) => idOf(key)));

  it("is brought where the arcs are offered", async () => {
    expect(await brought((homecoming) => homecoming.offer(ArcSet.whole))).toEqual(both);
  });

  it("is brought where the arcs are offered when all else is at home, and not before", async () => {
    const nothing = (): void => undefined;
    expect(await brought(nothing)).toEqual(new Set([idOf(early.key)]));
    expect(await brought(nothing, (homecoming) => homecoming.offer(ArcSet.whole))).toEqual(both);
  });

  it("is brought where this process has stood still", async () => {
    expect(await brought((homecoming) => homecoming.again())).toEqual(both);
  });
});

it("what is offered while the disk is first looked at is brought home, though that has nothing", async () => {
  const clock = new VirtualClock();
  const store = timelessStore();
  await store.start();
  const asked: ArcSet[] = [];
  const calls: Pick<PeerCalls, "whoHolds"> = {
    whoHolds: (_, arcs) => Promise.resolve(void asked.push(arcs)),
  };
  const homecoming = new Homecoming(
    { clock, logger: silentLogger, store, calls: calls as PeerCalls },
    { view: stillView(self, other), territory: new Territory() },
  );
  const stop = new AbortController();
  const course = async (): Promise<void> => {
    const running = homecoming.run(stop.signal);
    homecoming.offer(ArcSet.whole);
    await clock.sleep(2_000);
    stop.abort();
    await running;
  };
  await clock.run(course());
  expect(homecoming.isDone).toBe(false);
  expect(asked[0]?.equals(ArcSet.whole)).toBe(true);
});
