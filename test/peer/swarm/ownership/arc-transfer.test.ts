import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOf } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId, SiteName } from "../../../../src/core/units.ts";
import { ArcTransfer } from "../../../../src/peer/swarm/ownership/arc-transfer.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { stillView } from "../still-view.ts";

const [self, other] = ["peer-1", "peer-2"] as [MemberId, MemberId];
const position = positionOf("site.test" as SiteName);

type Ports = ConstructorParameters<typeof ArcTransfer>[0];
type Parts = ConstructorParameters<typeof ArcTransfer>[1];

interface Course {
  /** Offers that have no answer before the one that has. */
  readonly unanswered?: number;
  /** The requests in flight have not come to their end. */
  readonly isCrawled?: boolean;
  /** The copy is kept up to date no more. */
  readonly hasEnded?: boolean;
  /** The other member takes nothing of it. */
  readonly isPutOff?: boolean;
  /** With this step the peer begins to stop. */
  readonly stopsAt?: string;
}

/** All arcs are offered to a member that answers so, or that is gone when it does not. */
async function offered(answer: boolean | undefined, course: Course = {}) {
  const clock = new VirtualClock();
  const territory = new Territory();
  territory.take(ArcSet.whole);
  const { isPutOff = false } = course;
  const target = { member: other, generation: 1, isPutOff };
  const stream = target as unknown as Parameters<ArcTransfer["run"]>[0];
  const reclaimed: ArcSet[] = [];
  const steps: string[] = [];
  const stop = new AbortController();
  let isBusy = false;
  const step = async (name: string): Promise<void> => {
    const seen = territory.admits(position) ? `${name}, open` : name;
    steps.push(isBusy ? `${seen}, early` : seen);
    if (name === course.stopsAt) stop.abort();
    isBusy = true;
    for (let turn = 0; turn < 9; turn += 1) await Promise.resolve();
    isBusy = false;
  };
  const startMs = clock.nowMs();
  let unanswered = course.unanswered ?? 0;
  const transfer = async (_: MemberId, { doubtAgeMs }: { readonly doubtAgeMs?: number }) => {
    await step(`offered with a doubt of ${doubtAgeMs} ms`);
    unanswered -= 1;
    return unanswered < 0 ? answer : undefined;
  };
  const calls = { transfer };
  const left = async (): Promise<boolean> => {
    await step("left");
    return course.isCrawled !== true;
  };
  const frontier = { left, doubts: { ageMs: () => clock.nowMs() - startMs } };
  const replicator = {
    drained: () => step("drained"),
    stream: () => (course.hasEnded === true ? undefined : stream),
  };
  const parts: Partial<Parts> = {
    view: stillView(self, other, answer === undefined ? other : undefined),
    territory,
    replicator: replicator as unknown as Parts["replicator"],
    frontier: frontier as unknown as Parts["frontier"],
    admissionsDone: () => step("admissions done"),
    release: (_, hand) => {
      hand();
      return step("released");
    },
    reclaim: (arcs) => void reclaimed.push(arcs),
  };
  const ports = { clock, logger: silentLogger, calls } as unknown as Ports;
  const transfers = new ArcTransfer(ports, parts as Parts);
  await clock.run(transfers.run(stream, ArcSet.whole, stop.signal));
  return { territory, reclaimed, steps, tookMs: clock.nowMs() - startMs };
}

describe("arcs that are offered to another member", () => {
  it("are noted as its own once it has them, and as ones that were held here", async () => {
    const { territory, reclaimed } = await offered(true);
    expect(territory.holds(position)).toBe(false);
    const noted = { member: other, generation: 1, synced: true, former: true };
    expect(territory.holderAt(position)).toEqual(noted);
    expect(reclaimed).toEqual([]);
  });

  it("are closed and complete there before, and offered with the doubt of that moment", async () => {
    const { steps } = await offered(true, { unanswered: 1 });
    expect(steps).toEqual([
      "left, open",
      "admissions done",
      "drained",
      "offered with a doubt of 0 ms",
      "offered with a doubt of 300 ms",
      "released",
    ]);
  });

  it.each([{ isCrawled: true }, { hasEnded: true }, { isPutOff: true }, { stopsAt: "drained" }])(
    "stay, and take in again, where they cannot be passed on: %o",
    async (course) => {
      const { territory, steps } = await offered(true, course);
      expect(territory.admits(position)).toBe(true);
      expect(steps.filter((name) => name.startsWith("offered"))).toEqual([]);
    },
  );

  it("stay where it refuses them, take in again, and are not offered again at once", async () => {
    const { territory, reclaimed, tookMs } = await offered(false);
    expect(territory.admits(position)).toBe(true);
    expect(reclaimed).toEqual([]);
    expect(tookMs).toBe(300);
  });

  it("are reclaimed where it is gone, as it may have had them", async () => {
    const { territory, reclaimed } = await offered(undefined);
    expect(territory.admits(position)).toBe(true);
    expect(reclaimed.map(({ share }) => share)).toEqual([1]);
  });

  it("are not offered on and on by a peer that stops", async () => {
    const offer = "offered with a doubt of 0 ms";
    const { territory, steps } = await offered(true, { unanswered: 9, stopsAt: offer });
    expect(territory.admits(position)).toBe(true);
    expect(steps.filter((name) => name.startsWith("offered"))).toEqual([offer]);
  });
});
