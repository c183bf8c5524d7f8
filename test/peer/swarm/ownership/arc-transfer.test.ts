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

/** All arcs are offered to a member that answers so, or that is gone when it does not. */
async function offered(answer: boolean | undefined) {
  const clock = new VirtualClock();
  const territory = new Territory();
  territory.take(ArcSet.whole);
  const stream = { member: other, generation: 1 } as unknown as Parameters<ArcTransfer["run"]>[0];
  const reclaimed: ArcSet[] = [];
  const calls = { transfer: () => Promise.resolve(answer) };
  const frontier = { left: () => Promise.resolve(true), doubts: { ageMs: () => undefined } };
  const replicator = { drained: () => Promise.resolve(), stream: () => stream };
  const parts: Partial<Parts> = {
    view: stillView(self, other, answer === undefined ? other : undefined),
    territory,
    replicator: replicator as unknown as Parts["replicator"],
    frontier: frontier as unknown as Parts["frontier"],
    admissionsDone: () => Promise.resolve(),
    release: (_, hand) => {
      hand();
      return Promise.resolve();
    },
    reclaim: (arcs) => void reclaimed.push(arcs),
  };
  const ports = { clock, logger: silentLogger, calls } as unknown as Ports;
  const transfer = new ArcTransfer(ports, parts as Parts);
  await clock.run(transfer.run(stream, ArcSet.whole, new AbortController().signal));
  return { territory, reclaimed };
}

describe("arcs that are offered to another member", () => {
  it("are noted as its own once it has them, and as ones that were held here", async () => {
    const { territory, reclaimed } = await offered(true);
    expect(territory.holds(position)).toBe(false);
    const noted = { member: other, generation: 1, synced: true, former: true };
    expect(territory.holderAt(position)).toEqual(noted);
    expect(reclaimed).toEqual([]);
  });

  it("stay where it refuses them", async () => {
    const { territory, reclaimed } = await offered(false);
    expect(territory.holds(position)).toBe(true);
    expect(reclaimed).toEqual([]);
  });

  it("are reclaimed where it is gone, as it may have had them", async () => {
    const { territory, reclaimed } = await offered(undefined);
    expect(territory.holds(position)).toBe(true);
    expect(reclaimed).toEqual([ArcSet.whole]);
  });
});
